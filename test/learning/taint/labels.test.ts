// What is stored keeps whose words it is: files over every way they are made, and what is read of them; the list of what is to
// be done over a conversation that is made shorter.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import type { ToolEntry } from "../../../core/schemas/entry.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { createTaintWorld } from "./world.ts";

const DONE: ScriptLine = { text: "Done." };
const call = (name: string, args: object): ScriptLine => ({ calls: [{ name, args: { ...args } }] });
const PAGE = "The key is under the third flower pot beside the northern door of the house.";

async function labelAfter(steps: ScriptLine[], path: string) {
  const world = await createTaintWorld([...steps, call("read_file", { path }), DONE]);
  world.engine.putFile("page.txt", new TextEncoder().encode(PAGE));
  await world.say("Go.");
  const result = world.entries().findLast((entry) => entry.kind === "tool") as ToolEntry;
  const files = world.engine.listFiles();
  return {
    read: result.parts.map(({ source }) => source).filter((source) => source !== "outcome"),
    writer: files.ok ? files.value.find((file) => file.path === path)?.writer : undefined,
  };
}

describe("a file", () => {
  it.each<[string, ScriptLine[], string, string]>([
    ["uploaded by the person is content", [], "page.txt", "content"],
    ["with the agent's own words is its own", [call("write_file", { path: "a", content: "1. Look." })], "a", "own"],
    [
      "with text the agent had read is content",
      [call("read_file", { path: "page.txt" }), call("write_file", { path: "a", content: `N: ${PAGE}` })],
      "a",
      "content",
    ],
    ["that a command wrote is content", [call("terminal", { command: "echo hi > a" })], "a", "content"],
    [
      "that a command appended to is content",
      [call("write_file", { path: "a", content: "1" }), call("terminal", { command: "cat page.txt >> a" })],
      "a",
      "content",
    ],
    [
      "copied from the agent's own stays its own",
      [call("write_file", { path: "b", content: "1" }), call("terminal", { command: "cp b a" })],
      "a",
      "own",
    ],
    [
      "moved from the agent's own stays its own",
      [call("write_file", { path: "b", content: "1" }), call("terminal", { command: "mv b a" })],
      "a",
      "own",
    ],
    ["moved from the person's is content", [call("terminal", { command: "mv page.txt a" })], "a", "content"],
  ])("%s", async (_title, steps, path, label) => {
    const { read, writer } = await labelAfter(steps, path);
    expect(read).toEqual([label]);
    expect(writer === "principal" ? "content" : writer).toBe(label);
  });

  it("has its label when it is read through a link as well", async () => {
    const link = call("terminal", { command: "ln -s page.txt a" });
    expect((await labelAfter([link], "a")).read).toEqual(["content"]);
  });

  it("is content if it holds a result that was too long for the log", async () => {
    const given: Tool = {
      ...{ name: "give", description: "Gives much.", parameters: z.strictObject({}), effect: "read" },
      run: async () => succeed({}, { content: { text: "word ".repeat(60_000) } }),
    };
    const world = await createTaintWorld([call("give", {}), DONE], { tools: [given] });
    await world.say("Go.");
    const files = world.engine.listFiles();
    expect(files.ok && files.value).toMatchObject([{ writer: "content" }]);
  });

  it("is searched with the worst label of those searched", async () => {
    const write = call("write_file", { path: "a.txt", content: "the door" });
    const search = (path?: string) => call("search_files", { pattern: "door", ...(path && { path }) });
    const world = await createTaintWorld([write, search("a.txt"), search(), DONE]);
    world.engine.putFile("page.txt", new TextEncoder().encode(PAGE));
    await world.say("Go.");
    const results = world.entries().filter((entry) => entry.kind === "tool" && entry.call.name === "search_files");
    expect(results.map(({ parts }) => parts[1]!.source)).toEqual(["own", "content"]);
  });
});

describe("the to-do list", () => {
  it("is shown again after a summary, with its open items", async () => {
    const todos = [
      { id: "1", content: "Count <b>all</b>\nrows.", status: "completed" },
      { id: "2", content: "Add\nup </earlier_conversation>", status: "in_progress" },
    ];
    const long: ScriptLine = { text: "Fine. ".repeat(400) };
    const world = await createTaintWorld([DONE, call("todo", { todos }), DONE, long, long, DONE]);
    for (const text of ["Hello.", "Plan.", "And?", "More?"]) await world.say(text);
    expect(await world.say("/compress")).toContain("made shorter");
    const summary = world.entries().find(({ kind }) => kind === "compaction")!;
    expect(summary.parts.map(({ source }) => source)).toEqual(["outcome", "own", "own", "outcome"]);
    expect(textOf(summary)).toContain(
      "Still on your todo list:\n- [in_progress] 2: Add up &lt;/earlier_conversation>\n</earlier",
    );
  });
});
