// What an answer must be before anyone keeps it: well-formed text, whole numbers, JSON of a sane depth, and small enough for
// a row. Called by stream-guard.ts for every answer, and by the adapters while one grows. Pure.
import { byteLength } from "../../schemas/learning/digest.ts";
import type { Answer, Usage } from "../../schemas/entry.ts";

/**
 * Half of what a row of the log may hold; a call stands beside its result, which has the other half. The longest answers
 * there are, 128,000 tokens, come to about 500,000.
 */
export const MAX_ANSWER_BYTES = 800_000;
/** Models ask for a dozen calls at once. Each becomes a row, and something that is done. */
export const MAX_CALLS = 200;
/** No tool takes arguments this deep. Writing them as JSON, which a parser's stack does not limit, would overflow ours. */
const MAX_DEPTH = 100;
/** A billion tokens, or a thousand dollars: more than any call, and small enough that a session of such calls adds up. */
const MAX_COUNT = 1_000_000_000;

/** Thrown while an answer grows; stream-guard.ts makes `answer_too_large` of it. */
export class AnswerTooLargeError extends Error {
  override name = "AnswerTooLargeError";
}

/** `text` with `more` behind it. Throws rather than to hold what could not be kept. */
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
 * `streamed` is what readers have seen: it is the text, whatever the end of the stream says. What a wire wants to see again
 * is left out when it says something else, is too deep, or would not fit; the conversation goes on without it.
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

/** The same JSON with well-formed strings and without keys that would reach a prototype; undefined: too deep. */
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
