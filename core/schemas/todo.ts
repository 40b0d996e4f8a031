// The stored form of a session's todo list: one meta row. Used by the tool todo and by compaction.
import * as z from "zod";
import { Source } from "./ids.ts";

export const TodoState = z.enum(["pending", "in_progress", "completed", "cancelled"]);

export const TodoItem = z.object({
  id: z.string(),
  content: z.string(),
  status: TodoState,
  /** The sources of its words. */
  source: Source.extract(["own", "content"]),
});
export type TodoItem = z.infer<typeof TodoItem>;

/** Under the meta key `todo`. */
export const Todos = z.object({ v: z.literal(1), items: z.array(TodoItem) });
export type Todos = z.infer<typeof Todos>;
