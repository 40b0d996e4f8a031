// What a person decides about a skill's place: out of the archive, or into the agent's care. Pure decisions, run by the API
// on the fresh head.
import { type Result, err, ok } from "../../errors.ts";
import type { SkillNext, SkillSnapshot } from "../../ports.ts";
import { liftWithdrawal } from "../history.ts";
import { isLearned } from "./protection.ts";

/**
 * A person's own skill becomes one the agent looks after: reviews change it, it ages. What came with the product or a hub is
 * a whole package, which its makers look after. Failures: `skill_not_found`, `not_adoptable`.
 */
export function adopt(current: SkillSnapshot | null): Result<SkillNext> {
  if (!current) return err("skill_not_found", "Only a skill this profile holds can be adopted.");
  const { name, origin } = current.head;
  if (isLearned({ origin })) return ok({});
  if (origin === "user") return ok({ origin: "foreground" });
  return err("not_adoptable", `'${name}' came from outside: write your own from it first, and have that adopted.`);
}

/** What a model learned has to prove itself again; what a person wrote has not. Failure: `skill_not_found`. */
export function unarchive(current: SkillSnapshot | null): Result<SkillNext> {
  if (!current) return err("skill_not_found", "Only a skill this profile holds can be restored.");
  if (current.head.state !== "archived") return ok({});
  const state = isLearned(current.head) ? "trial" : "active";
  return ok({ state, reason: "Restored by a person.", ...liftWithdrawal(current.head, current.head.text) });
}
