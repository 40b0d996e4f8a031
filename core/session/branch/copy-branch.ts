// Copies a session into its branch, page by page, until the branch is whole. Called by the API, and again after it was cut off.
import { type Result, err, ok } from "../../errors.ts";
import type { BranchNeed, BranchPage, BranchPlan } from "../../schemas/sessions/branch.ts";

export interface BranchSource {
  readBranch(plan: BranchPlan, need: BranchNeed): Promise<Result<BranchPage>>;
}

export interface BranchTarget {
  /** `null`: the branch was deleted. */
  takeBranch(plan: BranchPlan, page: BranchPage | null): Promise<BranchNeed | null>;
}

/** Failures: those of `readBranch`; `session_not_found`, if one of the two was deleted meanwhile. */
export async function copyBranch(source: BranchSource, target: BranchTarget, plan: BranchPlan): Promise<Result<null>> {
  let need = await target.takeBranch(plan, null);
  while (need && need.stage !== "done") {
    const page = await source.readBranch(plan, need);
    if (!page.ok) return page;
    need = await target.takeBranch(plan, page.value);
  }
  return need ? ok(null) : err("session_not_found", "The branch was deleted while it was made. Make another one.");
}
