import { describe, expect, it } from "vitest";
import { byteLength } from "../../../core/schemas/learning/digest.ts";
import type { Answer } from "../../../core/schemas/entry.ts";
import {
  AnswerTooLargeError,
  MAX_ANSWER_BYTES,
  MAX_CALLS,
  assertCallCount,
  grow,
  toStorableAnswer,
} from "../../../core/models/stream/storable-answer.ts";

const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };

function toAnswer(change: Partial<Answer> = {}): Answer {
  return { text: "hi", calls: [], stop: "end", usage, model: "some:model", ...change };
}

const native = (data: unknown) => ({ native: { wire: "some", data } });

describe("an answer to be stored", () => {
  it("is unchanged if nothing is wrong with it", () => {
    const answer = toAnswer({ reasoning: "hm", cost: { usdMicros: 5, source: "catalog" }, ...native([{ a: 1 }]) });
    expect(toStorableAnswer(answer, "hi")).toEqual(answer);
  });

  it("has the streamed text, and no native parts that differ from it", () => {
    expect(toStorableAnswer(toAnswer(native([1])), "ho")).toEqual(toAnswer({ text: "ho" }));
  });

  it("has whole numbers within limits", () => {
    const counts = { input: NaN, output: -1, cacheRead: 2.5, cacheWrite: Infinity, reasoning: 1e300 };
    const answer = toAnswer({ usage: counts, cost: { usdMicros: 1e18, source: "provider" } });
    expect(toStorableAnswer(answer, "hi")).toEqual(
      toAnswer({
        usage: { input: 0, output: 0, cacheRead: 3, cacheWrite: 1_000_000_000, reasoning: 1_000_000_000 },
        cost: { usdMicros: 1_000_000_000, source: "provider" },
      }),
    );
  });

  it("has well-formed strings, in native parts too", () => {
    const answer = toAnswer({ reasoning: "a\ud800", ...native({ "\udc00": ["\ud83e"], ok: "🪽" }) });
    expect(toStorableAnswer(answer, "hi")).toEqual(
      toAnswer({ reasoning: "a\ufffd", ...native({ "\ufffd": ["\ufffd"], ok: "🪽" }) }),
    );
  });

  it("loses native parts that are too deep, undefined or too large", () => {
    let deep: unknown = 1;
    for (let n = 0; n < 10_000; n++) deep = [deep];
    for (const data of [deep, undefined, "x".repeat(MAX_ANSWER_BYTES)]) {
      expect(toStorableAnswer(toAnswer(native(data)), "hi")).toEqual(toAnswer());
    }
  });

  it("is refused if its own parts are too large, counted in bytes", () => {
    const text = "é".repeat(MAX_ANSWER_BYTES / 2);
    expect(() => toStorableAnswer(toAnswer({ text }), text)).toThrow(AnswerTooLargeError);
    const fits = text.slice(0, -200);
    expect(byteLength(JSON.stringify(toStorableAnswer(toAnswer({ text: fits }), fits)))).toBeLessThan(MAX_ANSWER_BYTES);
  });

  it("is refused as soon as it grows too large", () => {
    expect(grow("a", "b")).toBe("ab");
    expect(() => grow("x".repeat(MAX_ANSWER_BYTES), "y")).toThrow(AnswerTooLargeError);
    assertCallCount(MAX_CALLS);
    expect(() => assertCallCount(MAX_CALLS + 1)).toThrow(AnswerTooLargeError);
  });
});
