// The to-do list, as a model writes and reads it.
import { describe, expect, it } from "vitest";
import type { TodoItem } from "../../../core/schemas/todo.ts";
import { createTodo } from "../../../core/tools/todo/todo.ts";

function setUp({ label = "own" as "own" | "content" } = {}) {
  let items: TodoItem[] = [];
  let puts = 0;
  const scene = { label };
  const tool = createTodo({
    items: () => items,
    put: (next) => {
      items = next;
      puts += 1;
    },
    labelOf: () => scene.label,
  });
  async function run(args: Parameters<typeof tool.run>[0]) {
    const result = await tool.run(args, { op: "o", prepared: {}, signal: new AbortController().signal });
    const [outcome, list] = result.parts.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
    return { failed: result.failed, outcome, source: result.parts[1]?.source, todos: list?.todos };
  }
  return { run, scene, items: () => items, puts: () => puts };
}

const FIRST = { id: "1", content: "Read the table." };
const SECOND = { id: "2", content: "Add it up.", status: "in_progress" as const };

describe("todo", () => {
  it("returns the list it was given, with the open items", async () => {
    const { run } = setUp();
    expect(await run({ todos: [FIRST, SECOND] })).toEqual({
      failed: false,
      outcome: { pending: 1, in_progress: 1, completed: 0, cancelled: 0 },
      source: "own",
      todos: [{ ...FIRST, status: "pending" }, SECOND],
    });
    expect((await run({})).todos).toEqual([{ ...FIRST, status: "pending" }, SECOND]);
  });

  it("replaces the list, or merges by id and keeps the order", async () => {
    const { run, items } = setUp();
    await run({ todos: [FIRST, SECOND] });
    await run({
      todos: [
        { id: "1", status: "completed" },
        { id: "3", content: "Tell." },
      ],
      merge: true,
    });
    expect(items().map(({ id, status }) => `${id} ${status}`)).toEqual(["1 completed", "2 in_progress", "3 pending"]);
    await run({ todos: [{ id: "3", status: "cancelled" }] });
    expect(items()).toEqual([{ id: "3", content: "Tell.", status: "cancelled", source: "own" }]);
  });

  it("changes nothing for a new item without content, or for too many items", async () => {
    const { run, items } = setUp();
    await run({ todos: [FIRST] });
    expect(await run({ todos: [{ id: "9" }], merge: true })).toMatchObject({
      failed: true,
      outcome: { code: "bad_arguments" },
    });
    const many = Array.from({ length: 50 }, (_, n) => ({ id: `n${n}`, content: "x" }));
    expect(await run({ todos: many, merge: true })).toMatchObject({
      failed: true,
      outcome: { code: "too_many_items" },
    });
    expect(items()).toHaveLength(1);
  });

  it("writes nothing if a call is repeated", async () => {
    const { run, puts } = setUp();
    await run({ todos: [FIRST] });
    await run({ todos: [FIRST] });
    expect(puts()).toBe(1);
  });

  it("has the label of its worst item, and an item keeps its label until its text changes", async () => {
    const { run, scene, items } = setUp();
    await run({ todos: [FIRST] });
    scene.label = "content";
    await run({ todos: [{ id: "1", status: "completed" }], merge: true });
    expect(items()[0]).toMatchObject({ source: "own" });
    expect(await run({ todos: [SECOND], merge: true })).toMatchObject({ source: "content" });
  });
});
