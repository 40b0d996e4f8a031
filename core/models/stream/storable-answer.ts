// Makes an answer fit for storage: well-formed text, whole numbers, JSON of bounded depth, and small enough for a row. Called by
// stream-guard.ts for every answer, and by the adapters while an answer grows. Pure.
import { byteLength } from "../../schemas/learning/digest.ts";
import type { Answer, Usage } from "../../schemas/entry.ts";

/**
 * Half of a log row: a call and its result share a row, and the result gets the other half. The longest answers, 128,000
 * tokens, have about 500,000 bytes.
 */
export const MAX_ANSWER_BYTES = 800_000;
/** Models make up to a dozen calls in one answer. Each becomes a row and is executed. */
export const MAX_CALLS = 200;
/** No tool takes arguments this deep. `JSON.parse` has no depth limit, but `JSON.stringify` would overflow the stack. */
const MAX_DEPTH = 100;
/** A billion tokens or a thousand dollars: more than any call, and small enough to add up without losing precision. */
const MAX_COUNT = 1_000_000_000;

/** Thrown while an answer grows. stream-guard.ts turns it into the failure `answer_too_large`. */
export class AnswerTooLargeError extends Error {
  override name = "AnswerTooLargeError";
}

/** Appends `more` to `text`. Throws AnswerTooLargeError if the result could not be stored. */
export function grow(text: string, more: string): string {
  if (text.length + more.length > MAX_ANSWER_BYTES) {
    throw new AnswerTooLargeError(`a part of it has more than ${MAX_ANSWER_BYTES} characters`);
  }
  return text + more;
}

export function assertCallCount(calls: number): void {
  if (calls > MAX_CALLS) throw new AnswerTooLargeError(`it makes more than ${MAX_CALLS} calls`);
}

/**
 * `streamed` is the text that readers have seen, and becomes the text of the answer, even if the final event differs. `native` is
 * dropped if its text differs, if it is too deep, or if it would not fit. The conversation continues without it.
 */
export function toStorableAnswer(answer: Answer, streamed: string): Answer {
  const { native, ...rest } = answer;
  const bare: Answer = {
    ...rest,
    text: streamed,
    ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning.toWellFormed() }),
    usage: toStorableUsage(answer.usage),
    ...(answer.cost === undefined ? {} : { cost: { ...answer.cost, usdMicros: toCount(answer.cost.usdMicros) } }),
  };
  const bytes = byteLength(JSON.stringify(bare));
  if (bytes > MAX_ANSWER_BYTES) throw new AnswerTooLargeError(`it has ${bytes} bytes`);
  const data = native && answer.text.toWellFormed() === streamed ? toStorableJson(native.data) : undefined;
  if (!native || data === undefined || bytes + byteLength(JSON.stringify(data)) > MAX_ANSWER_BYTES) return bare;
  return { ...bare, native: { wire: native.wire, data } };
}

export function toStorableUsage(usage: Usage): Usage {
  return {
    input: toCount(usage.input),
    output: toCount(usage.output),
    cacheRead: toCount(usage.cacheRead),
    cacheWrite: toCount(usage.cacheWrite),
    ...(usage.reasoning === undefined ? {} : { reasoning: toCount(usage.reasoning) }),
  };
}

function toCount(count: unknown): number {
  return typeof count === "number" && count > 0 ? Math.min(MAX_COUNT, Math.round(count)) : 0;
}

/** The same JSON with well-formed strings and without `__proto__` keys. Undefined: too deep. */
export function toStorableJson(value: unknown): unknown {
  return isShallow(value, MAX_DEPTH) ? toCleanJson(value) : undefined;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

function toCleanJson(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toCleanJson);
  const kept = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(kept.map(([key, item]) => [key.toWellFormed(), toCleanJson(item)]));
}
