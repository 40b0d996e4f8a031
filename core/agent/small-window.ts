// What a small window has room for: a model with 8,000 tokens gets a shorter prompt, shorter results and simpler tools than one
// with 200,000. Everything is a share of the window with the operator's setting as the most; from LARGE_WINDOW on the settings
// hold as they are. Pure.
import type { JsonObject } from "../schemas/entry.ts";
import type { Settings } from "../schemas/settings.ts";
import type { ToolSpec } from "./contract.ts";

/** From this many tokens on every default fits beside a conversation. */
export const LARGE_WINDOW = 64_000;

/** Characters that a token has in a text that is mostly words. */
const CHARS_PER_TOKEN = 4;
/** Of the window, at most: the index of skills, what is remembered, and the person's files. */
const INDEX_SHARE = 0.05;
const MEMORY_SHARE = 0.08;
const FILE_SHARE = 0.1;
/** Characters of a result for each token of the window: tables of numbers have less than two characters a token. */
const RESULT_CHARS = 0.3;
const LEAST_INDEX_TOKENS = 250;

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
    indexTokens: Math.min(indexTokens, Math.max(LEAST_INDEX_TOKENS, Math.round(contextWindow * INDEX_SHARE))),
    memory: { memoryChars: Math.floor(memoryChars * share), userChars: Math.floor(userChars * share) },
    fileChars: Math.min(fileChars, Math.floor(windowChars * FILE_SHARE)),
  };
}

/**
 * The settings with results that the window has room for, for tools that keep their own limit. Looked up when they are read: a
 * window may become known while a turn runs.
 */
export function withResultLimits(settings: Settings, contextWindow: () => number): Settings {
  return {
    ...settings,
    get turn() {
      const window = contextWindow();
      if (!isSmall(window)) return settings.turn;
      const { maxResultChars, maxTurnResultChars } = settings.turn;
      const most = Math.max(1_000, Math.floor(window * RESULT_CHARS));
      return {
        ...settings.turn,
        maxResultChars: Math.min(maxResultChars, most),
        maxTurnResultChars: Math.min(maxTurnResultChars, 2 * most),
      };
    },
  };
}

/** The same tools in fewer words: a description that stands in the schema already is not repeated, nor are the widest bounds. */
export function withoutRepeats(specs: ToolSpec[]): ToolSpec[] {
  return specs.map((spec) => ({ ...spec, parameters: shortened(spec.parameters) }));
}

const known = new WeakMap<JsonObject, JsonObject>();

function shortened(parameters: JsonObject): JsonObject {
  const cached = known.get(parameters);
  if (cached) return cached;
  const told = new Set<string>();
  const short = JSON.parse(
    JSON.stringify(parameters, (key, value: unknown) => {
      if (value === Number.MAX_SAFE_INTEGER && key === "maximum") return undefined;
      if (key !== "description" || typeof value !== "string") return value;
      if (told.has(value)) return undefined;
      told.add(value);
      return value;
    }),
  ) as JsonObject;
  known.set(parameters, short);
  return short;
}
