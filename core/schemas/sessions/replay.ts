// What is copied when a turn is run again, as it crosses from the Session to the Replay. Types only.
import type { BranchNeed, BranchPage } from "./branch.ts";

type SqlRow = Record<string, string | number | null>;

/** As for a branch; `recording`: what the turn left, and what calls gave in other turns. It asks for one thing at a time. */
export type ReplayNeed = BranchNeed | { stage: "recording"; after: number };

export type ReplayPage = BranchPage | ReplayBeginPage | { stage: "recording"; rows: SqlRow[] };

/** The first page: that of a branch, and what the replay is begun with. */
export type ReplayBeginPage = Extract<BranchPage, { stage: "begin" }> & { replay: ReplayBeginning };

export interface ReplayBeginning {
  /** The row of the turn, as it ended. */
  turn: SqlRow;
  /** Its first and its last entry. */
  input: number;
  final: number;
  /** The newest entry of the recording. */
  recordedTo: number;
  /** Rows of the table `meta`: the session, what its profile has set, and the prompt, if it is the one that the turn began with. */
  meta: { key: string; value: string }[];
  /** Files, as rows of `file_node`, that recorded results name. They are in the workspace once such a result was served. */
  spilled: SqlRow[];
}
