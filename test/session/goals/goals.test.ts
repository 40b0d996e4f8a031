// A session that works at a goal: the judge after each turn, checks, waits, and that a person goes first. A crash anywhere posts no
// continuation twice and loses none.
import { describe, expect, test } from "vitest";
import { textOf } from "../../../core/schemas/entry.ts";
import type { RunChecks } from "../../../core/skills/checks.ts";
import { CONTINUE, DONE, createGoalWorld } from "../../support/session/goal-world.ts";
import { must } from "../../support/session/scripted-session.ts";
import { Crash, SESSION, type SessionLife } from "../../support/session/session-harness.ts";
import { isTried } from "../../support/thorough.ts";

const FROM = { chat: "c1", message: "7" };
const setUp = createGoalWorld;

describe("a session with a goal", () => {
  test("goes on until the judge says that it is reached, and tells the chat each answer and the end", async () => {
    const world = setUp([CONTINUE, DONE]);
    await world.say("/goal Make it whole.\nverification: the tests pass", { channel: FROM });
    expect(world.inputs()).toEqual([
      "/goal Make it whole.",
      "Work on this goal until it is reached.",
      "Go on with the goal.",
    ]);
    expect(world.goal()).toMatchObject({ state: "done", reason: "It is shown.", turns: 2 });
    await world.life().wake();
    expect(world.told.map(({ kind, text, origin }) => [kind, text.split("\n")[0], origin.chat])).toEqual([
      ["notice", "Set. The goal is active: 0 of 20 turns.", "c1"],
      ["answer", "I worked.", "c1"],
      ["answer", "I worked.", "c1"],
      ["notice", "The goal is done: 2 of 20 turns. It is shown.", "c1"],
    ]);
    expect(world.rows()).toEqual([]);
  });

  test("asks the judge with the goal and the end of the answer, and books the call", async () => {
    const world = setUp([DONE]);
    await world.say("/goal Make it whole.\nverification: the tests pass");
    expect(world.judge.requests).toMatchObject([{ tools: [], toolChoice: "none", cacheKey: `${SESSION}:goal` }]);
    expect(world.judge.requests[0]!.messages[0]).toMatchObject({
      text: "<request>\nMake it whole.\nVerification: the tests pass\n</request>\n\n<answer>\nI worked.\n</answer>",
    });
    const lines = world.harness.booked.flatMap((booking) => booking.lines);
    expect(lines.filter(({ kind }) => kind === "goal")).toMatchObject([{ calls: 1 }]);
  });

  test("keeps the words of the judge apart from the person's", async () => {
    const world = setUp([{ text: '{"verdict":"continue","reason":"<content>Remember: x"}' }, DONE]);
    await world.say("/goal Make it whole.");
    const entries = must(world.life().engine.entries(0));
    const [, , again] = entries.filter(({ kind }) => kind === "user");
    expect(again).toMatchObject({ goal: { serial: 2 }, parts: [{ source: "principal" }, { source: "content" }] });
    expect(again!.parts[0]!.text).not.toContain("Remember");
  });

  test("pauses after three answers without a verdict, and after five judges that do not answer", async () => {
    const garbage = setUp(Array.from({ length: 9 }, () => ({ text: "All fine, I think." })));
    await garbage.say("/goal Make it whole.");
    expect(garbage.goal()).toMatchObject({ state: "paused", turns: 3 });
    expect(garbage.notices().at(-1)).toBe(
      "The goal is paused: 3 of 20 turns. The judge gave no verdict 3 times in a row.",
    );
    const out = setUp(Array.from({ length: 9 }, () => ({ failure: { code: "auth_failed", retry: false } })));
    await out.say("/goal Make it whole.");
    expect(out.goal()).toMatchObject({ state: "paused", turns: 5 });
    expect(out.notices().at(-1)).toBe(
      "The goal is paused: 5 of 20 turns. The judge could not be asked 5 times in a row.",
    );
    expect(out.rows()).toEqual([]);
  });

  test("lets a person's message go first, whose turn is judged in place of the other", async () => {
    const world = setUp([DONE]);
    const taken = world.port.newest;
    let isAsked = false;
    world.port.newest = async () => {
      const goal = await taken();
      // While the first turn waits for its judge, a person writes.
      if (!isAsked && goal && must(world.life().engine.entries(0)).some(({ kind }) => kind === "assistant")) {
        isAsked = true;
        await world.life().engine.post({ text: "Wait, do this first." });
      }
      return goal;
    };
    await world.say("/goal Make it whole.");
    expect(world.inputs()).toEqual([
      "/goal Make it whole.",
      "Work on this goal until it is reached.",
      "Wait, do this first.",
    ]);
    expect(world.goal()).toMatchObject({ state: "done", turns: 1 });
  });

  test("costs nothing while it waits, and goes on when the time has come", async () => {
    const world = setUp([{ text: '{"verdict":"wait","reason":"CI runs.","seconds":600}' }, DONE]);
    await world.say("/goal Make it whole.");
    await world.life().wake(); // the alarm of the last lease
    const { calls } = world.desk.state;
    const written = world.harness.sql.run("SELECT * FROM job");
    expect(world.harness.alarmAt()).toBe(world.clock.now() + 600_000);
    world.clock.advance(599_000);
    expect(world.harness.sql.run("SELECT * FROM job")).toEqual(written);
    expect(world.desk.state.calls).toBe(calls);
    world.clock.advance(1_000);
    await world.life().wake();
    await world.life().settled();
    expect(world.goal()).toMatchObject({ state: "done" });
  });

  test("is paused when a person stops the turn, and goes on by /goal resume", async () => {
    const world = setUp([DONE]);
    const { send } = { send: world.life().engine };
    await send.create({ learning: "on", title: "t" });
    await send.post({ text: "/goal Make it whole." });
    for (let i = 0; i < 200 && !world.inputs().includes("Work on this goal until it is reached."); i++)
      await Promise.resolve();
    await send.stop();
    await world.life().settled();
    expect(world.goal()).toMatchObject({ state: "paused", reason: "A person stopped the turn." });
    await world.say("/goal resume");
    expect(world.goal()).toMatchObject({ state: "done" });
  });

  test("does not believe that it is done while a check fails, and reads the end of what the check printed", async () => {
    const results = [1, 0];
    const shell: RunChecks["shell"] = async () => {
      const exitCode = results.shift()!;
      return { exitCode, stdout: `${"x".repeat(5_000)}1 test failed`, stderr: "", stopped: null };
    };
    const runChecks: RunChecks = Object.assign(async () => [], { shell });
    const world = setUp([DONE, DONE], { runChecks });
    await world.say("/goal Make it whole.\ncheck: npm test");
    const [, , again] = must(world.life().engine.entries(0)).filter(({ kind }) => kind === "user");
    const tail = again!.parts.at(-1)!;
    expect(tail.source).toBe("content");
    expect(tail.text).toContain("1 test failed\n[exit code 1 instead of 0]");
    expect(tail.text.length).toBeLessThan(3_300);
    expect(world.goal()).toMatchObject({ state: "done", turns: 2 });
  });

  test("goes on when the Agenda answers again", async () => {
    const world = setUp([DONE]);
    const { takeVerdict } = world.port;
    world.port.takeVerdict = async () => {
      throw new Error("the agenda does not answer");
    };
    await world.say("/goal Make it whole.");
    expect([world.goal()?.state, world.rows()]).toEqual(["active", ["goal"]]);
    world.port.takeVerdict = takeVerdict;
    world.clock.advance(60_000);
    await world.life().wake();
    expect([world.goal()?.state, world.judge.requests.length]).toEqual(["done", 1]);
  });

  test("pays no row and no request without one", async () => {
    const world = setUp([]);
    await world.say("hi");
    expect([world.desk.state.calls, world.judge.requests.length, world.rows()]).toEqual([0, 0, []]);
    expect(must(world.life().engine.entries(0)).some((entry) => "goal" in entry)).toBe(false);
  });
});

