// A person's decisions about a skill's place: restore it from the archive, or hand it to the agent. Pure decisions that
// the API runs on the fresh head.
import { type Result, err, ok } from "../../errors.ts";
import type { SkillNext, SkillSnapshot } from "../../ports.ts";
import { liftWithdrawal } from "../history.ts";
import { isLearned } from "./protection.ts";

/**
 * Hands a person's own skill to the agent: reviews may change it, and it can become stale. Bundled and hub skills are
 * packages that their authors maintain. Failures: `skill_not_found`, `not_adoptable`.
 */
export function adopt(current: SkillSnapshot | null): Result<SkillNext> {
  if (!current) return err("skill_not_found", "Only a skill in this profile's library can be adopted.");
  const { name, origin } = current.head;
  if (isLearned({ origin })) return ok({});
  if (origin === "user") return ok({ origin: "foreground" });
  return err("not_adoptable", `'${name}' came from outside: write your own skill from it first, then adopt that one.`);
}

/**
 * Restores an archived skill. A learned skill is on trial again; a person's skill is active. Failure:
 * `skill_not_found`.
 */
export function unarchive(current: SkillSnapshot | null): Result<SkillNext> {
  if (!current) return err("skill_not_found", "Only a skill in this profile's library can be restored.");
  if (current.head.state !== "archived") return ok({});
  const state = isLearned(current.head) ? "trial" : "active";
  return ok({ state, reason: "Restored by a person.", ...liftWithdrawal(current.head, current.head.text) });
}
