// What a session says of a turn to the experiments: which answer the person accepted, and who describes a turn that a branch has copied.
import { describe, expect, test } from "vitest";
import { copyBranch } from "../../../core/session/branch/copy-branch.ts";
import { leavesOf } from "../../../core/learning/tool-facts.ts";
import { SKILL, SKILL_MD } from "../../review/script.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createLearningSession, done, must, view } from "../../support/session/scripted-session.ts";
import { SESSION, createSessionHarness } from "../../support/session/session-harness.ts";

const BRANCH = "01J00000000000000000000001";
const answers = (...texts: string[]) => texts.map((text) => ({ text }));

async function setUp(...texts: string[]) {
  const session = await createLearningSession(answers(...texts));
  const accepted = (n: number) => session.engine.describeTurn({ turn: n })!.accepted;
  return { ...session, accepted };
}

const WRONG = "No, that is wrong: use the median.";
const THANKS = "Perfect, thank you!";

describe("the answer that a person accepted", () => {
  test("is nobody's until somebody has judged it", async () => {
    const { say, accepted } = await setUp("It is 3.");
    await say("What is the mean?");
    expect(accepted(1)).toBeNull();
  });

  test("is the turn's own after a rating or a message that says so", async () => {
    const { say, rate, accepted } = await setUp("It is 3.", "You are welcome.");
    await say("What is the mean?");
    await say(THANKS);
    const own = { turn: `${SESSION}-1`, text: "It is 3.", isOwn: true };
    expect(accepted(1)).toEqual(own);
    await rate(1, { rating: "down" });
    expect(accepted(1)).toBeNull();
    await rate(1, { rating: "up" });
    expect(accepted(1)).toEqual(own);
  });

  test("is that of a later turn which corrections led to", async () => {
    const { say, accepted } = await setUp("It is 3.", "It is 4.", "It is 2.", "You are welcome.");
    await say("What is the middle price?");
    await say(WRONG);
    expect(accepted(1)).toBeNull();
    await say("No, wrong again: leave out the first line.");
    await say(THANKS);
    expect(accepted(1)).toEqual({ turn: `${SESSION}-3`, text: "It is 2.", isOwn: false });
    expect(accepted(3)).toMatchObject({ isOwn: true });
  });

  test("is nobody's where the person only refused one, and what they said is told", async () => {
    const { say, rate, engine } = await setUp("It is 3.", "It is 4.");
    await say("What is the middle price?");
    await say(WRONG);
    const refused = () => engine.describeTurn({ turn: 1 })!.refused;
    expect(refused()).toEqual({ correction: WRONG });
    await rate(1, { rating: "down", correction: "It is 2." });
    expect(refused()).toEqual({ correction: "It is 2." });
    await rate(1, { rating: "up" });
    expect(refused()).toBeUndefined();
  });

  test("is looked for in three later turns at most", async () => {
    const { say, accepted } = await setUp("0", "1", "2", "3", "4", "Bye.");
    await say("What is the middle price?");
    for (const word of ["median", "mode", "mean", "sum"]) await say(`No, that is wrong: use the ${word}.`);
    await say(THANKS);
    expect([accepted(1), accepted(2)]).toEqual([null, { turn: `${SESSION}-5`, text: "4", isOwn: false }]);
  });
});

test("a turn is described by its number, by any of its entries and by a message that joined it", async () => {
  const held = Promise.withResolvers<void>();
  const session = await createLearningSession([view, { calls: [{ name: "todo" }], until: held.promise }, done]);
  const { engine, life, learn } = session;
  const text = await learn(SKILL, SKILL_MD);
  await engine.post({ text: "Do it." });
  await engine.post({ text: "In French.", busy: "steer" });
  held.resolve();
  await life.settled();
  const described = engine.describeTurn({ turn: 1 });
  expect(described).toMatchObject({
    ...{ turn: `${SESSION}-1`, request: "Do it.", answer: "Done.", model: "scripted:test", accepted: null },
    ...{ outcome: "unknown", judge: "exit", exit: "unknown", loaded: [{ skill: SKILL, text }] },
    stats: { modelCalls: 3, toolCalls: 2 },
    replayability: { replayable: false, reason: "steered" },
  });
  expect(engine.describeTurn({ turn: 2 })).toEqual(described);
  const own = session.entries().filter(({ turn }) => turn === 1);
  const said = (n: number, kind: string) => (kind === "user" ? (n === own[0]!.n ? "Do it." : "In French.") : "");
  const called = own.map((entry) => (entry.kind === "tool" && !entry.failed ? leavesOf(entry.call.args) : []));
  expect(called.flat()).toContain(SKILL);
  for (const [at, { n, kind }] of own.entries()) {
    const cited = { said: said(n, kind), called: called[at] };
    expect(engine.describeTurn({ entry: n })).toEqual({ ...described, ...cited });
  }
  expect([engine.describeTurn({ turn: 9 }), engine.describeTurn({ entry: 99 })]).toEqual([null, null]);
});

test("what the person said of an answer when rating it is given with its entry", async () => {
  const { engine, say, rate, entries } = await setUp("It is 3.");
  await say("What is the mean?");
  await rate(1, { rating: "down", correction: "Use the `median`." });
  const note = entries().find((entry) => entry.kind === "note" && entry.code === "rating")!;
  expect(engine.describeTurn({ entry: note.n })).toMatchObject({ turn: `${SESSION}-1`, said: "Use the `median`." });
  expect(engine.describeTurn({ turn: 1 })!.said).toBe("");
});

test("a turn that a branch has copied is described by the session that it comes from", async () => {
  const { engine, say } = await setUp("It is 3.", "It is 4.");
  await say("What is the mean?");
  const harness = createSessionHarness({ model: createScriptedModel(answers("Mine.")), session: BRANCH });
  const { engine: branch, settled } = harness.boot();
  const plan = must(engine.planBranch({ session: BRANCH, at: 5_000, turn: 1 }));
  const source = { readBranch: async (...asked: Parameters<typeof engine.readBranch>) => engine.readBranch(...asked) };
  must(await copyBranch(source, branch, plan));
  await branch.post({ text: "And now?" });
  await settled();
  expect([branch.describeTurn({ turn: 1 }), branch.findOrigin({ turn: 1 })]).toEqual([null, SESSION]);
  expect([branch.describeTurn({ entry: 1 }), branch.findOrigin({ entry: 1 })]).toEqual([null, SESSION]);
  expect(must(branch.observation(1)).replayability).toMatchObject({ reason: "files_not_kept" });
  expect(branch.findOrigin({ turn: 2 })).toBeNull();
  expect(branch.describeTurn({ turn: 2 })).toMatchObject({ turn: `${BRANCH}-2`, answer: "Mine." });
});
