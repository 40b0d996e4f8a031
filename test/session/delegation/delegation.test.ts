// delegate_task over engines: what children are given and return, what it counts for, and how the wait ends.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { readRendered, succeed } from "../../../core/agent/tool-result.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { toChildId } from "../../../core/session/delegation/child-rows.ts";
import { type Family, createFamily } from "../../support/session/family.ts";
import { SESSION, type HarnessOptions } from "../../support/session/session-harness.ts";
import { type ScriptedAnswer, createScriptedModel } from "../../support/wires/scripted-model.ts";

const GOALS = ["Count the red ones.", "Count the blue ones."];
const isChild = ({ messages }: ModelRequest) => messages[0]!.text.startsWith("Task:");
const resultsOf = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === "tool");

/** A parent that delegates once and then answers; `child` answers for its tasks. */
function createModel(child: (request: ModelRequest) => ScriptedAnswer, goals = GOALS) {
  const parent = (request: ModelRequest): ScriptedAnswer =>
    resultsOf(request).length === 0
      ? {
          calls: [
            {
              name: "delegate_task",
              id: "d",
              args: { tasks: goals.map((goal) => ({ goal })), context: "All of them." },
            },
          ],
        }
      : { text: "Both are counted." };
  return createScriptedModel(
    Array.from({ length: 500 }, () => (request: ModelRequest) => (isChild(request) ? child(request) : parent(request))),
  );
}

const sayTask = ({ messages }: ModelRequest): ScriptedAnswer => ({ text: `Counted: ${messages[0]!.text.length}` });

async function begin(options: Partial<HarnessOptions> & Pick<HarnessOptions, "model">): Promise<Family> {
  const family = createFamily({ settings: { review: { enabled: false } }, ...options });
  await family.life(SESSION).engine.create({ learning: "off", title: "" });
  await family.attempt(SESSION, ({ engine }) => engine.post({ text: "Go.", key: "1" }));
  return family;
}

function resultOf(family: Family) {
  const entry = family.entries(SESSION).find((one) => one.kind === "tool");
  if (entry?.kind !== "tool") throw new Error("no call");
  const part = (source: string) => JSON.parse(entry.parts.find((one) => one.source === source)?.text ?? "null");
  return { entry, outcome: part("outcome"), own: part("own"), content: part("content") };
}

const readTool: Tool = {
  ...{ name: "look", description: "Looks.", parameters: z.strictObject({}), effect: "read" },
  run: async () => succeed({ ok: true }, { content: { text: "A page." } }),
};

