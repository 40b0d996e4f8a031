// Estimates the tokens of a request, and how long its answer may be. Used before each model call and by compaction. Messages and
// tools are estimated once, however many steps a turn has. Pure, apart from these caches.
import type { JsonObject } from "../schemas/entry.ts";
import { estimateTokens } from "../tokens.ts";
import type { Message, ModelRequest, ToolSpec } from "./contract.ts";

/** Overhead of a message and of a tool: roles, and the text of a chat template. */
const MESSAGE_TOKENS = 4;
const TOOL_TOKENS = 12;
/** A character is hardly ever more than two tokens, in any script and vocabulary. */
const MOST_TOKENS_PER_CHAR = 2;
/** Margin of the estimate. If it is not enough, the provider's refusal names the real number. */
const MARGIN_SHARE = 0.1;
const MARGIN_TOKENS = 64;
const FAR_ABOVE = 1.5;
/** An answer with fewer tokens is useless. */
export const LEAST_ANSWER_TOKENS = 256;

const tokensOfMessages = new WeakMap<Message, number>();
/** Keyed by parameters: tools are created for each turn, but their schemas once. */
const tokensOfParameters = new WeakMap<JsonObject, number>();
/** Most requests of an isolate follow one of the same session, so one entry is enough. */
let lastSystem = { text: "", tokens: 0 };

export function messageTokens(message: Message): number {
  const known = tokensOfMessages.get(message);
  if (known !== undefined) return known;
  const args = argsOf(message).reduce((sum, text) => sum + estimateTokens(text), 0);
  const tokens = MESSAGE_TOKENS + estimateTokens(message.text) + args;
  tokensOfMessages.set(message, tokens);
  return tokens;
}

/** Tokens of the part that is the same on every call: the prompt and the tools. */
export function fixedTokens({ system, tools }: Pick<ModelRequest, "system" | "tools">): number {
  if (lastSystem.text !== system) lastSystem = { text: system, tokens: estimateTokens(system) };
  return tools.reduce((sum, tool) => sum + toolTokens(tool), MESSAGE_TOKENS + lastSystem.tokens);
}

/**
 * Tokens that an answer may have in this window, at most as many as requested. Servers refuse a request if its prompt and
 * `max_tokens` together exceed the window. `promptTokens`: the prompt's size, if known. Absent: estimated.
 */
export function answerRoom(request: ModelRequest, contextWindow: number, promptTokens?: number): number {
  const { maxOutputTokens } = request;
  const tokens = promptTokens ?? estimate(request, contextWindow - maxOutputTokens);
  const room = Math.floor(contextWindow - tokens * (1 + MARGIN_SHARE) - MARGIN_TOKENS);
  return Math.min(maxOutputTokens, Math.max(room, LEAST_ANSWER_TOKENS));
}

/** Tokens of a prompt that exceeds the window even if the estimate is far off; `null` for any other. */
export function tokensFarAbove(request: ModelRequest, contextWindow: number): number | null {
  const most = contextWindow * FAR_ABOVE;
  const tokens = estimate(request, most);
  return tokens > most ? tokens : null;
}

/** 0 if the request cannot reach `most` tokens in any vocabulary, which saves the estimate. */
function estimate(request: ModelRequest, most: number): number {
  if (charsOf(request) * MOST_TOKENS_PER_CHAR <= most) return 0;
  return request.messages.reduce((sum, message) => sum + messageTokens(message), fixedTokens(request));
}

function charsOf({ system, tools, messages }: ModelRequest): number {
  const said = messages.reduce(
    (sum, message) => argsOf(message).reduce((chars, text) => chars + text.length, sum + message.text.length),
    system.length,
  );
  return tools.reduce(
    (sum, { description, parameters }) => sum + description.length + JSON.stringify(parameters).length,
    said,
  );
}

function argsOf(message: Message): string[] {
  if (message.role !== "assistant") return [];
  return message.calls.map((call) => `${call.name} ${JSON.stringify(call.args)}`);
}

function toolTokens({ name, description, parameters }: ToolSpec): number {
  let tokens = tokensOfParameters.get(parameters);
  if (tokens === undefined) tokensOfParameters.set(parameters, (tokens = estimateTokens(JSON.stringify(parameters))));
  return TOOL_TOKENS + tokens + estimateTokens(`${name} ${description}`);
}