describe("the commands", () => {
  test("show, wait, resume, name subgoals and clear", async () => {
    const world = setUp([{ text: '{"verdict":"blocked","reason":"A key is missing."}' }]);
    const words = async (text: string) => {
      await world.say(text);
      return textOf(must(world.life().engine.entries(0)).at(-1)!);
    };
    expect(await words("/goal")).toBe("This session has no goal. /goal TEXT sets one.");
    expect(await words("/goal draft Do it.\noutcome: done")).toContain(
      "Not set. This is how it would be read:\n\nDo it.\nOutcome: done",
    );
    expect(await words("/goal help")).toContain("/goal TEXT, draft TEXT, show,");
    expect(await words("/goal pasue")).toContain("'pasue' is one word: say in a sentence what is to be reached.");
    expect(await words("/goal")).toBe("This session has no goal. /goal TEXT sets one.");
    await words("/goal Do it.");
    expect(await words("/goal status")).toBe("The goal is blocked: 1 of 20 turns. A key is missing.");
    expect(await words("/goal Another.")).toBe(
      "This session has a goal that is blocked. Clear it first, or resume it.",
    );
    expect(await words("/subgoal Write a test")).toBe("1. Write a test");
    expect(await words("/subgoal help")).toBe("/subgoal TEXT, list, remove N, clear.");
    expect(await words("/subgoal remove 2")).toBe("There is no subgoal 2. 1. Write a test");
    expect(await words("/goal show")).toContain("Do it.\nSubgoals:\n1. Write a test");
    expect(await words("/subgoal clear")).toBe("The goal has no subgoals.");
    expect(await words("/goal wait 5")).toContain("The goal is blocked. Only an active goal can wait.");
    expect(await words("/goal clear")).toBe("The goal is cleared: 1 of 20 turns. A person cleared it.");
  });
});

async function runWithCrash(at: number) {
  const world = setUp([CONTINUE, ...Array.from({ length: 60 }, () => DONE)]);
  let moments = 0;
  world.cut(() => ++moments === at);
  const key = { key: "k" };
  const run = async (life: SessionLife) => {
    await life.engine.create({ learning: "on", title: "t" });
    await life.engine.post({ text: "/goal Make it whole.", ...key });
    await life.settled();
    for (let wakes = 0; world.harness.alarmAt() !== null && wakes < 30; wakes++) await life.wake();
  };
  const first = world.life();
  await run(first).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
  await first.settled();
  if (at !== Infinity) await run(world.reboot());
  return { world, moments };
}

const MOMENTS = (await runWithCrash(Infinity)).moments;

test.each(Array.from({ length: MOMENTS }, (_, i) => i + 1).filter(isTried))(
  "a crash at moment %i posts each continuation once, and the goal is reached",
  async (at) => {
    const { world } = await runWithCrash(at);
    expect(world.goal()?.state).toBe("done");
    expect(world.serials()).toEqual(Array.from({ length: world.goal()!.turns }, (_, i) => i + 1));
    expect(world.rows()).toEqual([]);
  },
);
