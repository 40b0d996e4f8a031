// The options shared by all tools that work on files, and the path that a call declares for scheduling.
import type { Result } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { FileState } from "../../schemas/approvals/approval.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { WriteBudget } from "../../workspace/write-budget.ts";
import type { Alternatives } from "../shell/missing-commands.ts";

export interface FileToolOptions {
  workspace: Workspace;
  settings: Settings;
  /** Absent: no other session shares the isolate's memory. */
  clock?: Clock;
  /** Limits what the turn may write. */
  budget: WriteBudget;
  /** Whether a text that the agent writes repeats content it has read. Absent: never. */
  isTainted?(text: string): boolean;
  /** What the shell names instead of a missing command. Absent: nothing. */
  alternatives?: Alternatives;
  /** Absent: no person can be asked. */
  approvals?: ChangeRequests;
}

/** Parks new content for files that only the person may change. */
export interface ChangeRequests {
  /** Idempotent by `op`. Failures: `file_too_large`, `too_many_approvals`. */
  park(request: { op: string; path: string; content: string }): Result<{ id: string; state: FileState }>;
}

/** The canonical form of a path. An invalid path is returned as it is: the tool refuses it. */
export function canonicalPath(workspace: Workspace, path: string): string {
  const located = workspace.locate(path);
  return located.ok ? located.value : path;
}
