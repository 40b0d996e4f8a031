// The tool todo: a session's list of tasks, which survives compaction. Writes are idempotent. Each item keeps its source: a
// plan that was taken from a page has the source `content`.
import * as z from "zod";
import type { Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { type TodoItem, TodoState } from "../../schemas/todo.ts";

const MAX_ITEMS = 50;
const MAX_CHARS = 500;

const Args = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(40).describe("Short and the same from call to call, such as 1 or tests."),
        content: z.string().min(1).max(MAX_CHARS).optional().describe("What is to be done. Needed for a new item."),
        status: TodoState.optional().describe("Default: pending."),
      }),
    )
    .max(MAX_ITEMS)
    .optional()
    .describe("The items to write, in their order. Absent: the list is only shown."),
  merge: z
    .boolean()
    .optional()
    .describe("true: changes the items of these ids and adds the others. Otherwise the list is replaced."),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "The list of what is to be done in this session. Use it for work of three steps or more, or for several requests at once: " +
  "write the steps first, have one item in_progress at a time, and mark it completed as soon as it is done. The whole list " +
  "comes back; items that are open are shown again when the conversation is made shorter.";

export interface TodoList {
  items(): TodoItem[];
  /** Sets the whole list. */
  put(items: TodoItem[]): void;
  /** The source of a text that the model writes now. */
  labelOf(text: string): "own" | "content";
}

export function createTodo(list: TodoList): Tool<Args> {
  return {
    name: "todo",
    description: DESCRIPTION,
    parameters: Args,
    effect: "keyed",
    staysInside: true,
    async run({ todos, merge = false }) {
      if (!todos) return show(list.items());
      const before = list.items();
      const known = new Map(before.map((item) => [item.id, item]));
      const next = new Map(merge ? known : []);
      for (const { id, content, status } of todos) {
        const old = next.get(id) ?? known.get(id);
        if (content === undefined && !old) {
          return fail("bad_arguments", `There is no item '${id}' yet: give its content. Nothing was changed.`);
        }
        const text = content ?? old!.content;
        const source = text === old?.content ? old.source : list.labelOf(`${id}\n${text}`);
        next.set(id, { id, content: text, status: status ?? old?.status ?? "pending", source });
      }
      if (next.size > MAX_ITEMS) {
        return fail("too_many_items", `The list has ${MAX_ITEMS} items at most: replace it, without what is done.`);
      }
      const items = [...next.values()];
      if (JSON.stringify(items) !== JSON.stringify(before)) list.put(items);
      return show(items);
    },
  };
}

/** The result has the worst source of its items. */
function show(items: TodoItem[]): ToolResult {
  const label = items.some(({ source }) => source === "content") ? "content" : "own";
  const counts = Object.fromEntries(
    TodoState.options.map((state) => [state, items.filter(({ status }) => status === state).length]),
  );
  const todos = items.map(({ id, content, status }) => ({ id, content, status }));
  return succeed(counts, { [label]: { todos } });
}
