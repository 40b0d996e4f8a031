// The todo list as it was before a turn that is taken back, read from what the tool `todo` answered last before it.
import { type ToolEntry, JsonObject } from "../../schemas/entry.ts";
import { type TodoItem, TodoItem as Item, type Todos } from "../../schemas/todo.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import type { Log } from "../log.ts";
import { isUndone } from "./undone.ts";

const PAGE = 100;

/** Inside the caller's transaction. Nothing is written if the turn did not change the list. */
export function restoreTodos({ log }: Pick<EngineContext, "log">, turn: TurnRow): void {
  const own = log.entries(turn.input!, turn.final!).filter(isChange);
  if (!own.some((entry) => entry.turn === turn.n)) return;
  log.setMeta("todo", { v: 1, items: todosUpTo(log, turn.input!) } satisfies Todos);
}

/** The list after the entry `to`. Turns that were taken back do not count. */
export function todosUpTo(log: Log, to: number): TodoItem[] {
  for (let last = to; last > 0; last -= PAGE) {
    const changes = log.entries(Math.max(1, last - PAGE + 1), last).filter(isChange);
    const newest = changes.findLast((entry) => !isUndone(log, entry.turn));
    if (newest) return readItems(newest);
  }
  return [];
}

function isChange(entry: { kind: string }): entry is ToolEntry {
  if (entry.kind !== "tool") return false;
  const { call, state, failed } = entry as ToolEntry;
  return call.name === "todo" && state === "done" && !failed && call.args.todos !== undefined;
}

/** Each item has the worst source of the list, as its result has. */
function readItems({ parts }: ToolEntry): TodoItem[] {
  for (const { source, text } of parts) {
    const read = JsonObject.safeParse(JSON.parse(text));
    const todos = read.success && Array.isArray(read.data.todos) ? read.data.todos : null;
    if (!todos) continue;
    const items = todos.map((item: unknown) => Item.safeParse({ ...(item as object), source }));
    return items.flatMap((item) => (item.success ? [item.data] : []));
  }
  return [];
}
