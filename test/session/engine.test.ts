import { describe, expect, it } from "vitest";
import type { Message } from "../../core/agent/contract.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { textOf } from "../../core/schemas/entry.ts";
import { collect } from "../support/session/collect-events.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { SESSION, createSessionHarness } from "../support/session/session-harness.ts";
import { createScriptedSession as setUp, must, ticks } from "../support/session/scripted-session.ts";

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };

describe("a session", () => {
  it("streams a turn as events with ids, from its start to its end", async () => {
    const { engine } = await setUp([{ text: "Hello there." }]);
    const accepted = must(await engine.post({ text: "Hi" }));
    expect(accepted).toEqual({
      session: SESSION,
      turn: `${SESSION}-1`,
      entry: 1,
      replayed: false,
      events: `/v1/sessions/${SESSION}/events?turn=1`,
    });
    expect(await collect(must(engine.events({ turn: 1 })))).toEqual([
      { id: "1.0", event: { type: "turn_start", turn: 1, entry: 1 } },
      { id: "2.0", event: { type: "entry_start", turn: 1, entry: 2 } },
      { id: "2.6", event: { type: "text_delta", entry: 2, offset: 0, text: "Hello " } },
      { id: "2.12", event: { type: "text_delta", entry: 2, offset: 6, text: "there." } },
      {
        id: "2.13",
        event: {
          type: "turn_end",
          turn: 1,
          entry: 2,
          state: "done",
          reason: "answer",
          stats: { modelCalls: 1, toolCalls: 0, failedCalls: 0, usage },
        },
      },
    ]);
  });

  it("resumes the stream of a settled turn from any offset, and sends the rest exactly once", async () => {
    const { engine, life } = await setUp([{ text: "One two three." }]);
    must(await engine.post({ text: "Count" }));
    await life.settled();
    const all = "One two three.";
    for (let offset = 0; offset <= all.length; offset++) {
      const events = await collect(must(engine.events({ after: `2.${offset}` })));
      const text = events.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("");
      expect(text).toBe(all.slice(offset));
      expect(events.at(-1)?.event.type).toBe("turn_end");
    }
    expect(await collect(must(engine.events({ after: "2.15" })))).toEqual([]);
    expect(engine.events({ after: "x" })).toMatchObject({ ok: false, failure: { code: "bad_event_id" } });
  });

  it("lets a reader join in the middle of an answer without losing or repeating a character", async () => {
    let release = () => {};
    const until = new Promise<void>((done) => (release = done));
    const { engine } = await setUp([{ text: "The long answer", until }]);
    must(await engine.post({ text: "Go" }));
    await ticks(200);
    const late = collect(must(engine.events({ after: "2.4" })));
    release();
    const events = await late;
    expect(events.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("")).toBe("long answer");
    expect(events.at(-1)?.event.type).toBe("turn_end");
  });

  it("accepts a message once per idempotency key, and refuses the key with another body", async () => {
    const { engine, life, model } = await setUp([{ text: "Once." }]);
    const first = must(await engine.post({ text: "Do it", key: "k1" }));
    await life.settled();
    expect(must(await engine.post({ text: "Do it", key: "k1" }))).toEqual({ ...first, replayed: true });
    expect(await engine.post({ text: "Do that", key: "k1" })).toMatchObject({
      failure: { code: "idempotency_conflict" },
    });
    expect(model.requests).toHaveLength(1);
  });

  it("treats the same text with another `busy` under the same idempotency key as another body", async () => {
    const { engine, life } = await setUp([{ text: "Once." }, { text: "Twice." }]);
    const first = must(await engine.post({ text: "Do it", busy: "steer", key: "k1" }));
    expect(must(await engine.post({ text: "Do it", busy: "steer", key: "k1" }))).toMatchObject({ turn: first.turn });
    for (const busy of ["queue", "interrupt", undefined] as const) {
      const again = await engine.post({ text: "Do it", key: "k1", ...(busy && { busy }) });
      expect(again).toMatchObject({ failure: { code: "idempotency_conflict" } });
    }
    const plain = must(await engine.post({ text: "Do it", key: "k2" }));
    expect(must(await engine.post({ text: "Do it", key: "k2" }))).toMatchObject({ turn: plain.turn, replayed: true });
    await life.settled();
    expect(engine.detail()!.turns).toHaveLength(2);
  });

  it("recognises a key stored by an earlier version, which hashed the text alone", async () => {
    const { engine, life, sql } = await setUp([{ text: "Once." }]);
    const first = must(await engine.post({ text: "Do it", busy: "queue", key: "k1" }));
    await life.settled();
    sql.run("UPDATE input_key SET hash = ?", sha256Hex("Do it"));
    const again = must(await engine.post({ text: "Do it", busy: "queue", key: "k1" }));
    expect(again).toMatchObject({ turn: first.turn, replayed: true });
    expect(await engine.post({ text: "Do that", key: "k1" })).toMatchObject({ ok: false });
  });

  it("queues a second message and answers both in order", async () => {
    const { engine, life, model } = await setUp([{ text: "First." }, { text: "Second." }]);
    const [one, two] = await Promise.all([engine.post({ text: "a" }), engine.post({ text: "b" })]);
    expect([must(one).entry, must(two).entry]).toEqual([1, null]);
    const events = await collect(must(engine.events({ turn: 2 })));
    expect(events[0]).toEqual({ id: "3.0", event: { type: "turn_start", turn: 2, entry: 3 } });
    expect(events.at(-1)?.event).toMatchObject({ type: "turn_end", turn: 2, state: "done" });
    await life.settled();
    expect(must(engine.entries(0)).map((entry) => [entry.turn, entry.kind, textOf(entry)])).toEqual([
      [1, "user", "a"],
      [1, "assistant", "First."],
      [2, "user", "b"],
      [2, "assistant", "Second."],
    ]);
    expect(model.requests[1]?.messages).toEqual<Message[]>([
      { role: "user", text: "a", entry: 1 },
      { role: "assistant", text: "First.", calls: [], native: undefined, entry: 2 },
      { role: "user", text: "b", entry: 3 },
    ]);
  });

  it("refuses a message longer than the operator's limit, and accepts one of exactly that length", async () => {
    const { engine, life } = await setUp([{ text: "Long." }]);
    expect(await engine.post({ text: "x".repeat(100_001) })).toMatchObject({ failure: { code: "message_too_long" } });
    must(await engine.post({ text: "x".repeat(100_000) }));
    await life.settled();
    expect(engine.detail()?.turns).toMatchObject([{ n: 1, state: "done" }]);
  });

  it("refuses a message when the queue is full", async () => {
    const { engine } = await setUp([{ text: "x", until: new Promise(() => {}) }], {
      settings: { turn: { maxQueuedTurns: 2 } },
    });
    must(await engine.post({ text: "a" }));
    must(await engine.post({ text: "b" }));
    expect(await engine.post({ text: "c" })).toMatchObject({ ok: false, failure: { code: "too_many_queued" } });
  });

  it("stops the running turn and the queued ones, and keeps the part of the answer that readers saw", async () => {
    const { engine, life } = await setUp([{ text: "I was about", until: new Promise(() => {}) }, { text: "Next." }]);
    must(await engine.post({ text: "a" }));
    must(await engine.post({ text: "b" }));
    await ticks(200);
    expect(must(await engine.stop())).toEqual({ stopped: [`${SESSION}-1`, `${SESSION}-2`] });
    await life.settled();
    expect(engine.detail()).toMatchObject({
      state: "idle",
      turns: [
        { state: "stopped", final: 3 },
        { state: "stopped", final: 5 },
      ],
    });
    expect(must(engine.entries(0)).map((entry) => [entry.kind, textOf(entry)])).toEqual([
      ["user", "a"],
      ["assistant", "I was about"],
      ["notice", "The turn was stopped."],
      ["user", "b"],
      ["notice", "The turn was stopped."],
    ]);
    must(await engine.post({ text: "c" }));
    await life.settled();
    expect(engine.detail()?.turns.at(-1)).toMatchObject({ state: "done" });
  });

  it("ends a turn with a notice if the model fails permanently, and answers the next turn", async () => {
    const failure = { code: "auth", message: "The key is not accepted.", retryable: false };
    const { engine, life } = await setUp([{ text: "Half an", failure }, { text: "Fine." }]);
    must(await engine.post({ text: "a" }));
    await life.settled();
    expect(engine.detail()?.turns[0]).toMatchObject({ state: "failed", final: 3 });
    expect(must(engine.entries(1)).map((entry) => [entry.kind, textOf(entry)])).toEqual([
      ["assistant", "Half an"],
      ["notice", "The key is not accepted."],
    ]);
    must(await engine.post({ text: "b" }));
    await life.settled();
    expect(engine.detail()?.turns[1]).toMatchObject({ state: "done" });
  });

  it("tells readers to drop an answer that broke off, and gives the repeated one a new entry number", async () => {
    const { engine } = await setUp([{ text: "Wrong start", cut: true }, { text: "Right." }]);
    must(await engine.post({ text: "a" }));
    const events = await collect(must(engine.events({ turn: 1 })));
    expect(events.map(({ id, event }) => [id, event.type])).toEqual([
      ["1.0", "turn_start"],
      ["2.0", "entry_start"],
      ["2.6", "text_delta"],
      ["2.11", "text_delta"],
      ["2.12", "entry_restart"],
      ["3.0", "entry_start"],
      ["3.6", "text_delta"],
      ["3.7", "turn_end"],
    ]);
    const returned = await collect(must(engine.events({ after: "2.6" })));
    expect(returned.map(({ id, event }) => [id, event.type])).toEqual([
      ["2.7", "entry_restart"],
      ["3.0", "entry_start"],
      ["3.6", "text_delta"],
      ["3.7", "turn_end"],
    ]);
  });

  it("sends the same prompt on every call of an epoch, and a new prompt once the provider's cache has expired", async () => {
    const { engine, life, model, clock } = await setUp([{ text: "1" }, { text: "2" }, { text: "3" }]);
    for (const wait of [0, 60_000, 600_000]) {
      clock.advance(wait);
      must(await engine.post({ text: "again" }));
      await life.settled();
    }
    clock.advance(24 * 3_600_000);
    must(await engine.post({ text: "tomorrow" }));
    await life.settled();
    const [first, second, third, fourth] = model.requests.map((request) => request.system);
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(fourth).not.toBe(first);
    expect(fourth).toContain("Today is 2026-01-06 (UTC).");
  });

  it("offers no learned skill, no memory and no tool to save either if learning is off", async () => {
    const { engine, life, model } = await setUp([{ text: "Yes." }], { learning: "off" });
    must(await engine.post({ text: "Hi" }));
    await life.settled();
    const names = model.requests[0]?.tools.map((tool) => tool.name);
    expect(names).toContain("skill_view");
    expect(names).not.toContain("skill_manage");
    expect(names).not.toContain("memory");
  });

  it("clears its alarm if nothing is left to do", async () => {
    const { engine, life, alarmAt } = await setUp([{ text: "Done." }]);
    must(await engine.post({ text: "Hi" }));
    expect(alarmAt()).not.toBeNull();
    await life.settled();
    await life.wake();
    expect(alarmAt()).toBeNull();
  });

  it("reports a session that was never created as unknown, and creates no table for it", () => {
    const harness = createSessionHarness({ model: createScriptedModel([]) });
    const { engine } = harness.boot();
    expect(engine.detail()).toBeNull();
    expect(engine.events({})).toMatchObject({ failure: { code: "session_not_found" } });
    expect(engine.listFiles()).toMatchObject({ failure: { code: "session_not_found" } });
    expect(harness.sql.run("SELECT name FROM sqlite_master")).toEqual([]);
  });
});
