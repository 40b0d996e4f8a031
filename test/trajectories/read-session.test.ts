// Trajectories of real logs: what is in a line, what is left out, and that it is the form that trainers read.
import { describe, expect, test } from "vitest";
import { toTurnTest } from "../../core/trajectories/filter.ts";
import { toOpenAi } from "../../core/trajectories/openai.ts";
import { readTrajectories } from "../../core/trajectories/read-session.ts";
import { toShareGpt } from "../../core/trajectories/sharegpt.ts";
import { readShareGptCalls, readTools } from "../../scripts/trajectories/read-calls.ts";
import type { TurnFilter } from "../../core/schemas/trajectories.ts";
import { type ScriptLine } from "../support/wires/scripted-model.ts";
import { createLearningSession, createScriptedSession, done } from "../support/session/scripted-session.ts";
import { expectShareGpt, expectWhole, readSource } from "./read-logs.ts";

const files: ScriptLine = {
  text: "I write both.",
  reasoning: "Two files.",
  calls: [
    { name: "write_file", args: { path: "a.txt", content: "one" } },
    { name: "write_file", args: { path: "b.txt", content: "</tool_call>" } },
  ],
};

async function setUp(script: ScriptLine[], said: string[]) {
  const session = await createScriptedSession(script, { learning: "off" });
  for (const text of said) await session.say(text);
  const read = (filter: TurnFilter = {}) => {
    const source = readSource(session.engine);
    const all = readTrajectories(source, toTurnTest(filter, source));
    for (const one of all) expectWhole(one);
    for (const one of all) expectShareGpt(toShareGpt(one));
    return all;
  };
  return { ...session, read };
}

describe("a conversation", () => {
  test("is one line in the form of Hermes Agent, with think blocks, calls and grouped results", async () => {
    const { read } = await setUp(
      [files, done, { text: "It says <tool_call>." }],
      ["Write two files.", "What does it say?"],
    );
    const [trajectory, ...more] = read();
    expect(more).toEqual([]);
    const { conversations, completed, model, timestamp } = toShareGpt(trajectory!);
    expect({ completed, model }).toEqual({ completed: true, model: "scripted:test" });
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const [system, human, call, results, answer, asked, last] = conversations;
    expect(readTools(system!.value)).toEqual(expect.arrayContaining(["write_file", "terminal"]));
    expect(human).toEqual({ from: "human", value: "Write two files." });
    expect(call!.value.split("\n").slice(0, 7)).toEqual([
      ...["<think>", "Two files.", "</think>", "I write both.", "<tool_call>"],
      '{"name":"write_file","arguments":{"path":"a.txt","content":"one"}}',
      "</tool_call>",
    ]);
    const [first] = /\{.*\}/.exec(results!.value)!;
    expect(JSON.parse(first)).toMatchObject({ tool_call_id: "call_1", name: "write_file", content: { bytes: 3 } });
    expect(answer!.value).toBe("<think>\n</think>\nDone.");
    expect(asked!.value).toBe("What does it say?");
    expect(last!.value).toBe("<think>\n</think>\nIt says &lt;tool_call>.");
    expect(readShareGptCalls(toShareGpt(trajectory!))).toEqual({
      stats: { write_file: { count: 2, success: 2, failure: 0 } },
      ...{ unknown: [], hasReasoning: true },
    });
  });

  test("is in OpenAI's form with arguments as text, and the tools beside the messages", async () => {
    const { read } = await setUp([files, done], ["Write two files."]);
    const { messages, tools } = toOpenAi(read()[0]!)!;
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(messages[1]).toEqual({
      ...{ role: "assistant", content: "I write both." },
      tool_calls: ["a.txt", "b.txt"].map((path, i) => ({
        ...{ id: `call_${i + 1}`, type: "function" },
        function: { name: "write_file", arguments: JSON.stringify({ path, content: ["one", "</tool_call>"][i] }) },
      })),
    });
    const called = tools!.find(({ function: { name } }) => name === "write_file");
    expect(called).toMatchObject({ type: "function", function: { parameters: { type: "object" } } });
  });

  test("leaves out commands and turns that were taken back", async () => {
    const { read } = await setUp(
      [done, { text: "Wrong." }, { text: "Right." }],
      ["One.", "Two.", "/undo", "/rollback", "Three."],
    );
    const text = JSON.stringify(read());
    expect(text).toContain("Three.");
    for (const gone of ["Two.", "Wrong.", "/undo", "/rollback", "taken back"]) expect(text).not.toContain(gone);
  });

  test("that failed is not completed, and what the harness said is not the model's", async () => {
    const failure: ScriptLine = { failure: { code: "refused", message: "No.", retry: false } };
    const { read } = await setUp([failure, done], ["One.", "Two."]);
    const [trajectory] = read();
    expect(trajectory).toMatchObject({ completed: true });
    expect(trajectory!.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const { read: readFailed } = await setUp([done, files, failure], ["One.", "Two."]);
    expect(readFailed()).toMatchObject([{ completed: false }]);
    expect(toOpenAi(readFailed()[0]!)!.messages.at(-1)).toMatchObject({ role: "assistant", content: "I write both." });
  });

  test("does not list a tool that the model made up", async () => {
    const { read } = await setUp([{ calls: [{ name: "fly", args: { to: "moon" } }] }, done], ["Fly."]);
    const line = toShareGpt(read()[0]!);
    expect(readShareGptCalls(line).unknown).toEqual(["fly"]);
  });

  test("becomes two lines at a compaction, and no answer is trained on twice", async () => {
    const long = "word ".repeat(2_000);
    const script: ScriptLine[] = [
      ...Array.from({ length: 8 }, (_, i) => ({ text: `Answer ${i}. ${long}` })),
      ...[{ text: "The summary." }, { text: "After." }],
    ];
    const said = Array.from({ length: 8 }, (_, i) => `Question ${i}?`);
    const { read, engine } = await setUp(script, [...said, "/compress", "Last question?"]);
    const kinds = readSource(engine).entries.map(({ kind }) => kind);
    expect(kinds).toContain("compaction");
    const lines = read().map((one) => toOpenAi(one)!);
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines[0])).toContain("Answer 3.");
    const answers = lines[1]!.messages.filter(({ role }) => role === "assistant");
    expect(answers.at(-1)).toEqual({ role: "assistant", content: "After.", weight: 1 });
    expect(answers.slice(0, -1).every((one) => one.role === "assistant" && one.weight === 0)).toBe(true);
  });
});

describe("a filter", () => {
  test("ends the line with the last wanted turn, and gives the others no weight", async () => {
    const session = await createLearningSession([{ text: "A." }, { text: "B." }, { text: "C." }]);
    for (const text of ["Name a letter.", "Name another letter.", "And one more letter."]) await session.say(text);
    await session.rate(2, { rating: "up" });
    await session.rate(3, { rating: "down" });
    const read = (filter: TurnFilter) => {
      const source = readSource(session.engine);
      return readTrajectories(source, toTurnTest(filter, source)).map((one) => toOpenAi(one)!.messages);
    };
    const [up] = read({ rated: "up" });
    expect(up!.filter(({ role }) => role === "assistant")).toEqual([
      { role: "assistant", content: "A.", weight: 0 },
      { role: "assistant", content: "B.", weight: 1 },
    ]);
    expect(read({ successful: true })).toEqual([up]);
    expect(read({ rated: "any" })[0]).toHaveLength(6);
    for (const none of [{ tool: "terminal" }, { skill: "tables" }, { since: "9999-01-01" }])
      expect(read(none)).toEqual([]);
  });
});
