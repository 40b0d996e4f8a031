// What a program asks of one turn: what became of it, that this turn alone stops, and that a message joins it.
import { describe, expect, it } from "vitest";
import { call, createParkedSession } from "../../support/session/parked-session.ts";
import { createScriptedSession, done, must, ticks } from "../../support/session/scripted-session.ts";

const quiet = { learning: "off" as const, settings: { review: { enabled: false } } };

describe("a report of a turn", () => {
  it("has the answer once the turn has ended, and nothing of other turns", async () => {
    const session = await createScriptedSession([{ text: "One." }, { text: "Two." }], quiet);
    await session.say("first");
    await session.say("second");
    const report = must(session.engine.readTurn(1));
    expect(report).toMatchObject({ state: "done", reason: "answer", answer: "One.", notice: null });
    expect(report.stats.modelCalls).toBe(1);
    expect(session.engine.readTurn(3)).toMatchObject({ ok: false, failure: { code: "turn_not_found" } });
  });

  it("of a turn that waits has the question in words, and what it used so far", async () => {
    const session = await createParkedSession([call("rm a"), done]);
    await session.say("delete it");
    const report = must(session.engine.readTurn(1));
    expect(report).toMatchObject({ state: "parked", answer: null, waiting: { for: "approval" } });
    expect(report.waiting?.id).toBe(session.waiting()[0]!.id);
    expect(report.waiting?.text).toContain("rm a");
    expect(report.stats.modelCalls).toBe(1);
    await session.decide({ approve: true });
    expect(must(session.engine.readTurn(1))).toMatchObject({ state: "done", answer: "Done." });
  });
});

describe("stopping one turn", () => {
  it("ends a turn that waits for a person, and the turn behind it runs", async () => {
    const session = await createParkedSession([call("rm a"), { text: "Second." }]);
    await session.say("delete it");
    await session.engine.post({ text: "next", busy: "queue" });
    expect(must(await session.engine.stopTurn(1))).toMatchObject({ state: "stopped", reason: "stopped" });
    await session.life.settled();
    expect(must(session.engine.readTurn(2))).toMatchObject({ state: "done", answer: "Second." });
    expect(session.ran).toEqual([]);
  });

  it("of a turn in the queue leaves the running one alone, and the model never reads it", async () => {
    const session = await createScriptedSession([{ text: "First." }, { text: "Third." }], quiet);
    const { engine, model, life } = session;
    const first = engine.post({ text: "first" });
    await engine.post({ text: "never run this", busy: "queue" });
    await engine.post({ text: "third", busy: "queue" });
    expect(must(await engine.stopTurn(2))).toMatchObject({ state: "stopped" });
    await first;
    await life.settled();
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["done", "stopped", "done"]);
    expect(must(engine.readTurn(3))).toMatchObject({ answer: "Third." });
    expect(model.requests).toHaveLength(2);
  });

  it("of an ended turn changes nothing", async () => {
    const session = await createScriptedSession([{ text: "One." }], quiet);
    await session.say("first");
    const entries = session.entries();
    expect(must(await session.engine.stopTurn(1))).toMatchObject({ state: "done", answer: "One." });
    expect(session.entries()).toEqual(entries);
  });
});

describe("a message for one turn", () => {
  it("is refused once that turn has ended", async () => {
    const session = await createScriptedSession([{ text: "One." }], quiet);
    await session.say("first");
    await ticks();
    const late = await session.engine.post({ text: "and this", busy: "steer", joins: 1 });
    expect(late).toMatchObject({ ok: false, failure: { code: "turn_not_running" } });
    expect(session.engine.detail()!.turns).toHaveLength(1);
  });

  it("joins the turn while it waits", async () => {
    const session = await createParkedSession([call("rm a"), done]);
    await session.say("delete it");
    expect(await session.engine.post({ text: "only a", busy: "steer", joins: 1 })).toMatchObject({ ok: true });
    await session.decide({ approve: true });
    expect(session.engine.detail()!.turns.map(({ state, into }) => [state, into])).toEqual([
      ["done", undefined],
      ["steered", 1],
    ]);
  });
});
