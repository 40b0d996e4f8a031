// Who pays for a goal and until when: a judge that is asked again, one that is not charged, one that says nothing. And what a person does while
// the judge is asked: writes, takes the turn back, stops.
import { describe, expect, test } from "vitest";
import { CONTINUE, DONE, createGoalWorld } from "../../support/session/goal-world.ts";
import { ticks } from "../../support/session/scripted-session.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { SESSION } from "../../support/session/session-harness.ts";

const WAIT = { text: '{"verdict":"wait","reason":"CI runs.","seconds":600}' };
const NO_KEY = { failure: { code: "auth_failed", retry: false } };

/** A session whose first turn has ended, and whose judge says `verdict` once `answer` is called. */
async function whileJudgeIsAsked(verdict: ScriptLine, later: ScriptLine[] = [DONE]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const world = createGoalWorld([{ ...verdict, until: promise }, ...later]);
  const posted = world.say("/goal Make it whole.", { channel: { chat: "c1", message: "1" } });
  await ticks(2_000);
  expect(world.judge.requests).toHaveLength(1);
  const answer = async () => {
    resolve();
    await posted;
    await world.life().wake();
    await world.life().settled();
  };
  return { world, answer };
}

describe("a judge", () => {
  test("that is asked again because the goal has changed is paid each time", async () => {
    const { world, answer } = await whileJudgeIsAsked(CONTINUE, [CONTINUE, DONE]);
    world.desk.goals.change(world.goal()!.id, { do: "subgoals", subgoals: ["Write a test"] });
    await world.desk.tell(() => world.life().engine.lookAtGoal());
    await answer();
    expect([world.goal()?.state, world.judge.requests.length]).toEqual(["done", 3]);
    // The Account takes each id once.
    const paid = world.harness.booked.filter(({ lines }) => lines.some(({ kind }) => kind === "goal"));
    expect(new Set(paid.map(({ id }) => id)).size).toBe(3);
  });

  test("that charges nothing keeps nothing of the day's budget, nor does a title", async () => {
    const reserved = new Set<string>();
    const refusing = () => createScriptedModel(Array.from({ length: 5 }, () => NO_KEY));
    const world = createGoalWorld([], {
      settings: { review: { enabled: false }, turn: { titles: true }, budget: { profileDayTokens: 1_000_000 } },
      models: { goal: [refusing()], title: [refusing()] },
      account: {
        async reserveTurn({ turn }) {
          reserved.add(turn);
          return { tokens: 1_000, usdMicros: 0 };
        },
      },
    });
    await world.life().engine.create({ learning: "on", title: "" });
    await world.say("/goal Make it whole.");
    expect(world.goal()).toMatchObject({ state: "paused", turns: 5 });
    const booked = new Set(world.harness.booked.map(({ id }) => id));
    expect(reserved).toContain(`${SESSION}.title`);
    expect([...reserved].filter((id) => !booked.has(id))).toEqual([]);
  });

  test("that answers nothing gives no verdict, and is asked once after each turn", async () => {
    const world = createGoalWorld(Array.from({ length: 9 }, () => ({ text: "" })));
    await world.say("/goal Make it whole.");
    expect(world.goal()).toMatchObject({ state: "paused", turns: 3, failures: { parse: 3 } });
    expect(world.judge.requests).toHaveLength(3);
  });
});

describe("a person who, while the judge is asked,", () => {
  test("writes is answered and judged in place of the turn, whatever the judge says of that", async () => {
    const { world, answer } = await whileJudgeIsAsked(DONE, [CONTINUE, DONE]);
    await world.life().engine.post({ text: "Wait, also do this." });
    await answer();
    expect(world.inputs()).toEqual([
      "/goal Make it whole.",
      "Work on this goal until it is reached.",
      "Wait, also do this.",
      "Go on with the goal.",
    ]);
    expect(world.goal()).toMatchObject({ state: "done", turns: 2 });
  });

  test("writes in a chat reads the answer before the judge's", async () => {
    const { world, answer } = await whileJudgeIsAsked(CONTINUE);
    const before = world.told.length;
    await world.life().engine.post({ text: "A question.", channel: { chat: "c1", message: "2" } });
    await ticks(2_000);
    expect(world.told.slice(before).map(({ text }) => text)).toEqual(["I worked."]);
    await answer();
    expect(world.goal()?.state).toBe("done");
  });

  test("takes the turn back has the goal paused, and not reached by it", async () => {
    const { world, answer } = await whileJudgeIsAsked(DONE);
    await world.life().engine.post({ text: "/undo" });
    await ticks(2_000);
    await answer();
    expect(world.goal()).toMatchObject({ state: "paused", reason: "A person took the turn back." });
    expect(world.notices().at(-1)).toContain("A person took the turn back.");
    await world.say("/goal resume");
    expect(world.goal()?.state).toBe("done");
  });

  test("stops the session has no further turn, and is told", async () => {
    const { world, answer } = await whileJudgeIsAsked(CONTINUE);
    await world.life().engine.stop();
    await answer();
    expect([world.serials(), world.rows()]).toEqual([[1], []]);
    expect(world.notices().at(-1)).toBe("The goal is paused: 0 of 20 turns. A person stopped it.");
  });
});

test("a person who stops the session while its goal waits has no further turn", async () => {
  const world = createGoalWorld([WAIT, DONE]);
  await world.say("/goal Make it whole.");
  await world.life().engine.stop();
  await world.life().settled();
  world.clock.advance(600_000);
  await world.life().wake();
  expect([world.goal()?.state, world.serials(), world.rows()]).toEqual(["paused", [1], []]);
  await world.life().engine.stop(); // nothing is left to stop
  await world.say("/goal resume");
  expect(world.goal()?.state).toBe("done");
});

test("a goal that ends while a person writes is told all the same", async () => {
  const world = createGoalWorld([DONE]);
  const { takeVerdict } = world.port;
  world.port.takeVerdict = async (...verdict) => {
    const goal = await takeVerdict(...verdict);
    await world.life().engine.post({ text: "Thank you." });
    return goal;
  };
  await world.say("/goal Make it whole.");
  expect(world.notices().at(-1)).toBe("The goal is done: 1 of 20 turns. It is shown.");
  expect(world.rows()).toEqual([]);
});

test("a goal whose words are longer than a message may be is worked at", async () => {
  const world = createGoalWorld([DONE], { settings: { review: { enabled: false }, turn: { maxMessageChars: 100 } } });
  await world.say("/goal Make it whole.");
  expect([world.goal()?.state, world.serials(), world.rows()]).toEqual(["done", [1], []]);
});

test("a client's idempotency key takes no continuation's place", async () => {
  const world = createGoalWorld([{ text: '{"verdict":"blocked","reason":"Ask."}' }, DONE]);
  await world.say("/goal Make it whole.");
  const { id } = world.goal()!;
  await world.say("Hello.", { key: `goal:${id}:3` });
  await world.say("/goal resume");
  expect([world.goal()?.state, world.serials()]).toEqual(["done", [1, 3]]);
});
