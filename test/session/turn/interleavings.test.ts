// Races between two things: a stop and a waiting reader, a poll and a send, a store that fails and a client that keeps asking.
// Each title names what a person would see.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Model, Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { NO_USAGE, textOf } from "../../../core/schemas/entry.ts";
import type { Lesson, ReviewMessage } from "../../../core/schemas/learning/review.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { collect } from "../../support/session/collect-events.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { PROFILE } from "../../support/session/session-harness.ts";
import { createScriptedSession as setUp, must, ticks } from "../../support/session/scripted-session.ts";

describe("a reader", () => {
  it("of a queued turn sees it end if it is stopped before it begins", async () => {
    const { engine } = await setUp([{ text: "I was", until: new Promise(() => {}) }]);
    must(await engine.post({ text: "a" }));
    must(await engine.post({ text: "b" }));
    const waiting = collect(must(engine.events({ turn: 2 })));
    await ticks();
    must(await engine.stop());
    expect((await waiting).map(({ id, event }) => [id, event.type])).toEqual([
      ["4.0", "turn_start"],
      ["5.0", "notice_add"],
      ["5.22", "turn_end"],
    ]);
  });

  it("sees why a turn failed before its first word", async () => {
    const failure = { code: "auth", message: "The key is not accepted.", retryable: false };
    const { engine } = await setUp([{ failure }]);
    must(await engine.post({ text: "a" }));
    const seen = await collect(must(engine.events({ turn: 1 })));
    expect(seen.map(({ event }) => event.type)).toEqual(["turn_start", "entry_start", "notice_add", "turn_end"]);
    expect(seen[2]?.event).toMatchObject({ code: "auth", text: "The key is not accepted." });
  });

  it("that saw a failed turn to its end receives nothing more of it", async () => {
    const failure = { code: "auth", message: "The key is not accepted.", retryable: false };
    const { engine, life } = await setUp([{ text: "Half an", failure }]);
    must(await engine.post({ text: "a" }));
    await life.settled();
    const seen = await collect(must(engine.events({ turn: 1 })));
    expect(seen.at(-1)?.event.type).toBe("turn_end");
    expect(await collect(must(engine.events({ after: seen.at(-1)?.id })))).toEqual([]);
  });

  it("that names no turn receives the whole running turn, even if another input waits", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const { engine } = await setUp([{ text: "One.", until: promise }, { text: "Two." }]);
    must(await engine.post({ text: "a" }));
    await ticks();
    must(await engine.post({ text: "b" }));
    const reading = collect(must(engine.events({})));
    release();
    const answer = ["turn_start", "entry_start", "text_delta", "turn_end"];
    expect((await reading).map(({ event }) => event.type)).toEqual([...answer, ...answer]);
  });

  it("may join a running turn whose log is longer than a slow reader may lag", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const big: Tool = {
      name: "big",
      description: "Answers at length.",
      parameters: z.strictObject({}),
      effect: "read",
      run: async () => succeed({ done: true }, { content: { text: "x".repeat(100_000) } }),
    };
    const calls = Array.from({ length: 60 }, () => ({ name: "big" }));
    const { engine, model } = await setUp([{ calls }, { text: "Enough.", until: promise }], {
      tools: [big],
    });
    must(await engine.post({ text: "a" }));
    while (model.requests.length < 2) await ticks(10);
    const late = collect(must(engine.events({ turn: 1 })));
    await ticks();
    release();
    const events = await late;
    expect(events.filter(({ event }) => event.type === "tool_end")).toHaveLength(60);
    expect(events.at(-1)?.event).toMatchObject({ type: "turn_end", state: "done" });
  });

  it("has the stored text if a provider ends with another text than it streamed", async () => {
    const model: Model = {
      name: "fickle:1",
      contextWindow: 200_000,
      async *stream() {
        yield { type: "text_delta", text: "A long beginning that the end leaves out." };
        const answer = { text: "Short.", calls: [], stop: "end" as const, usage: NO_USAGE, model: "fickle:1" };
        yield { type: "done", answer };
      },
    };
    const { engine } = await setUp([], { model });
    must(await engine.post({ text: "a" }));
    const live = await Promise.race([collect(must(engine.events({ turn: 1 }))), ticks(2_000)]);
    expect(live?.map(({ event }) => event.type)).toEqual([
      "turn_start",
      "entry_start",
      "text_delta",
      "entry_restart",
      "entry_start",
      "text_delta",
      "turn_end",
    ]);
    expect(must(engine.entries(0)).map((entry) => [entry.n, entry.kind, textOf(entry)])).toEqual([
      [1, "user", "a"],
      [2, "notice", expect.any(String)],
      [3, "assistant", "Short."],
    ]);
  });
});

describe("a store that fails for five minutes", () => {
  it("delays a turn only by its wait, however many requests come", async () => {
    const { engine, life, bucket, clock, alarmAt } = await setUp([{ text: "Here." }]);
    const { get, getUnless, list } = bucket;
    const away = async () => Promise.reject(new Error("R2 is away"));
    Object.assign(bucket, { get: away, getUnless: away, list: away });
    must(await engine.post({ text: "a" }));
    await life.settled();
    const back = clock.now() + 5 * 60_000;
    while (clock.now() < back && alarmAt() !== null) {
      await life.wake();
      engine.detail();
      must(engine.entries(0));
      await life.settled();
    }
    expect(engine.detail()).toMatchObject({ state: "busy", turns: [{ state: "running" }] });
    await life.settled();
    Object.assign(bucket, { get, getUnless, list });
    for (let wakes = 0; alarmAt() !== null && wakes < 30; wakes++) await life.wake();
    expect(engine.detail()).toMatchObject({ state: "idle", turns: [{ state: "done" }] });
  });
});

