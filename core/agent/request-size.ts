// Estimates the tokens of a request, and how long its answer may be. Used before each model call and by compaction. Each message
// and tool is estimated once and cached for later steps. Pure, apart from these caches.
import type { JsonObject } from "../schemas/entry.ts";
import { unknownImageTokens } from "../images/image-tokens.ts";
import { estimateTokens } from "../tokens.ts";
import type { Message, ModelRequest, ToolSpec } from "./contract.ts";

/** Overhead of a message and of a tool: roles, and the text of a chat template. */
const MESSAGE_TOKENS = 4;
const TOOL_TOKENS = 12;
/** An upper bound for practically all scripts and tokenizers. */
const MAX_TOKENS_PER_CHAR = 2;
/** Safety margin of the estimate. If it is too small, the provider refuses and states the real number. */
const MARGIN_SHARE = 0.1;
const MARGIN_TOKENS = 64;
/** How far the estimate must exceed the window before a prompt is certainly too long. */
const CERTAIN_OVERFLOW_FACTOR = 1.5;
/** A shorter answer is useless. */
export const MIN_ANSWER_TOKENS = 256;

const tokensOfMessages = new WeakMap<Message, number>();
/** Keyed by parameters, because each turn creates new tool objects that share the same schemas. */
const tokensOfParameters = new WeakMap<JsonObject, number>();
/** Consecutive requests in an isolate mostly belong to one session, so one entry is enough. */
let lastSystem = { text: "", tokens: 0 };

export function messageTokens(message: Message): number {
  const known = tokensOfMessages.get(message);
  if (known !== undefined) return known;
  const callTokens = callTexts(message).reduce((sum, text) => sum + estimateTokens(text), 0);
  const tokens = MESSAGE_TOKENS + estimateTokens(message.text) + callTokens + imageTokens(message);
  tokensOfMessages.set(message, tokens);
  return tokens;
}

export function imageTokens(message: Message): number {
  if (message.role !== "user" || !message.images) return 0;
  return message.images.reduce((sum, image) => sum + (image.tokens ?? unknownImageTokens(image)), 0);
}

/** Tokens of the part that every call repeats: the system prompt and the tools. */
export function fixedTokens({ system, tools }: Pick<ModelRequest, "system" | "tools">): number {
  if (lastSystem.text !== system) lastSystem = { text: system, tokens: estimateTokens(system) };
  return tools.reduce((sum, tool) => sum + toolTokens(tool), MESSAGE_TOKENS + lastSystem.tokens);
}

/**
 * The `max_tokens` to send: the requested number, or less if the window has less room. Servers refuse a request if its prompt and
 * `max_tokens` together exceed the window. `promptTokens`: the prompt's size, if known; otherwise it is estimated.
 */
export function answerRoom(request: ModelRequest, contextWindow: number, promptTokens?: number): number {
  const { maxOutputTokens } = request;
  const tokens = promptTokens ?? estimate(request, contextWindow - maxOutputTokens);
  const room = Math.floor(contextWindow - tokens * (1 + MARGIN_SHARE) - MARGIN_TOKENS);
  return Math.min(maxOutputTokens, Math.max(room, MIN_ANSWER_TOKENS));
}

/** The estimated tokens of a prompt that certainly exceeds the window, even if the estimate is inaccurate; otherwise `null`. */
export function tokensIfCertainOverflow(request: ModelRequest, contextWindow: number): number | null {
  const threshold = contextWindow * CERTAIN_OVERFLOW_FACTOR;
  const tokens = estimate(request, threshold);
  return tokens > threshold ? tokens : null;
}

/** Skips the estimate and returns 0 if the request has too few characters to reach `threshold` tokens. */
function estimate(request: ModelRequest, threshold: number): number {
  if (countChars(request) * MAX_TOKENS_PER_CHAR <= threshold) return 0;
  return request.messages.reduce((sum, message) => sum + messageTokens(message), fixedTokens(request));
}

function countChars({ system, tools, messages }: ModelRequest): number {
  const chars = messages.reduce(
    (sum, message) =>
      callTexts(message).reduce((total, text) => total + text.length, sum + message.text.length + imageTokens(message)),
    system.length,
  );
  return tools.reduce(
    (sum, { description, parameters }) => sum + description.length + JSON.stringify(parameters).length,
    chars,
  );
}

function callTexts(message: Message): string[] {
  if (message.role !== "assistant") return [];
  return message.calls.map((call) => `${call.name} ${JSON.stringify(call.args)}`);
}

function toolTokens({ name, description, parameters }: ToolSpec): number {
  let tokens = tokensOfParameters.get(parameters);
  if (tokens === undefined) tokensOfParameters.set(parameters, (tokens = estimateTokens(JSON.stringify(parameters))));
  return TOOL_TOKENS + tokens + estimateTokens(`${name} ${description}`);
}
