// How many tokens a request has, by estimate, and how long its answer may become. Used before each model call and by whoever
// shortens a conversation. Messages and tools are weighed once, however many steps a turn has. Pure.
import type { JsonObject } from "../schemas/entry.ts";
import { estimateTokens } from "../tokens.ts";
import type { Message, ModelRequest, ToolSpec } from "./contract.ts";

/** What a message costs beside its text, and a tool beside its words: roles, and the words of a chat template. */
const MESSAGE_TOKENS = 4;
const TOOL_TOKENS = 12;
/** A character of any script is hardly ever more than two tokens, in any vocabulary. */
const MOST_TOKENS_PER_CHAR = 2;
/** An estimate may be wrong by so much, or by more: then the refusal says the real number. */
const MARGIN_SHARE = 0.1;
const MARGIN_TOKENS = 64;
const FAR_ABOVE = 1.5;
/** An answer with less room than this says nothing. */
export const LEAST_ANSWER_TOKENS = 256;

const tokensOfMessages = new WeakMap<Message, number>();
/** By their parameters: tools are made for each turn, their schemas once. */
const tokensOfParameters = new WeakMap<JsonObject, number>();
/** Most requests of an isolate follow one of the same session. */
let lastSystem = { text: "", tokens: 0 };

export function messageTokens(message: Message): number {
  const known = tokensOfMessages.get(message);
  if (known !== undefined) return known;
  const args = argsOf(message).reduce((sum, text) => sum + estimateTokens(text), 0);
  const tokens = MESSAGE_TOKENS + estimateTokens(message.text) + args;
  tokensOfMessages.set(message, tokens);
  return tokens;
}

/** Of the part that is the same on every call. */
export function fixedTokens({ system, tools }: Pick<ModelRequest, "system" | "tools">): number {
  if (lastSystem.text !== system) lastSystem = { text: system, tokens: estimateTokens(system) };
  return tools.reduce((sum, tool) => sum + toolTokens(tool), MESSAGE_TOKENS + lastSystem.tokens);
}

/**
 * Tokens that an answer may have in this window, and never more than were asked for: servers refuse a request whose prompt and
 * `max_tokens` are together longer than the window. `promptTokens`: what the prompt is known to have; estimated without.
 */
export function answerRoom(request: ModelRequest, contextWindow: number, promptTokens?: number): number {
  const { maxOutputTokens } = request;
  const tokens = promptTokens ?? estimate(request, contextWindow - maxOutputTokens);
  const room = Math.floor(contextWindow - tokens * (1 + MARGIN_SHARE) - MARGIN_TOKENS);
  return Math.min(maxOutputTokens, Math.max(room, LEAST_ANSWER_TOKENS));
}

/** Tokens of a prompt that is far longer than the window, even if the estimate is wrong; `null` for any other. */
export function tokensFarAbove(request: ModelRequest, contextWindow: number): number | null {
  const most = contextWindow * FAR_ABOVE;
  const tokens = estimate(request, most);
  return tokens > most ? tokens : null;
}

/** Of a request that is far from so many tokens in any vocabulary, nothing is counted. */
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
