import { describe, expect, it } from "vitest";
import { createScriptJournal } from "../../../core/learning/script/script-journal.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { PROFILE, sampleJob } from "../sample.ts";

const call = { id: "c1", name: "memory", args: {} };
const answer = { text: "", calls: [call], stop: "tools" as const, usage: NO_USAGE, model: "scripted:test" };

async function createWorld() {
  const clock = createTestClock();
  const reviews = createReviewStore({ bucket: createMemoryBucket({ clock }), profile: PROFILE });
  const { review } = sampleJob();
  await reviews.createStep(review, 0, { v: 1, kind: "start", at: clock.now() });
  const open = async () =>
    createScriptJournal({ reviews, review, clock, script: (await reviews.script(review)).steps });
  return { review, open };
}

describe("the script of a review as the loop's journal", () => {
  it("places each answer and call at its step, and gives a later run what was recorded, fingerprint and all", async () => {
    const { review, open } = await createWorld();
    const result = { ...succeed({ done: "added" }), print: "f00d" };
    const ops: string[] = [];
    const run = async (attempt: { op: string; entry: number }) => {
      ops.push(`${attempt.op} ${attempt.entry}`);
      return result;
    };
    for (let round = 0; round < 2; round++) {
      const journal = await open();
      expect(await journal.answer(0, async () => ({ ok: true, value: answer }))).toEqual({
        ok: true,
        value: { value: answer, entry: 1 },
      });
      expect(await journal.call(0, 0, { call, effect: "keyed", run })).toEqual({ value: result, entry: 3 });
      expect(await journal.call(0, 1, { call, effect: "read", run })).toEqual({ value: result, entry: 4 });
    }
    expect(ops).toEqual([`${review}.0002 2`, `${review}.0004 4`]);
  });

  it("marks a call that was interrupted before its outcome as resumed", async () => {
    const { open } = await createWorld();
    const attempts: unknown[] = [];
    for (const isCutOff of [true, false]) {
      const journal = await open();
      await journal.answer(0, async () => ({ ok: true, value: answer }));
      const run = async ({ resumed }: { resumed?: true }) => {
        attempts.push(resumed);
        if (isCutOff) throw new Error("killed");
        return succeed({ done: "added" });
      };
      await journal.call(0, 0, { call, effect: "keyed", run }).catch(() => "killed");
    }
    expect(attempts).toEqual([undefined, true]);
  });

  it("has calls made one after the other, because their steps are numbered in the order they are put", async () => {
    const { open } = await createWorld();
    expect((await open()).parallel).toBe(false);
  });
});
