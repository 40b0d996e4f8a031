// What the end of a turn means for the session's goal, as the one job `goal`. Called inside the transaction that ends a turn; a session
// without a goal pays nothing. Synchronous.
import { parseSessionCommand } from "../../commands/parse-command.ts";
import { type Entry, type UserEntry, messageOf } from "../../schemas/entry.ts";
import type { ChannelOrigin } from "../../schemas/channels/delivery.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import type { TurnRow } from "../log-turns.ts";

export type GoalJob = Extract<Job, { kind: "goal" }>;
export type GoalRow = JobRow & { job: GoalJob };

/** A session works at one goal, so it has one row. */
export const GOAL_ROW = "goal";

export function readGoalRow({ jobs }: Pick<EngineContext, "jobs">): GoalRow | null {
  const row = jobs.get(GOAL_ROW);
  return row?.job.kind === "goal" ? { ...row, job: row.job } : null;
}

/** Inside the caller's transaction. `began`: the turn as it was while it ran. */
export function planGoal(
  context: EngineContext,
  ended: TurnRow,
  { began, closing }: { began: TurnRow; closing: Entry[] },
): void {
  const { host, jobs, log } = context;
  const { goal } = context.meta();
  const waiting = readGoalRow(context);
  if (!goal || goal.over) {
    // While the turn ran, the Agenda has said that the session has a goal.
    if (waiting) jobs.put(GOAL_ROW, host.clock.now(), waiting.job);
    return;
  }
  const final = closing.at(-1)!;
  const code = final.kind === "notice" ? final.code : "";
  const now = host.clock.now();
  const input = log.entry(ended.input!) as UserEntry;
  const isOthers = began.more.source === "content" && !input.goal;
  const channel = isOthers ? null : toLastingOrigin(began.more.channel);
  if (channel && channel.chat !== goal.channel?.chat) context.changeMeta({ goal: { ...goal, channel } });
  if (isOthers || parseSessionCommand(messageOf(input)) !== null) {
    // A turn that still waits for its judge goes on waiting for it.
    jobs.put(GOAL_ROW, now, waiting?.job ?? { kind: "goal", ...toRev(began) });
    return;
  }
  // The turn of the message that interrupted it is judged in its place, unless somebody else wrote that.
  const broken = code === "redirected" ? null : describeBroken(ended, code);
  jobs.put(GOAL_ROW, now, { kind: "goal", turn: ended.n, ...(broken && { broken }), ...toRev(began) });
}

/** A person stops the session while no turn is open: the next step does not begin. */
export function stopGoal({ host, jobs, log, meta }: EngineContext): void {
  const { goal } = meta();
  if (!goal || goal.over || log.openTurns().length > 0) return;
  jobs.put(GOAL_ROW, host.clock.now(), { kind: "goal", broken: "A person stopped it." });
}

function describeBroken({ state }: TurnRow, code: string): string | null {
  if (state === "stopped") return "A person stopped the turn.";
  return state === "failed" ? `The turn failed (${code}).` : null;
}

function toRev({ more: { settingsRev } }: TurnRow): Pick<GoalJob, "settingsRev"> {
  return settingsRev === undefined ? {} : { settingsRev };
}

/** Without the message that was answered: a continuation answers none. */
export function toLastingOrigin(origin: ChannelOrigin | undefined): ChannelOrigin | null {
  if (!origin) return null;
  const { message: _, ...lasting } = origin;
  return lasting;
}
