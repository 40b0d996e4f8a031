// Limits for small context windows: a model with 8,000 tokens gets a shorter prompt, shorter results and simpler tools than one with
// 200,000. Each limit is a share of the window, and at most the operator's setting. With LARGE_WINDOW or more the
// settings apply unchanged. Used to build a prompt, its tools and results. Pure.
import type { JsonObject } from "../schemas/entry.ts";
import type { Settings } from "../schemas/settings.ts";
import type { ToolSpec } from "./contract.ts";

/** In a window of this many tokens, all defaults leave enough room for a conversation. */
export const LARGE_WINDOW = 64_000;

/** Characters per token in text that is mostly words. */
const CHARS_PER_TOKEN = 4;
/** Maximum shares of the window: the skills index, the memory block, and the person's files. */
const INDEX_SHARE = 0.05;
const MEMORY_SHARE = 0.08;
const FILE_SHARE = 0.1;
/**
 * Characters of a result for each token of the window. A table of numbers has fewer than two characters a token, so a result takes
 * at least 15 % of the window.
 */
const RESULT_CHARS_PER_WINDOW_TOKEN = 0.3;
const MIN_INDEX_TOKENS = 250;
const MIN_RESULT_CHARS = 1_000;

export interface PromptLimits {
  indexTokens: number;
  memory: Pick<Settings["memory"], "memoryChars" | "userChars">;
  fileChars: number;
}

export function isSmall(contextWindow: number): boolean {
  return contextWindow < LARGE_WINDOW;
}

export function promptLimits(settings: Settings, contextWindow: number): PromptLimits {
  const { memoryChars, userChars } = settings.memory;
  const { indexTokens } = settings.skills;
  const { fileChars } = settings.context;
  if (!isSmall(contextWindow)) return { indexTokens, memory: { memoryChars, userChars }, fileChars };
  const windowChars = contextWindow * CHARS_PER_TOKEN;
  const share = Math.min(1, (windowChars * MEMORY_SHARE) / (memoryChars + userChars));
  return {
    indexTokens: Math.min(indexTokens, Math.max(MIN_INDEX_TOKENS, Math.round(contextWindow * INDEX_SHARE))),
    memory: { memoryChars: Math.floor(memoryChars * share), userChars: Math.floor(userChars * share) },
    fileChars: Math.min(fileChars, Math.floor(windowChars * FILE_SHARE)),
  };
}

/**
 * The settings with result limits that fit the window, for tools that limit their results themselves. Each read
 * looks up the window, because the model may report it while a turn runs.
 */
export function withResultLimits(settings: Settings, contextWindow: () => number): Settings {
  return {
    ...settings,
    get turn() {
      const window = contextWindow();
      if (!isSmall(window)) return settings.turn;
      const { maxResultChars, maxTurnResultChars } = settings.turn;
      const maxChars = Math.max(MIN_RESULT_CHARS, Math.floor(window * RESULT_CHARS_PER_WINDOW_TOKEN));
      return {
        ...settings.turn,
        maxResultChars: Math.min(maxResultChars, maxChars),
        maxTurnResultChars: Math.min(maxTurnResultChars, 2 * maxChars),
      };
    },
  };
}

/** Removes from the schemas repeated descriptions, and maximums that exclude nothing. */
export function shortenSchemas(specs: ToolSpec[]): ToolSpec[] {
  return specs.map((spec) => ({ ...spec, parameters: shortenSchema(spec.parameters) }));
}

const cache = new WeakMap<JsonObject, JsonObject>();

function shortenSchema(parameters: JsonObject): JsonObject {
  const cached = cache.get(parameters);
  if (cached) return cached;
  const seen = new Set<string>();
  const short = JSON.parse(
    JSON.stringify(parameters, (key, value: unknown) => {
      if (value === Number.MAX_SAFE_INTEGER && key === "maximum") return undefined;
      if (key !== "description" || typeof value !== "string") return value;
      if (seen.has(value)) return undefined;
      seen.add(value);
      return value;
    }),
  ) as JsonObject;
  cache.set(parameters, short);
  return short;
}
