// Two turns, of which the second is queued, and their review, under a daily budget, crash at every write of any port. Each input is
// answered once, the review is requested under one id and reported once, each call is counted once, and no reservation remains.
import { describe, expect, it } from "vitest";
import { NO_USAGE, textOf } from "../../core/schemas/entry.ts";
import type { Lesson } from "../../core/schemas/learning/review.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createAccountDouble } from "../support/account-double.ts";
import { reviewResult } from "../support/skills/reviews.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { Crash, type SessionLife, PROFILE, createSessionHarness } from "../support/session/session-harness.ts";
import { must } from "../support/session/scripted-session.ts";

const REVIEWED = {
  model: "m:reviewer",
  calls: 2,
  usage: { ...NO_USAGE, input: 100 },
  cost: { usdMicros: 9, source: "provider" as const },
};

const LESSON: Lesson = { kind: "memory", store: "user", action: "add", id: "a".repeat(64), text: "x", citations: [] };

async function runWithCrash(crashAt: number) {
  const model = createScriptedModel(
    Array.from({ length: 200 }, () => (request: { messages: { role: string; text: string }[] }) => {
      const isAnswered = request.messages.at(-1)?.role === "tool";
      const asked = request.messages.findLast(({ role }) => role === "user")?.text;
      const cost = { usdMicros: 7, source: "catalog" as const };
      return isAnswered ? { text: `Answer to ${asked}.`, cost } : { calls: [{ name: "skills_list" }], cost };
    }),
  );
  const account = createAccountDouble();
  const settings = { review: { afterModelCalls: 0, grantTokens: 1_000 }, budget: { profileDayTokens: 100_000 } };
  const harness = createSessionHarness({ model, account: account.port, settings });
  const reviews = createReviewStore({ bucket: harness.bucket, profile: PROFILE });
  const runToEnd = async (life: SessionLife) => {
    await life.engine.create({ learning: "on", title: "" });
    for (const text of ["a", "b"]) expect(await life.engine.post({ text, key: text })).toMatchObject({ ok: true });
    await life.settled();
    for (let wakes = 0; harness.alarmAt() !== null && wakes < 30; wakes++) {
      for (const { review } of harness.sent) {
        const result = reviewResult(review, "done", "Learned: remembered 1 fact.");
        await reviews.finish({ ...result, lessons: [LESSON], spent: [REVIEWED] });
      }
      await life.wake();
    }
  };
  const first = harness.boot({ crashAt });
  await runToEnd(first).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
  await first.settled();
  const second = harness.boot();
  await runToEnd(second);
  expect(second.reports).toEqual([]);
  return { harness, account, engine: second.engine };
}

const WRITES = (await runWithCrash(Infinity)).harness.crashPoints();

describe("two turns and their review, after a crash", () => {
  it.each(Array.from({ length: WRITES }, (_, index) => index + 1))(
    "at write %i end as if nothing had happened, and are counted once",
    async (at) => {
      const { harness, account, engine } = await runWithCrash(at);
      const entries = must(engine.entries(0));
      const words = entries.filter(({ kind, parts }) => (kind === "user" || kind === "assistant") && parts.length > 0);
      expect(words.map(textOf)).toEqual(["a", "Answer to a.", "b", "Answer to b."]);
      expect(entries.filter((entry) => entry.kind === "assistant")).toHaveLength(4);
      expect(entries.filter((entry) => entry.kind === "notice" && entry.code === "learned")).toHaveLength(1);
      expect(new Set(harness.sent.map(({ review }) => review)).size).toBe(1);
      expect(harness.bucket.keys().filter((key) => key.endsWith("/job"))).toHaveLength(1);
      expect(harness.bucket.keys().filter((key) => key.includes("/active/"))).toHaveLength(1);
      const now = harness.clock.now();
      const report = account.report({ from: "2026-01-01", to: "2026-12-31", by: "kind", now });
      expect(report.lines.map(({ key, calls, tokens, usd }) => [key, calls, tokens, usd])).toEqual([
        ["review", 2, 100, 0.000009],
        ["turn", 4, 60, 0.000028],
      ]);
      const turns = [{ state: "done" }, { state: "done" }];
      const usage = { calls: 6, tokens: 160, usd: 0.000037 };
      expect(engine.detail()).toMatchObject({ state: "idle", turns, reviewing: [], usage });
      expect(account.reservations()).toEqual([]);
      expect(harness.sql.run("SELECT id FROM job")).toEqual([]);
    },
  );
});
