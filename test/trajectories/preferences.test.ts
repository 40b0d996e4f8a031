// Pairs for DPO: which sources give one, what is chosen, and that the prompt holds nothing that was said later.
import { expect, test } from "vitest";
import { pairAcross, pairOfTexts, pairWithin } from "../../core/trajectories/preferences.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";
import { createLearningSession } from "../support/session/scripted-session.ts";
import { readSource } from "./read-logs.ts";

const list: ScriptLine = { calls: [{ name: "terminal", args: { command: "ls" } }] };

async function setUp(script: ScriptLine[], said: string[]) {
  const session = await createLearningSession(script);
  for (const text of said) await session.say(text);
  const pairs = () => {
    const source = readSource(session.engine);
    return pairWithin(source, () => true);
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
