// How many allowances a profile keeps. Asked by a session before it stores a decision, and by the profile's Account, which keeps
// them. Pure.
import { type Result, err, ok } from "../../errors.ts";
import type { StandingAllowance } from "../../schemas/approvals/approval.ts";

/** [own] A longer list is not readable. */
const MAX_PROFILE_ALLOWANCES = 200;

/** Whether a profile that keeps `kept` can keep one more. Of equal keys only one is kept. Failure: `too_many_allowances`. */
export function checkRoom(
  kept: readonly StandingAllowance[],
  { id, kind, key }: Omit<StandingAllowance, "v">,
): Result<{ isKept: boolean }> {
  const isKept = kept.some((one) => one.id === id || (one.kind === kind && one.key === key));
  if (isKept || kept.length < MAX_PROFILE_ALLOWANCES) return ok({ isKept });
  return err("too_many_allowances", `A profile has at most ${MAX_PROFILE_ALLOWANCES} allowances: revoke one first.`);
}
