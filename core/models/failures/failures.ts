// Creates the failure of a model call, from its code or from the provider's reply. Called by stream-guard.ts, the adapters and the
// model call. failure-codes.ts lists the codes, failure-rules.ts maps replies to codes, error-reply.ts parses bodies. Pure.
// A message must never contain a key.
import type { ModelFailure } from "../../agent/contract.ts";
import { readRetryAfter } from "../../retry-after.ts";
import { type ErrorReply, readWaitInWords } from "./error-reply.ts";
import { MODEL_FAILURES, type ModelFailureCode } from "./failure-codes.ts";
import { findRule } from "./failure-rules.ts";
import { readAnswerLimit, readSizes } from "./overflow-sizes.ts";

const MAX_QUOTE_CHARS = 300;

/** Removes `secrets` from the message by value, and other keys by their shape. */
export function readReplyFailure(reply: ErrorReply, secrets: string[]): ModelFailure {
  const failure = createModelFailure(findRule(reply).means, reply.provider, reply.message, secrets);
  const retryAfterMs = readRetryAfter(reply.headers) ?? reply.bodyRetryMs ?? readWaitInWords(reply.message);
  if (failure.code === "context_overflow") return { ...failure, ...readSizes(reply) };
  if (failure.code === "answer_limit") {
    const maxOutputTokens = readAnswerLimit(reply.message);
    return { ...failure, ...(maxOutputTokens !== undefined && { maxOutputTokens }) };
  }
  // With `rotateKey` the time says how long the key is suspended.
  const usesTime = failure.retry || failure.rotateKey;
  return usesTime && retryAfterMs !== undefined ? { ...failure, retryAfterMs } : failure;
}

/** Makes a failure whose message is one sentence, followed by a quote of the provider. */
export function createModelFailure(
  code: ModelFailureCode,
  provider: string,
  said = "",
  secrets: string[] = [],
): ModelFailure {
  const { sentence, ...decisions } = MODEL_FAILURES[code];
  const words = redact(said, secrets).replace(/\s+/g, " ").trim().toWellFormed();
  const quote = words.slice(0, MAX_QUOTE_CHARS).replace(/[\ud800-\udbff]$/, "");
  return { code, message: `${provider} ${sentence}${quote ? ` (it said: ${quote})` : ""}.`, ...decisions };
}

/** Replaces `secrets` and anything in the shape of a known key with `[key]`. */
export function redact(text: string, secrets: string[] = []): string {
  const known = secrets
    .filter((secret) => secret.length >= 8)
    .reduce((rest, key) => rest.replaceAll(key, "[key]"), text);
  return known.replace(KEY_SHAPES, "[key]");
}

// OpenAI, Anthropic, OpenRouter, DeepSeek `sk-…` (also masked with stars), Google `AIza…`, Groq, xAI, Hugging Face,
// NVIDIA, Fireworks, and any text after `Bearer`.
const KEY_SHAPES =
  /\b(?:sk|rk|pk)-[\w*-]{6,}|\bAIza[\w-]{20,}|\b(?:gsk|xai|hf|nvapi|fw|csk|tgp|tal)[_-][\w-]{16,}|(?<=\bBearer )[\w.~+/=-]{8,}/g;
