// Makes the job or goal of a filled blueprint, for the owner. Called by the routes of blueprints and of suggestions.
import type { Context } from "hono";
import { ulid } from "ulid";
import { findBlueprint } from "../../../core/blueprints/catalog/index.ts";
import { fillBlueprint } from "../../../core/blueprints/fill.ts";
import type { BlueprintId, MadeOfBlueprint, SlotValues } from "../../../core/schemas/agenda/blueprint.ts";
import type { JobName } from "../../../core/schemas/agenda/job.ts";
import type { SessionId } from "../../../core/schemas/ids.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { openAgenda } from "../boards/open-agenda.ts";
import { assertChat } from "../goals/goals.ts";
import { AppError, type ProblemCode, unwrap } from "../problems.ts";

/** What making one may be refused with. */
export const MAKE_REFUSALS = [
  ...(["slots_invalid", "op_reused", "profile_gone", "job_exists", "job_not_found", "too_many_jobs"] as const),
  ...(["schedule_too_often", "goal_open", "goal_not_here", "too_many_goals", "session_not_found"] as const),
] satisfies ProblemCode[];

export interface Wish {
  blueprint: BlueprintId;
  slots: SlotValues;
  /** Of the job. */
  name?: JobName | undefined;
  /** Of the goal. */
  session?: SessionId | undefined;
  /** Repeated, it makes the same one. */
  key?: string | undefined;
}

export async function makeOfBlueprint(c: Context<ApiEnv>, wish: Wish): Promise<MadeOfBlueprint> {
  const blueprint = unwrap(findBlueprint(wish.blueprint));
  const filled = unwrap(fillBlueprint(blueprint, wish.slots));
  const { id } = blueprint;
  const op = wish.key === undefined ? undefined : `blueprint:${wish.key}`;
  if (filled.kind === "job") {
    const spec = { ...filled.spec, name: wish.name ?? id };
    const job = unwrap(await openAgenda(c).createJob(spec, { author: { by: "owner" }, op }));
    return { kind: "job", blueprint: id, job };
  }
  const { session } = wish;
  if (session === undefined) {
    throw new AppError("slots_invalid", `The blueprint ${id} is a goal. Name the \`session\` that is to work at it.`);
  }
  const goalId = sha256Hex(`${c.var.profile}\n${op ?? ulid()}`).slice(0, 16);
  const since = await assertChat(c, session);
  const goal = unwrap(await openAgenda(c).beginGoal({ id: goalId, session, spec: filled.spec, since }, false));
  if (goal.session !== session || goal.text !== filled.spec.text) {
    throw new AppError("op_reused", "This Idempotency-Key has made something else. Send another key.");
  }
  return { kind: "goal", blueprint: id, goal };
}
