// Two turns and their review, under a daily budget, crash at every write of any port. The account and the session each count
// every call in the log and in the review once, and no reservation remains.
import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { createAccountDouble } from "../support/account-double.ts";
import { reviewResult } from "../support/skills/reviews.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { Crash, type SessionLife, PROFILE, createSessionHarness } from "../support/session/session-harness.ts";

const REVIEWED = {
  model: "m:reviewer",
  calls: 2,
  usage: { ...NO_USAGE, input: 100 },
  cost: { usdMicros: 9, source: "provider" as const },
};

async function runWithCrash(crashAt: number) {
  const model = createScriptedModel(
    Array.from({ length: 200 }, () => (request: { messages: { role: string }[] }) => {
      const isAnswered = request.messages.at(-1)?.role === "tool";
      const cost = { usdMicros: 7, source: "catalog" as const };
      return isAnswered ? { text: "Done.", cost } : { calls: [{ name: "skills_list" }], cost };
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
      for (const { review } of harness.sent) await reviews.finish({ ...reviewResult(review), spent: [REVIEWED] });
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

const WRITES = (await runWithCrash(Infinity)).harness.writes();

describe("two turns and their review, after a crash", () => {
  it.each(Array.from({ length: WRITES }, (_, index) => index + 1))("at write %i are counted once", async (at) => {
    const { harness, account, engine } = await runWithCrash(at);
    const entries = engine.entries(0);
    const answers = entries.ok ? entries.value.filter((entry) => entry.kind === "assistant").length : 0;
    expect(answers).toBe(4);
    const now = harness.clock.now();
    const report = account.report({ from: "2026-01-01", to: "2026-12-31", by: "kind", now });
    expect(report.lines.map(({ key, calls, tokens, usd }) => [key, calls, tokens, usd])).toEqual([
      ["review", 2, 100, 0.000009],
      ["turn", 4, 60, 0.000028],
    ]);
    expect(engine.detail()?.usage).toEqual({ calls: 6, tokens: 160, usd: 0.000037 });
    expect(account.reservations()).toEqual([]);
    expect(harness.sql.run("SELECT id FROM job")).toEqual([]);
  });
});
