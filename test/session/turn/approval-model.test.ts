// The approval model decides first: what it costs, what becomes of its failures, and what readers see of it.
import { describe, expect, it } from "vitest";
import { collect } from "../../support/session/collect-events.ts";
import { call, createParkedSession as setUp } from "../../support/session/parked-session.ts";
import { must, ticks } from "../../support/session/scripted-session.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";

describe("the approval model", () => {
  const judged = (text: string): ScriptLine => ({ text, cost: { usdMicros: 7, source: "catalog" } });
  const deny = judged('{"decision":"deny","reason":"No."}');
  const doubt = judged('{"decision":"ask","reason":"Unclear."}');
  const SMART = { approvals: { mode: "smart" as const } };

  async function withJudge(said: ScriptLine[], script: ScriptLine[], settings = {}) {
    const judge = createScriptedModel(said, { name: "scripted:judge" });
    const session = await setUp(script, { settings: { ...SMART, ...settings }, models: { approval: [judge] } });
    const lines = () => session.booked.flatMap((booking) => booking.lines.filter(({ kind }) => kind === "approval"));
    return { ...session, judge, lines };
  }
  const line = (calls: number) => ({ kind: "approval", model: "scripted:judge", calls, usdMicros: 7 * calls });

  it.each([
    ["a refusal", deny],
    ["a doubt", doubt],
    ["an answer that failed and was charged", { failure: { code: "broken", spent: toSpent() } }],
  ])("is booked and counted after %s", async (_what, said) => {
    const { say, turn, lines, waiting, decide, engine } = await withJudge([said], [call("rm a"), { text: "Done." }]);
    await say("Go.");
    if (waiting().length > 0) await decide({ approve: true });
    expect(turn().state).toBe("done");
    expect(lines()).toMatchObject([line(1)]);
    expect(turn().stats).toMatchObject({ usdMicros: 7, usage: { input: 30, output: 15 } });
    expect(engine.detail()!.usage).toMatchObject({ calls: 3, tokens: 45 });
  });

  it("is booked once when a stop or an interrupting message ends the turn meanwhile", async () => {
    for (const end of ["stop", "interrupt"]) {
      const release = Promise.withResolvers<void>();
      const script = [call("rm a"), { text: "Hello." }];
      const said = { ...(doubt as object), until: release.promise };
      const { engine, life, turn, lines, waiting, judge } = await withJudge([said], script);
      const { stream } = judge;
      judge.stream = (request) => stream(request, new AbortController().signal); // its answer is complete all the same
      must(await engine.post({ text: "Go." }));
      await ticks();
      if (end === "stop") await engine.stop();
      else await engine.post({ text: "Forget it.", busy: "interrupt" });
      release.resolve();
      await life.settled();
      await life.wake();
      expect([end, turn(1).state, waiting()]).toEqual([end, "stopped", []]);
      expect(lines()).toMatchObject([line(1)]);
    }
  });

  it("is not asked when the turn's budget is spent: the person is", async () => {
    const settings = { turn: { maxTokens: 15 } };
    const { say, judge, waiting } = await withJudge([deny], [call("rm a")], settings);
    await say("Go.");
    expect([judge.requests.length, waiting().length]).toEqual([0, 1]);
  });

  it("counts in the turn's budget, which then ends the turn", async () => {
    const settings = { turn: { maxTokens: 30 } };
    const { say, turn } = await withJudge([deny], [call("rm a"), { text: "Done." }], settings);
    await say("Go.");
    expect(turn()).toMatchObject({ reason: "turn_budget_spent" });
  });

  it.each([
    ["fails", { failure: { code: "overloaded", retry: true } }],
    ["is cut off", { cut: true }],
    ["says two things", { text: '{"decision":"deny","decision":"approve"}' }],
    ["asks for a tool", { calls: [{ name: "run", args: { command: "rm a" } }] }],
  ] satisfies [string, ScriptLine][])("that %s leaves the decision to the person", async (_what, said) => {
    const { say, ran, waiting, judge } = await withJudge([said], [call("rm a")]);
    await say("Go.");
    expect([ran, waiting().length, judge.requests.length]).toEqual([[], 1, 1]);
  });

  it("tells readers of its decision while the turn runs", async () => {
    const { engine, life } = await withJudge([deny], [call("rm a"), { text: "Done." }]);
    const posted = must(await engine.postAndRead({ text: "Go." }));
    const read = collect(posted.events);
    await life.settled();
    const notices = (await read).flatMap(({ event }) => (event.type === "notice_add" ? [event.code] : []));
    expect(notices).toEqual(["approval_judged"]);
  });
});

function toSpent() {
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
  return { model: "scripted:judge", usage, cost: { usdMicros: 7, source: "catalog" as const } };
}
