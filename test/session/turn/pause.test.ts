// Planned waits: no model works now, so the turn leaves the isolate and resumes by alarm.
import { describe, expect, it } from "vitest";
import type { ModelFailure } from "../../../core/agent/contract.ts";
import type { Learning } from "../../../core/schemas/api.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { collect } from "../../support/session/collect-events.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { type ScriptLine } from "../../support/wires/scripted-model.ts";
import { type HarnessOptions, PROFILE } from "../../support/session/session-harness.ts";
import { createScriptedSession, must, ticks } from "../../support/session/scripted-session.ts";

const busy = {
  code: "overloaded",
  message: "The provider has no capacity now.",
  retry: true,
  compact: false,
  rotateKey: false,
  fallBack: true,
} satisfies ModelFailure;

const turn = { modelRetries: 0, inlineWaitMs: 1_000, pausesMs: [10_000, 20_000], maxPauseMs: 600_000 };

const setUp = (script: ScriptLine[], settings: HarnessOptions["settings"] = {}, learning: Learning = "off") =>
  createScriptedSession(script, {
    learning,
    settings: { review: { afterModelCalls: 0 }, ...settings, turn: { ...turn, ...settings.turn } },
  });

describe("a turn whose models fail temporarily", () => {
  it("leaves the isolate, and resumes by alarm without counting an attempt", async () => {
    const { engine, life, clock, alarmAt, model } = await setUp([{ failure: busy }, { text: "Here I am." }]);
    const posted = clock.now();
    must(await engine.post({ text: "Hello?" }));
    await life.settled();
    expect(engine.detail()!.turns[0]).toMatchObject({ state: "running", attempts: 1, pausedUntil: alarmAt() });
    expect(alarmAt()! - posted).toBeGreaterThanOrEqual(10_000);
    expect(model.requests).toHaveLength(1);
    await life.wake();
    expect(engine.detail()!.turns[0]).toMatchObject({ state: "done", attempts: 1 });
    expect(engine.detail()!.turns[0]).not.toHaveProperty("pausedUntil");
  });

  it("waits as long as the provider asks", async () => {
    const { engine, life, clock, alarmAt } = await setUp([
      { failure: { ...busy, retryAfterMs: 120_000 } },
      { text: "x" },
    ]);
    must(await engine.post({ text: "Hello?" }));
    await life.settled();
    expect(alarmAt()! - clock.now()).toBeGreaterThanOrEqual(120_000);
    await life.wake();
    expect(engine.detail()!.turns[0]).toMatchObject({ state: "done" });
  });

  it("does not wait longer than an operator allows", async () => {
    const { engine, life } = await setUp([{ failure: { ...busy, retryAfterMs: 700_000 } }]);
    must(await engine.post({ text: "Hello?" }));
    await life.settled();
    expect(engine.detail()!.turns[0]).toMatchObject({ state: "failed" });
    expect(must(engine.entries(0)).at(-1)).toMatchObject({ kind: "notice", code: "overloaded" });
  });

  it("fails with the failure when all its waits are spent", async () => {
    const { engine, life, alarmAt } = await setUp([{ failure: busy }, { failure: busy }, { failure: busy }]);
    must(await engine.post({ text: "Hello?" }));
    await life.settled();
    await life.wake();
    await life.wake();
    expect(engine.detail()!.turns[0]).toMatchObject({ state: "failed" });
    const codes = must(engine.entries(0)).flatMap((entry) => (entry.kind === "notice" ? [entry.code] : []));
    expect(codes.filter((code) => code === "paused")).toHaveLength(2);
    expect(codes.at(-1)).toBe("overloaded");
    await life.wake();
    expect(alarmAt()).toBeNull();
  });

  it("has all its waits again after progress", async () => {
    const look = { calls: [{ name: "read_file", args: { path: "a" } }] };
    const { engine, life } = await setUp([
      { failure: busy },
      { failure: busy },
      look,
      { failure: busy },
      { text: "x" },
    ]);
    must(await engine.post({ text: "Hello?" }));
    await life.settled();
    for (let wakes = 0; wakes < 3; wakes++) await life.wake();
    expect(engine.detail()!.turns[0]).toMatchObject({ state: "done" });
  });

  it("is not driven earlier by reads or posts", async () => {
    const { engine, life, model } = await setUp([{ failure: busy }, { text: "One." }, { text: "Two." }]);
    must(await engine.post({ text: "One?" }));
    await life.settled();
    engine.detail();
    must(await engine.post({ text: "Two?" }));
    await life.settled();
    expect(model.requests).toHaveLength(1);
    await life.wake();
    await life.settled();
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["done", "done"]);
  });

  it("counts no attempt if its object died while it waited", async () => {
    const { engine, life, boot } = await setUp([{ failure: busy }, { text: "Here." }]);
    must(await engine.post({ text: "Hello?" }));
    await life.settled();
    life.kill();
    const next = boot();
    await next.wake();
    expect(next.engine.detail()!.turns[0]).toMatchObject({ state: "done", attempts: 1 });
  });

  it("can be stopped, and redirected, while it waits", async () => {
    const { engine, life } = await setUp([{ failure: busy }, { failure: busy }, { text: "Two." }]);
    must(await engine.post({ text: "One?" }));
    await life.settled();
    expect(must(await engine.stop()).stopped).toHaveLength(1);
    must(await engine.post({ text: "One again?" }));
    await life.settled();
    must(await engine.post({ text: "Two?", busy: "interrupt" }));
    await life.settled();
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["stopped", "stopped", "done"]);
  });

  it("does not begin to wait if the person interrupted during the call", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const { engine, life } = await setUp([{ until: promise, failure: busy }, { text: "Two." }]);
    must(await engine.post({ text: "One?" }));
    await ticks();
    must(await engine.post({ text: "Two?", busy: "interrupt" }));
    release();
    await life.settled();
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["stopped", "done"]);
  });

  it("does not count as time without progress", async () => {
    const never = new Promise(() => {});
    const { engine, life, boot } = await setUp(
      [
        { text: "Half", until: never },
        { failure: { ...busy, retryAfterMs: 50_000 } },
        { text: "Half", until: never },
        { text: "Whole." },
      ],
      { turn: { noProgressMs: 40_000 } },
    );
    must(await engine.post({ text: "Hello?" }));
    await ticks();
    life.kill();
    const second = boot();
    await second.wake(); // resumes the turn, and has to wait
    void second.wake();
    await ticks();
    second.kill();
    const third = boot();
    await third.wake();
    expect(third.engine.detail()!.turns[0]).toMatchObject({ state: "done", attempts: 3 });
  });

  it("reports a review that ends meanwhile, and does not wake earlier for it", async () => {
    const script = [{ text: "One." }, { failure: { ...busy, retryAfterMs: 600_000 } }, { text: "Two." }];
    const { engine, life, sent, bucket } = await setUp(script, {}, "on");
    must(await engine.post({ text: "One?" }));
    await life.settled();
    must(await engine.post({ text: "Two?" }));
    await life.settled();
    const reviews = createReviewStore({ bucket, profile: PROFILE });
    await reviews.finish(reviewResult(sent[0]!.review));
    let wakes = 0;
    for (; engine.detail()!.state === "busy" && wakes < 50; wakes++) await life.wake();
    expect(wakes).toBeLessThan(6);
  });

  it("makes a reader drop the broken answer, and sends the wait and the rest once each", async () => {
    const { engine, life } = await setUp([{ text: "Half an", failure: busy }, { text: "Whole." }]);
    must(await engine.post({ text: "Hello?" }));
    const reading = collect(must(engine.events({ turn: 1 })));
    await life.settled();
    await life.wake();
    const events = await reading;
    let shown = "";
    for (const { event } of events) {
      if (event.type === "entry_restart") shown = "";
      if (event.type === "text_delta") shown += event.text;
    }
    expect(shown).toBe("Whole.");
    expect(events.filter(({ event }) => event.type === "notice_add")).toHaveLength(1);
    const again = await collect(must(engine.events({ turn: 1 })));
    expect(again.at(-1)).toEqual(events.at(-1));
  });
});