describe("a reader that reconnects while a store fails", () => {
  it("reads once that its turn has begun", async () => {
    const { engine, life, bucket, alarmAt } = await setUp([{ text: "Here." }]);
    const { get, getUnless, list } = bucket;
    const away = async () => Promise.reject(new Error("R2 is away"));
    Object.assign(bucket, { get: away, getUnless: away, list: away });
    must(await engine.post({ text: "a" }));
    await life.settled();
    const late = collect(must(engine.events({ after: "1.0" })));
    Object.assign(bucket, { get, getUnless, list });
    for (let wakes = 0; alarmAt() !== null && wakes < 30; wakes++) await life.wake();
    expect((await late).map(({ event }) => event.type)).toEqual([
      "notice_add",
      "entry_start",
      "text_delta",
      "turn_end",
    ]);
  });
});

describe("an answer that no row can hold", () => {
  it("ends the turn with a notice, and is not paid for again", async () => {
    const text = Array.from({ length: 40 }, () => "x".repeat(50_000)).join(" ");
    const { engine, life, model } = await setUp([{ text }]);
    must(await engine.post({ text: "a" }));
    await life.settled();
    expect(life.reports).toEqual([]);
    expect(engine.detail()).toMatchObject({ state: "idle", turns: [{ state: "failed" }] });
    expect(must(engine.entries(0)).at(-1)).toMatchObject({ kind: "notice", code: "answer_too_large" });
    expect(model.requests).toHaveLength(1);
  });
});

describe("a review that ends while its message is sent again", () => {
  it("is reported once", async () => {
    const lesson: Lesson = {
      kind: "memory",
      store: "user",
      action: "add",
      id: "a".repeat(64),
      text: "x",
      citations: [],
    };
    let sends = 0;
    let during: (message: ReviewMessage) => Promise<void> = async () => {};
    const { engine, life, bucket } = await setUp([{ text: "One." }, { text: "Two." }], {
      settings: { review: { afterModelCalls: 0 } },
      onSend: async (message) => {
        sends += 1;
        if (sends === 2) await during(message);
      },
    });
    must(await engine.post({ text: "a" }));
    await life.settled();
    expect(engine.detail()?.reviewing).toHaveLength(1);
    during = async ({ review }) => {
      const result = { ...reviewResult(review, "done", "Learned: remembered 1 fact."), lessons: [lesson] };
      await createReviewStore({ bucket, profile: PROFILE }).finish(result);
      must(await engine.post({ text: "b" }));
      await collect(must(engine.events({ turn: 2 })));
    };
    while (sends < 2) await life.wake();
    for (let wakes = 0; wakes < 5; wakes++) await life.wake();
    expect(engine.detail()).toMatchObject({ reviewing: [], turns: [{ state: "done" }, { state: "done" }] });
    const learned = must(engine.entries(0)).filter((entry) => entry.kind === "notice" && entry.code === "learned");
    expect(learned.map(textOf)).toEqual(["Learned: remembered 1 fact."]);
  });
});

describe("an alarm", () => {
  it("does not end a turn whose model shows activity, even without events for long", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    let sayMore: (() => void) | undefined;
    const model: Model = {
      name: "slow:1",
      contextWindow: 200_000,
      async *stream(_request, _signal, noteActivity) {
        sayMore = noteActivity; // arguments of a call, which produce no event
        await promise;
        const answer = { text: "Long.", calls: [], stop: "end" as const, usage: NO_USAGE, model: "slow:1" };
        yield { type: "done", answer };
      },
    };
    const { engine, life, clock } = await setUp([], { model });
    must(await engine.post({ text: "a" }));
    await ticks();
    for (let half = 0; half < 40; half++) {
      clock.advance(30_000);
      sayMore!();
      await ticks(20);
      await engine.alarm();
    }
    release();
    await life.settled();
    expect(engine.detail()).toMatchObject({ turns: [{ state: "done" }] });
  });

  it("is handled at once, however long the outbox waits for an answer", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const failure = { code: "overloaded", message: "No room.", retry: true };
    const { engine, life, clock, alarmAt } = await setUp([{ text: "a" }, { failure }, { failure }, { text: "b" }], {
      account: { book: () => promise },
      settings: { turn: { modelRetries: 0 } },
    });
    for (const text of ["a", "b"]) {
      must(await engine.post({ text }));
      await ticks(2_000);
    }
    for (let wakes = 0; wakes < 8; wakes++) {
      clock.advance(Math.max(0, (alarmAt() ?? 0) - clock.now()));
      const handled = engine.alarm().then(() => "handled");
      expect(await Promise.race([handled, ticks(2_000)])).toBe("handled");
      await ticks(2_000);
    }
    expect(engine.detail()).toMatchObject({ turns: [{ state: "done" }, { state: "done" }] });
    release();
    await life.settled();
  });
});
