// Reads the numbers in a refusal: window size, prompt tokens, longest answer. Called by failures.ts. learned-windows.ts remembers the
// window and the longest answer. Pure.
import type { ErrorReply } from "./error-reply.ts";

export interface OverflowSizes {
  /** Tokens of the window, prompt and answer together. */
  window?: number;
  /** Tokens of the prompt, if the reply states the exact count. */
  promptTokens?: number;
}

/** A number outside these bounds was misread. */
const MIN_WINDOW_TOKENS = 256;
const MAX_WINDOW_TOKENS = 100_000_000;
const MAX_READ_CHARS = 2_000;

/** The first match decides. The comment after each names the providers that send it. */
const WINDOWS: readonly RegExp[] = [
  // vLLM, OpenAI, OpenRouter, DeepSeek: "maximum context length is 8192 tokens"
  /maximum context length (?:is|of) (\d{1,9})/i,
  /(\d{1,9}) maximum context length/i, // Mistral
  /tokens > (\d{1,9}) maximum/i, // Anthropic
  /context limit: \d{1,9} \+ \d{1,9} > (\d{1,9})/i, // Anthropic
  /available context size \((\d{1,9}) tokens\)/i, // llama.cpp
  /context window (?:limit \(|of )(\d{1,9})/i, // Workers AI, llama-cpp-python
  /(?:maximum model length|max_model_len) (?:of|\()?\s?(\d{1,9})/i, // vLLM
  /\bmax_(?:model_len|total_tokens)=(\d{1,9})/i, // vLLM from 0.19
  /maximum number of tokens allowed \((\d{1,9})\)/i, // Google
  /maximum prompt length is (\d{1,9})/i, // xAI
  /model token limit: (\d{1,9})/i, // Moonshot
  /`max_new_tokens` must be <= (\d{1,9})/i, // Together
  /context length (?:of|is) only (\d{1,9})/i, // LM Studio, vLLM from 0.15
];

const PROMPTS: readonly RegExp[] = [
  /\((\d{1,9}) in the (?:messages|prompt)/i, // vLLM until 0.9, OpenAI, DeepSeek
  /\((\d{1,9}) of text input(?:, (\d{1,9}) of tool input)?/i, // OpenRouter
  /(?:request has|resulted in|request contains) (\d{1,9}) (?:input )?tokens/i, // vLLM from 0.10, OpenAI, xAI
  /prompt is too long: (\d{1,9}) tokens/i, // Anthropic
  /context limit: (\d{1,9}) \+ \d{1,9} >/i, // Anthropic
  /request \((\d{1,9}) tokens\) exceeds/i, // llama.cpp
  /input token count \((\d{1,9})\)/i, // Google
  /given: (\d{1,9}) `inputs` tokens/i, // Together
  /contains (\d{1,9}) tokens .{0,40}too large for model/i, // Mistral
];

const ANSWERS: readonly RegExp[] = [
  /max_tokens: \d{1,9} > (\d{1,9}),/i, // Anthropic
  /supports at most (\d{1,9}) (?:completion|output) tokens/i, // OpenAI
  /range of max_tokens (?:is|should be) \[\d{1,9}, ?(\d{1,9})\]/i, // DeepSeek, Alibaba
  /must be less than or equal to `?(\d{1,9})/i, // Groq
  /exceeds the model limit of (\d{1,9})/i, // Bedrock
];

/** vLLM from 0.15. */
const PASSED = /you passed (\d{1,9}) input tokens.{0,200}maximum input length of (\d{1,9})/i;

/**
 * vLLM stops counting at the limit of the prompt. From 0.19 it says so: "your prompt contains at least 62466 input tokens". That
 * number is not exact, so it is not read.
 */
export function readSizes({ message, size }: Pick<ErrorReply, "message" | "size">): OverflowSizes {
  const said = message.slice(0, MAX_READ_CHARS);
  const window = size?.window ?? readFirstNumber(WINDOWS, said);
  const promptTokens = size?.promptTokens ?? readFirstNumber(PROMPTS, said) ?? readPassedTokens(said);
  return {
    ...(isWindow(window) && { window }),
    ...(promptTokens !== undefined && promptTokens > 0 && promptTokens <= MAX_WINDOW_TOKENS && { promptTokens }),
  };
}

/** The longest answer in tokens, from the refusal of a longer one. */
export function readAnswerLimit(message: string): number | undefined {
  return readFirstNumber(ANSWERS, message.slice(0, MAX_READ_CHARS)) || undefined;
}

/**
 * Before 0.19 vLLM says "You passed 99073 input tokens" for every prompt longer than 99072 tokens. So a number that is one above
 * the limit is not a count.
 */
function readPassedTokens(said: string): number | undefined {
  const [, passed, limit] = PASSED.exec(said)?.map(Number) ?? [];
  return passed !== undefined && passed > limit! + 1 ? passed : undefined;
}

function readFirstNumber(patterns: readonly RegExp[], text: string): number | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found) return found.slice(1).reduce((sum, digits) => sum + Number(digits ?? 0), 0);
  }
  return undefined;
}

function isWindow(window: number | undefined): window is number {
  return window !== undefined && Number.isInteger(window) && window >= MIN_WINDOW_TOKENS && window <= MAX_WINDOW_TOKENS;
}
