// A session's todo list: a meta row, and the text that repeats the open items after a compaction. Used by the tool `todo`
// and by shorten.ts.
import type { Part } from "../../schemas/entry.ts";
import type { TodoItem, Todos } from "../../schemas/todo.ts";
import type { TodoList } from "../../tools/todo/todo.ts";
import type { EngineContext } from "../context.ts";
import type { Log } from "../log.ts";

/** Content that was read in a turn may have shaped every later item of that turn, in any words. */
export function createTodoList({ log, taint }: Pick<EngineContext, "log" | "taint">): TodoList {
  return {
    items: () => readTodos(log),
    put: (items) => log.setMeta("todo", { v: 1, items } satisfies Todos),
    labelOf: (text) => (hasReadInTurn(log) || taint.isTainted(text) ? "content" : "own"),
  };
}

/** Whether a result of the running turn had text from outside. */
export function hasReadInTurn(log: Log): boolean {
  const input = log.openTurns()[0]?.input;
  if (!input) return false;
  return log.entries(input).some(({ parts }) => parts.some(({ source }) => source === "content"));
}

function readTodos(log: Log): TodoItem[] {
  return log.meta<Todos>("todo")?.items ?? [];
}

/** The open items, as text after a summary; `null` when nothing is open. */
export function openTodos(log: Log): Part | null {
  const open = readTodos(log).filter(({ status }) => status === "pending" || status === "in_progress");
  if (open.length === 0) return null;
  const lines = open.map(({ id, content, status }) => `- [${status}] ${oneLine(id)}: ${oneLine(content)}`);
  const source = open.some((item) => item.source === "content") ? "content" : "own";
  return { source, text: `\n\nStill on your todo list:\n${lines.join("\n")}` };
}

/** An item cannot close the block that holds it. */
function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").replaceAll("<", "&lt;");
}
