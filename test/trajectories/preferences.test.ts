// Pairs for DPO: which sources give one, what is chosen, and that the prompt holds nothing that was said later.
import { expect, test } from "vitest";
import { pairAcross, pairOfTexts, pairsWithin } from "../../core/trajectories/preferences.ts";
import { type Entry, NO_USAGE } from "../../core/schemas/entry.ts";
import type { PreferenceLine } from "../../core/schemas/trajectories.ts";
import type { TrajectorySource, TrajectoryTurn } from "../../core/trajectories/trajectory.ts";
import { takePairs } from "../../workers/api/trajectories/find-pairs.ts";
import { SESSION } from "../support/session/session-harness.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";
import { createLearningSession } from "../support/session/scripted-session.ts";
import { readSource } from "./read-logs.ts";

const list: ScriptLine = { calls: [{ name: "terminal", args: { command: "ls" } }] };

async function setUp(script: ScriptLine[], said: string[]) {
  const session = await createLearningSession(script);
  for (const text of said) await session.say(text);
  const pairs = () => {
    const source = readSource(session.engine);
    return [...pairsWithin(source, () => true)];
  };
  return { ...session, pairs, source: () => readSource(session.engine) };
}

const user = (content: string) => ({ role: "user", content });
const model = (content: string) => ({ role: "assistant", content });

test("a message that was taken back and sent again prefers the second answer", async () => {
  const { pairs } = await setUp(
    [{ text: "Hello." }, list, { text: "Bad." }, { text: "Good." }],
    ["Greet me.", "List the files here.", "/retry"],
  );
  const [pair, ...more] = pairs();
  expect(more).toEqual([]);
  expect(pair).toMatchObject({
    ...{ source: "retry", prompt: [user("Greet me."), model("Hello."), user("List the files here.")] },
    chosen: [model("Good.")],
  });
  expect(pair!.rejected.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
  expect(pair!.rejected[0]).toMatchObject({ tool_calls: [{ id: "call_1" }] });
});

test("a turn that was undone and asked in other words is one too, but not if something else was asked", async () => {
  const said = ["Sort the table by price.", "/undo", "Sort the table by its price column."];
  const alike = await setUp([{ text: "Bad." }, { text: "Good." }], said);
  expect(alike.pairs()).toMatchObject([{ source: "retry", chosen: [model("Good.")], rejected: [model("Bad.")] }]);
  const other = await setUp([{ text: "Bad." }, { text: "Good." }], [...said.slice(0, 2), "Water the plants."]);
  expect(other.pairs()).toEqual([]);
});

test("a corrected answer loses against the one that the person accepted, without the correction in the prompt", async () => {
  const { pairs, source, rate } = await setUp(
    [{ text: "12 miles." }, { text: "19 km." }],
    ["How far is it from here?", "No, that is wrong: give it in kilometres."],
  );
  const corrected = source().turns.find(({ n }) => n === 1)!.corrections;
  expect(corrected).toHaveLength(1);
  expect(pairs()).toEqual([]);
  await rate(2, { rating: "up" });
  expect(pairs()).toEqual([
    {
      source: "correction",
      prompt: [user("How far is it from here?")],
      chosen: [model("19 km.")],
      rejected: [model("12 miles.")],
    },
  ]);
});

test("ratings pair alike requests only, and never the same answer", async () => {
  const { source } = await setUp(
    [{ text: "Three." }, { text: "Four." }, { text: "Wet." }, { text: "Three." }],
    [
      "Count the rows of the table.",
      "Count all rows of this table.",
      "Water the plants.",
      "Count the rows of the table.",
    ],
  );
  const read = source();
  const turn = (n: number) => ({ source: read, turn: read.turns.find((one) => one.n === n)! });
  expect(pairAcross("rating", turn(2), turn(1))).toEqual([
    {
      source: "rating",
      prompt: [user("Count the rows of the table.")],
      chosen: [model("Four.")],
      rejected: [model("Three.")],
    },
  ]);
  expect(pairAcross("rating", turn(3), turn(1))).toEqual([]);
  expect(pairAcross("rating", turn(4), turn(1))).toEqual([]);
});

test("two texts of a skill are a pair for whoever writes skills", () => {
  const skill = { name: "tables", description: "Reads tables.", requests: "- read my table" };
  const [pair] = pairOfTexts({ ...skill, kept: "new", withdrawn: "old" });
  expect(pair).toMatchObject({ chosen: [model("new")], rejected: [model("old")], source: "skill" });
  expect(pair!.prompt[0]!.content).toContain("- read my table");
  expect(pairOfTexts({ ...skill, kept: "same", withdrawn: "same" })).toEqual([]);
});

/** Each turn corrects the one before it, and the last one is accepted. */
function correctedOften(turns: number): TrajectorySource {
  const entries: Entry[] = [];
  const made: TrajectoryTurn[] = [];
  const user = { v: 1, kind: "user", at: 1 } as const;
  for (let n = 1; n <= turns; n++) {
    const input = entries.length + 1;
    const part = (text: string) => [{ source: "principal" as const, text }];
    entries.push({ ...user, n: input, turn: n, parts: part(`No, ${n}.`) } as Entry);
    const answer = { calls: [], stop: "end", usage: NO_USAGE, model: "m" } as const;
    const parts = [{ source: "own", text: `Answer ${n}.` }];
    entries.push({ v: 1, kind: "assistant", at: 1, n: input + 1, turn: n, parts, answer } as unknown as Entry);
    made.push({
      ...{ n, state: "done", input, final: input + 1, endedAt: 2, outcome: n === turns ? "success" : "unknown" },
      ...{ corrections: n < turns ? [input + 2] : [], loaded: [] },
    });
  }
  return { session: SESSION, tools: [], entries, turns: made, undone: [], inherited: 0 };
}

test("a chain of corrections is followed to its end in a time that its length explains, and pairs are made one by one", async () => {
  let asked = 0;
  const found = await takePairs(
    (function* () {
      for (const pair of pairsWithin(correctedOften(2_500), () => true)) {
        asked += 1;
        yield pair;
      }
    })(),
  );
  expect([found.lines.length, found.cut, asked]).toEqual([200, true, 201]);
  expect(JSON.parse(found.lines[0]!)).toMatchObject({ source: "correction", chosen: [model("Answer 2500.")] });
});

test("one session's pairs end where they have as many characters as a page may hold", async () => {
  const content = "x".repeat(5_000_000);
  const pair: PreferenceLine = { prompt: [{ role: "user", content }], chosen: [], rejected: [], source: "rating" };
  const { lines, cut } = await takePairs([pair, pair, pair]);
  expect([lines.length, cut]).toEqual([2, true]);
});
