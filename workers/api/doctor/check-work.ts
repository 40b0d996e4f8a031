// What a check-up says of the work that outlives a conversation: jobs, goals and boards, from what their objects hold. Called by run-doctor.ts.
import type { BoardStats } from "../../../core/board/contract.ts";
import type { DoctorLine } from "../../../core/schemas/doctor.ts";
import type { AgendaCheckUp } from "../../../durable-objects/agenda/context.ts";
import { bad, good, tell, warn } from "./lines.ts";

export const WORK_FIX = "Look for the error in the Worker's log.";
/** An alarm is set anew while the object works. Later than this, it was lost. */
const LOST_MS = 5 * 60_000;

/** No line for a profile that has neither jobs nor goals. `now`: milliseconds since 1970. */
export function checkAgenda(found: AgendaCheckUp, now: number): DoctorLine[] {
  return [...checkAlarm(found, now), ...checkJobs(found.jobs), ...checkGoals(found.goals)];
}

function checkAlarm({ alarm, due }: AgendaCheckUp, now: number): DoctorLine[] {
  if (due === null || (alarm !== null && alarm <= Math.max(due, now) + LOST_MS)) return [];
  return [bad("agenda", `no alarm is set for what is due at ${toTime(due)}`, "Check again: the check-up has set it.")];
}

function checkJobs({ jobs, late, stopped, lost }: AgendaCheckUp["jobs"]): DoctorLine[] {
  if (jobs === 0) return [];
  const lines = [
    ...late.map(({ name, due }) =>
      warn(
        `job ${name}`,
        `due since ${toTime(due)}, and not begun`,
        "Wait for the runs that are open, or raise `jobs.maxRunning` in TALARIA_SETTINGS.",
      ),
    ),
    ...stopped.map(({ name, why }) =>
      warn(
        `job ${name}`,
        tell(`it pauses: ${why}`),
        `Correct what the reason names, then POST /v1/jobs/${name}/resume.`,
      ),
    ),
    ...lost.map(({ name, slot }) =>
      warn(
        `job ${name}`,
        `nobody knows how its run of ${toTime(slot)} ended`,
        `Look whether its work was done; if not, POST /v1/jobs/${name}/run.`,
      ),
    ),
  ];
  return lines.length > 0 ? lines : [good("jobs", jobs === 1 ? "1 job" : `${jobs} jobs`)];
}

function checkGoals(goals: AgendaCheckUp["goals"]): DoctorLine[] {
  const open = goals.filter(({ state }) => state === "active" || state === "paused" || state === "blocked");
  if (open.length === 0) return [];
  const lines = open
    .filter(({ state }) => state !== "active")
    .map(({ id, session, state, reason }) =>
      warn(
        `goal ${id}`,
        tell(`${state}: ${reason}`),
        `Send /goal resume or /goal clear in its session ${session}, or use POST /v1/goals/${id}.`,
      ),
    );
  return lines.length > 0 ? lines : [good("goals", `${open.length} active`)];
}

/** `roles`: those that the profile has. */
export function checkBoard(
  board: string,
  { byStatus, byAssignee }: BoardStats,
  roles: readonly string[],
): DoctorLine[] {
  const check = `board ${board}`;
  const waiting = byAssignee.flatMap(({ assignee, status }) =>
    status === "ready" && assignee && "role" in assignee ? [assignee.role] : [],
  );
  const missing = [...new Set(waiting)].filter((role) => !roles.includes(role));
  if (missing.length > 0) {
    return missing.map((role) =>
      warn(
        check,
        `cards are ready for the role '${role}', which does not exist`,
        `Make it with PUT /v1/roles/${role}, or give the cards to another.`,
      ),
    );
  }
  const { ready, running, blocked, review } = byStatus;
  return [good(check, `${ready} ready, ${running} running, ${blocked} blocked, ${review} in review`)];
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
