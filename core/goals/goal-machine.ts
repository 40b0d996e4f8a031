// What becomes of a goal: the states none → active → done | blocked | paused | cleared, and paused | blocked → active. Pure functions over
// one goal and a time. Called by goals.ts, which stores what they answer; `toNext` also by the session that works at the goal.
import { type Result, err, ok } from "../errors.ts";
import type { Goal, GoalChange, GoalId, GoalSpec, GoalVerdict } from "../schemas/agenda/goal.ts";
import type { SessionId } from "../schemas/ids.ts";
import type { GoalSettings } from "../schemas/agenda/settings.ts";

export type GoalLimits = GoalSettings;

const NO_FAILURES: Goal["failures"] = { parse: 0, transport: 0, check: 0 };

/** What the goal's session does now. */
export type GoalNext =
  /** Posts the continuation of this number. */
  | { kind: "continue"; serial: number }
  /** Nothing before this time, in milliseconds since 1970. */
  | { kind: "wait"; until: number }
  | { kind: "nothing" };

export function toNext(goal: Goal | null, now: number): GoalNext {
  if (goal?.state !== "active") return { kind: "nothing" };
  const { waitUntil = 0, serial } = goal;
  return waitUntil > now ? { kind: "wait", until: waitUntil } : { kind: "continue", serial };
}

export interface NewGoal {
  id: GoalId;
  session: SessionId;
  spec: GoalSpec;
  /** See `Goal`. */
  source?: "content" | undefined;
  /** The newest turn of the session, which is not judged for this goal; 0 by default. */
  since?: number;
}

export function beginGoal({ id, session, spec, source, since = 0 }: NewGoal, now: number, limits: GoalLimits): Goal {
  const { maxTurns = limits.maxTurns, ...rest } = spec;
  return {
    ...rest,
    maxTurns,
    ...{ id, session, state: "active", reason: "", createdAt: now, updatedAt: now },
    ...(source && { source }),
    ...{ turns: 0, serial: 1, judged: since, failures: NO_FAILURES },
  };
}

/** The goal after a turn was judged. A turn that was judged before changes nothing, nor does one of a goal that is not active. */
export function applyVerdict(goal: Goal, turn: number, verdict: GoalVerdict, now: number, limits: GoalLimits): Goal {
  if (goal.state !== "active" || turn <= goal.judged) return goal;
  const { failed: _failed, waitUntil: _waited, ...before } = goal;
  const judged: Goal = {
    ...before,
    updatedAt: now,
    turns: goal.turns + 1,
    judged: turn,
    serial: goal.serial + 1,
    failures: countFailures(goal.failures, verdict),
    reason: verdict.reason,
  };
  if (verdict.kind === "broken") return { ...judged, state: "paused" };
  if (verdict.kind === "done" && verdict.failed === undefined) return { ...judged, state: "done" };
  if (verdict.kind === "blocked") return { ...judged, state: "blocked" };
  const pause = findPause(judged, limits);
  if (pause) return { ...judged, state: "paused", reason: pause };
  if (verdict.kind === "done") return { ...judged, failed: verdict.failed! };
  if (verdict.kind !== "wait") return judged;
  return { ...judged, waitUntil: now + Math.min(verdict.seconds, limits.maxWaitMinutes * 60) * 1_000 };
}

/** A verdict of one kind ends the rows of the other failures. A judge that does not answer says nothing of checks. */
function countFailures({ parse, transport, check }: Goal["failures"], verdict: GoalVerdict): Goal["failures"] {
  switch (verdict.kind) {
    case "unparsed":
      return { parse: parse + 1, transport: 0, check };
    case "unreachable":
      return { parse, transport: transport + 1, check };
    case "done":
      return { parse: 0, transport: 0, check: verdict.failed === undefined ? 0 : check + 1 };
    default:
      return NO_FAILURES;
  }
}

/** Why the goal goes no further by itself; `null`: it does. */
function findPause({ failures, turns, maxTurns }: Goal, limits: GoalLimits): string | null {
  if (failures.parse >= limits.maxParseFailures) return `The judge gave no verdict ${failures.parse} times in a row.`;
  if (failures.transport >= limits.maxTransportFailures) {
    return `The judge could not be asked ${failures.transport} times in a row.`;
  }
  if (failures.check > limits.maxCheckFailures)
    return `A check failed ${failures.check} times although the work was called done.`;
  if (turns >= maxTurns) return `It has used its ${maxTurns} turns.`;
  return null;
}

const WRONG_STATE: Record<
  Exclude<GoalChange["do"], "clear" | "move" | "subgoals">,
  { from: Goal["state"][]; words: string }
> = {
  pause: { from: ["active"], words: "Only an active goal can be paused." },
  resume: { from: ["paused", "blocked"], words: "Only a paused or blocked goal can be resumed." },
  wait: { from: ["active"], words: "Only an active goal can wait. Resume it first." },
  unwait: { from: ["active"], words: "Only an active goal can wait. Resume it first." },
};

/** The goal after a person's change. What is so already stays so. Failures: `goal_state`, `goal_ended`. */
export function changeGoal(goal: Goal, change: GoalChange, now: number): Result<Goal> {
  if (goal.state === "done" || goal.state === "cleared") {
    if (change.do === "clear") return ok(goal);
    return err("goal_ended", `The goal is ${goal.state}: set a new one.`);
  }
  if (isSoAlready(goal, change)) return ok(goal);
  if (change.do in WRONG_STATE) {
    const { from, words } = WRONG_STATE[change.do as keyof typeof WRONG_STATE];
    if (!from.includes(goal.state)) return err("goal_state", `The goal is ${goal.state}. ${words}`);
  }
  const { waitUntil: _, ...rest } = goal;
  const changed: Goal = { ...rest, updatedAt: now };
  switch (change.do) {
    case "pause":
      return ok({ ...changed, state: "paused", reason: change.reason ?? "A person paused it." });
    case "clear":
      return ok({ ...changed, state: "cleared", reason: "A person cleared it." });
    case "resume":
      return ok({ ...changed, state: "active", reason: "", turns: 0, serial: goal.serial + 1, failures: NO_FAILURES });
    case "wait":
      return ok({ ...changed, waitUntil: now + change.seconds * 1_000 });
    case "unwait":
      return ok(changed);
    case "subgoals":
      return ok({ ...goal, updatedAt: now, subgoals: change.subgoals });
    case "move":
      return ok({ ...goal, updatedAt: now, session: change.session, judged: 0, serial: goal.serial + 1 });
  }
}

function isSoAlready(goal: Goal, change: GoalChange): boolean {
  if (change.do === "pause") return goal.state === "paused";
  if (change.do === "resume") return goal.state === "active";
  return change.do === "move" && goal.session === change.session;
}
