// Two turns, of which the second is queued, and their review crash at every write of any port. Each accepted input is answered
// once, and the review is requested under one id and reported once.
import { describe, expect, it } from "vitest";
import { textOf } from "../../../core/schemas/entry.ts";
import type { Lesson } from "../../../core/schemas/learning/review.ts";
import { createReviewStore } from "../../../stores/review-store.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { Crash, PROFILE, createSessionHarness } from "../../support/session/session-harness.ts";

const LESSON: Lesson = { kind: "memory", store: "user", action: "add", id: "a".repeat(64), text: "x", citations: [] };

async function runWithCrash(crashAt: number) {
  const echo = createScriptedModel(
    Array.from({ length: 100 }, () => (request: { messages: { role: string; text?: string }[] }) => {
      return { text: `Answer to ${request.messages.at(-1)?.text}.` };
    }),
  );
  const harness = createSessionHarness({ model: echo, settings: { review: { afterModelCalls: 0 } } });
  const reviews = createReviewStore({ bucket: harness.bucket, profile: PROFILE });
  const post = async (engine: ReturnType<typeof harness.boot>["engine"]) => {
    await engine.create({ learning: "on", title: "" });
    for (const text of ["a", "b"]) expect(await engine.post({ text, key: text })).toMatchObject({ ok: true });
  };
  const review = async () => {
    for (const { review: id } of harness.sent) {
      await reviews.finish({ ...reviewResult(id, "done", "Learned: remembered 1 fact."), lessons: [LESSON] });
    }
  };
  const runToEnd = async (life: ReturnType<typeof harness.boot>) => {
    await post(life.engine);
    await life.settled();
    for (let wakes = 0; harness.alarmAt() !== null && wakes < 30; wakes++) {
      await review();
      await life.wake();
    }
  };
  const first = harness.boot({ crashAt });
  await runToEnd(first).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
  await first.settled();
  const second = harness.boot();
  await runToEnd(second);
  expect(second.reports).toEqual([]);
  return { harness, engine: second.engine };
}

const WRITES = (await runWithCrash(Infinity)).harness.writes();

describe("two turns and their review, after a crash", () => {
  it.each(Array.from({ length: WRITES }, (_, index) => index + 1))(
    "at write %i end as if nothing had happened",
    async (at) => {
      const { harness, engine } = await runWithCrash(at);
      const entries = engine.entries(0);
      if (!entries.ok) throw new Error(entries.failure.code);
      const said = entries.value.filter((entry) => entry.kind === "user" || entry.kind === "assistant").map(textOf);
      expect(said).toEqual(["a", "Answer to a.", "b", "Answer to b."]);
      expect(engine.detail()).toMatchObject({
        state: "idle",
        turns: [{ state: "done" }, { state: "done" }],
        reviewing: [],
      });
      expect(new Set(harness.sent.map(({ review }) => review)).size).toBe(1);
      expect(harness.bucket.keys().filter((key) => key.endsWith("/job"))).toHaveLength(1);
      expect(harness.bucket.keys().filter((key) => key.includes("/active/"))).toHaveLength(1);
      const learned = entries.value.filter((entry) => entry.kind === "notice" && entry.code === "learned");
      expect(learned).toHaveLength(1);
    },
  );
});
