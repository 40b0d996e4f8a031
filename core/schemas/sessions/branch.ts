// What is copied when a session is branched, as it crosses from one Session to the other. Not stored, but for the plan. Types only.
import type { Learning } from "../api.ts";
import type { ChannelScene } from "../channels/delivery.ts";
import type { TodoItem } from "../todo.ts";
import type { SessionChoice } from "./session-choice.ts";
import type { ToolSettings } from "../profile/tools.ts";
import type { Origin } from "./origin.ts";

/** Stored by the source under the request's idempotency key, and by the branch until it is whole. */
export interface BranchPlan {
  v: 1;
  /** The branch. */
  session: string;
  createdAt: number;
  title: string;
  learning: Learning;
  backend?: "host";
  choice?: SessionChoice;
  tools?: ToolSettings;
  channel?: ChannelScene;
  /** The last turn and entry that are copied are those of the last one. */
  origins: Origin[];
  /** The last row of a turn: that of an input which joined the last turn may follow it. */
  lastTurn: number;
  /** The files as they are now, not as they were after the turn. */
  filesNow?: true;
}

/** What the branch lacks. It asks for one thing at a time, so that a copy that was cut off goes on where it was. */
export type BranchNeed =
  | { stage: "begin" }
  | { stage: "turns" | "entries"; after: number }
  | { stage: "parts"; hashes: string[] }
  | { stage: "image"; sha256: string }
  | { stage: "done" };

type SqlRow = Record<string, string | number | null>;

export type BranchPage =
  | {
      stage: "begin";
      nodes: SqlRow[];
      /** Hashes. */
      images: string[];
      todos: TodoItem[];
      compactions: { n: number; method: "model" | "static" | "prune" }[];
      undone: { turn: number; by: number }[];
      /** What the client has said of how to work. Absent: nothing. */
      guidance?: string;
    }
  | { stage: "turns" | "entries"; rows: SqlRow[] }
  | { stage: "parts"; parts: { hash: string; data: Uint8Array }[] }
  | { stage: "image"; row: SqlRow; data: Uint8Array[] };
