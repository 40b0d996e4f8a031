// What every tool that works on files is made from, and how it names the place a call works on.
import type { Result } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { ApprovalState } from "../../schemas/approval.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { WriteBudget } from "../../workspace/write-budget.ts";

export interface FileToolOptions {
  workspace: Workspace;
  settings: Settings;
  /** Absent: no other session shares the memory. */
  clock?: Clock;
  /** What the turn may write. */
  budget: WriteBudget;
  /** Whether a text that the agent writes says what it has read. Absent: none does. */
  isTainted?(text: string): boolean;
  /** Absent: there is nobody to ask. */
  approvals?: ChangeRequests;
}

/** Where the wanted content of a file waits that only the person may change. */
export interface ChangeRequests {
  /** The request of a call that asked before is found again by its `op`. Failures: `file_too_large`, `too_many_approvals`. */
  park(request: { op: string; path: string; content: string }): Result<{ id: string; state: ApprovalState }>;
}

/** In the one spelling of the workspace. A path that is none there is refused by the tool itself. */
export function placeOf(workspace: Workspace, path: string): string {
  const located = workspace.locate(path);
  return located.ok ? located.value : path;
}