describe("delegated tasks", () => {
  it("run in sessions of their own, given goal and context only, while the parent is parked", async () => {
    const model = createModel(sayTask);
    const family = await begin({ model });
    expect(family.detail(SESSION).turns[0]).toMatchObject({ state: "parked", parked: { for: "children" } });
    expect(model.requests).toHaveLength(1);
    await family.run();
    expect(family.detail(SESSION).turns[0]).toMatchObject({ state: "done", reason: "answer" });
    const asked = model.requests.filter(isChild).map(({ messages }) => messages.map(({ text }) => text));
    expect(asked.toSorted()).toEqual(GOALS.toReversed().map((goal) => [`Task:\n${goal}\n\nContext:\nAll of them.`]));
    const { outcome, own, entry } = resultOf(family);
    const id = `${SESSION}-1:${entry.n}`;
    const facts = { state: "done", model_calls: 1, tool_calls: 0, failed_calls: 0, tokens: 15 };
    expect(outcome).toEqual({
      done: 2,
      of: 2,
      tasks: [1, 2].map((task) => ({ task, session: toChildId(SESSION, id, task), ...facts })),
    });
    expect(own).toEqual({ task_1: "Counted: 48", task_2: "Counted: 49" });
    expect(entry.failed).toBe(false);
    const notices = family.entries(SESSION).filter(({ kind }) => kind === "notice");
    expect(notices.map(textOf)).toEqual([
      `Delegated 2 tasks, and waiting for the results:\n1. ${GOALS[0]}\n2. ${GOALS[1]}`,
      `Task 1 of 2 is done after 1 model call: ${GOALS[0]}`,
      `Task 2 of 2 is done after 1 model call: ${GOALS[1]}`,
    ]);
    const shown = resultsOf(model.requests.at(-1)!)[0]!.text;
    expect(readRendered(shown)).toMatchObject({ done: 2, task_1: "Counted: 48" });
  });

  it("are sessions of the kind delegated, whose input is no person's word, and take no messages", async () => {
    const family = await begin({ model: createModel(sayTask) });
    await family.run();
    const [first] = family.children();
    expect(family.detail(first!)).toMatchObject({ kind: "delegated", parent: SESSION, title: GOALS[0] });
    expect(family.entries(first!)[0]!.parts[0]!.source).toBe("own");
    await family.drain();
    const indexed = await family.harness(first!).parts.split.search({ query: "red", limit: 5 });
    expect(indexed.found.map(({ role }) => role)).toEqual(["assistant", "assistant"]);
    expect(await family.life(first!).engine.post({ text: "Hello" })).toMatchObject({
      failure: { code: "session_delegated" },
    });
  });

  it("return the worst label of what each has read, and pass it on to its words", async () => {
    const child = (request: ModelRequest): ScriptedAnswer =>
      request.messages[0]!.text.includes("red") && resultsOf(request).length === 0
        ? { calls: [{ name: "look" }] }
        : { text: "Seen." };
    const family = await begin({ model: createModel(child), tools: [readTool] });
    await family.run();
    const { own, content, outcome } = resultOf(family);
    expect([content, own]).toEqual([{ task_1: "Seen." }, { task_2: "Seen." }]);
    expect(outcome.tasks[0]).toMatchObject({ model_calls: 2, tool_calls: 1 });
    expect(JSON.stringify(outcome)).not.toContain("Seen");
  });

  it("of a parent that has read something from outside are labelled as content", async () => {
    const model = createScriptedModel([
      { calls: [{ name: "look" }] },
      { calls: [{ name: "delegate_task", args: { goal: "Sum it up." } }] },
      { text: "A summary." },
      { text: "Done." },
    ]);
    const family = await begin({ model, tools: [readTool] });
    await family.run();
    expect(family.entries(family.children()[0]!)[0]!.parts[0]!.source).toBe("content");
  });

  it("have neither delegation nor memory nor a person to ask, and know that they work on a task", async () => {
    const gated: Tool = {
      ...{ name: "act", description: "Acts.", parameters: z.strictObject({}), effect: "unkeyed" },
      gate: () => ({ verdict: "ask", summary: "act", reasons: ["It acts."] }),
      run: async () => succeed({ acted: true }),
    };
    const child = (request: ModelRequest): ScriptedAnswer =>
      resultsOf(request).length === 0 ? { calls: [{ name: "act" }] } : { text: resultsOf(request)[0]!.text };
    const model = createModel(child, GOALS.slice(0, 1));
    const family = createFamily({ model, tools: [gated], settings: { review: { enabled: false } } });
    await family.life(SESSION).engine.create({ learning: "on", title: "" });
    await family.attempt(SESSION, ({ engine }) => engine.post({ text: "Go." }));
    await family.run();
    const [parent, ofChild] = [model.requests[0]!, model.requests.find(isChild)!];
    const names = ({ tools }: ModelRequest) => tools.map(({ name }) => name);
    expect(names(parent)).toEqual(expect.arrayContaining(["delegate_task", "memory", "skill_view"]));
    expect(names(ofChild)).not.toContain("delegate_task");
    expect(names(ofChild)).not.toContain("memory");
    expect(names(ofChild)).toContain("skill_view");
    expect(ofChild.system).toContain("## Your task");
    expect(parent.system).not.toContain("## Your task");
    expect(resultOf(family).own.task_1).toContain("approval_unattended");
  });

  it("may delegate as deep as delegation.maxDepth", async () => {
    const child = (request: ModelRequest): ScriptedAnswer => {
      if (request.messages[0]!.text.includes("leaf")) return { text: "I am a leaf." };
      if (resultsOf(request).length > 0) return { text: `It says: ${resultsOf(request)[0]!.text}` };
      return { calls: [{ name: "delegate_task", args: { goal: "Be a leaf." } }] };
    };
    const model = createModel(child, GOALS.slice(0, 1));
    const family = await begin({ model, settings: { delegation: { maxDepth: 2 }, review: { enabled: false } } });
    await family.run();
    expect(family.children()).toHaveLength(2);
    expect(resultOf(family).own.task_1).toContain("I am a leaf.");
    const leaf = model.requests.find(({ messages }) => messages[0]!.text.includes("leaf"))!;
    expect(leaf.tools.map(({ name }) => name)).not.toContain("delegate_task");
  });

  it("count towards the parent's budget, which each has an equal part of", async () => {
    const family = await begin({
      model: createModel(sayTask),
      settings: { turn: { maxTokens: 1_015 }, review: { enabled: false } },
    });
    await family.run();
    const [child] = family.children();
    const meta = family.harness(child!).sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'session'");
    expect(JSON.parse(meta[0]!.value).delegated).toEqual({
      source: "own",
      budget: { tokens: 500, usdMicros: 100_000_000 },
    });
    // Two calls of its own, and one of each child.
    expect(family.detail(SESSION).usage).toMatchObject({ calls: 4, tokens: 60 });
    expect(
      family
        .harness(SESSION)
        .booked.flatMap(({ lines }) => lines)
        .map(({ calls }) => calls),
    ).toEqual([2]);
    expect(resultOf(family).entry.delegated).toEqual({ calls: 2, tokens: 30, usdMicros: 0 });
  });

  it("that spent the rest of the turn's budget end the turn", async () => {
    const family = await begin({
      model: createModel(() => ({ text: "Dear.", usage: { input: 600 } })),
      settings: { turn: { maxTokens: 1_000 }, review: { enabled: false } },
    });
    await family.run();
    expect(family.detail(SESSION).turns[0]).toMatchObject({ state: "failed", reason: "turn_budget_spent" });
  });

  it("put a long answer into a file of the parent, and show its beginning", async () => {
    const family = await begin({
      model: createModel(() => ({ text: `Start. ${"x".repeat(30_000)}` }), GOALS.slice(0, 1)),
    });
    await family.run();
    const { outcome, own } = resultOf(family);
    expect(own.task_1).toHaveLength(24_000);
    const file = await family.life(SESSION).engine.getFile(outcome.tasks[0].file);
    expect(file.ok && file.value.length).toBe(30_007);
  });

  it("that are deleted while they run are lost at once, and the parent goes on with the others", async () => {
    const family = await begin({ model: createModel(sayTask) });
    const { engine } = family.life(SESSION);
    const [first] = engine.unbooked().children;
    expect(engine.unbooked().children).toHaveLength(2);
    family.delete(first!);
    for (let time = 0; time < 2; time++) await engine.loseChild(first!);
    await family.run();
    expect(family.detail(SESSION).turns[0]).toMatchObject({ state: "done", reason: "answer" });
    const { outcome } = resultOf(family);
    expect(outcome.tasks.map(({ state }: { state: string }) => state).toSorted()).toEqual(["done", "lost"]);
    const ended = family.entries(SESSION).filter((entry) => entry.kind === "notice" && entry.code === "child_ended");
    expect(ended).toHaveLength(2);
    expect(engine.unbooked().children).toEqual([]);
  });

  it("end with the parent: a stop reaches the whole tree", async () => {
    const never = Promise.withResolvers<void>();
    const family = await begin({ model: createModel(() => ({ text: "Working", until: never.promise })) });
    while (family.children().length < 2) await family.step();
    await family.life(SESSION).engine.stop();
    never.resolve();
    await family.drain();
    expect(family.detail(SESSION).turns[0]!.state).toBe("stopped");
    expect(family.children().map((child) => family.detail(child).turns[0]!.state)).toEqual(["stopped", "stopped"]);
    const listed = await family.life(SESSION).engine.listChildren();
    expect(listed.ok && listed.value.map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  });
});
