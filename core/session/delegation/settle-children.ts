// How children end for their parent: by their report, by being given up, or with the parent's turn. The one place where the record
// of a child is closed, and where the wait for the last one ends. Synchronous, one transaction each.
import type { ChildRecord, ChildReport } from "../../schemas/sessions/delegation.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { EngineContext } from "../context.ts";
import { addDelegated } from "../ledger.ts";
import { toNotice } from "../prompt/notices.ts";
import { placeNotice } from "../readers/events.ts";
import { type WaitEnd, endWait } from "../turn/waiting/park-turn.ts";
import { isOpenChild, openChildRows } from "./child-rows.ts";

/** Takes a child's report. Repeating it changes nothing. A child that was given up keeps its state; what it spent counts. */
export function takeReport(context: EngineContext, child: SessionId, report: ChildReport): void {
  const known = openChildRows(context).find(child);
  if (!known || known.report) return;
  const { state, endedAt } = report;
  const ended: ChildRecord = { ...known, report, ...(isOpenChild(known) && { state, endedAt }) };
  settle(context, ended, () => {
    addDelegated(context, report.spent);
    context.jobs.delete(orderRow(child));
  });
}

/** The child will not report. `stalled`: it is told to stop. */
export function giveUpChild(context: EngineContext, child: SessionId, state: "stalled" | "lost"): void {
  const known = openChildRows(context).find(child);
  if (!known || !isOpenChild(known)) return;
  settle(context, { ...known, state, endedAt: context.host.clock.now() }, () => {
    if (state === "stalled") orderStop(context, child);
    else context.jobs.delete(orderRow(child));
  });
}

/** Writes the changed record. The parent's turn goes on if it waits for this call and no child of it is open. */
function settle(context: EngineContext, changed: ChildRecord, record: () => void): void {
  const { host, log, hub, jobs } = context;
  const rows = openChildRows(context);
  const { op, session } = changed;
  const before = rows.ofCall(op);
  const isLast = before.every((row) => row.session === session || !isOpenChild(row));
  const isNews = isOpenChild(before[changed.task - 1]!);
  const turn = log.turn(changed.turn);
  const parked = turn?.state === "parked" ? turn.more.parked : undefined;
  const waits = parked?.for === "children" && parked.id === op && parked.over !== true;
  const write = () => {
    rows.put(changed);
    record();
    if (isLast) jobs.delete(watchRow(op));
    return { code: "child_ended", text: describeEnd(changed, before.length) };
  };
  if (turn && waits && isLast) return endWait(context, turn, { record: write });
  const notice = host.sql.transaction(() => {
    const said = write();
    if (!waits || !isNews) return null;
    const told = toNotice({ n: log.nextEntry(), turn: changed.turn, at: host.clock.now(), ...said });
    log.put(told);
    return told;
  });
  if (notice) hub.emit(placeNotice(notice));
}

const MAX_GOAL_CHARS = 100;

export function clipGoal(goal: string): string {
  const line = goal.replace(/\s+/gu, " ").trim();
  return line.length <= MAX_GOAL_CHARS ? line : `${line.slice(0, MAX_GOAL_CHARS - 1).toWellFormed()}…`;
}

function describeEnd({ task, state, goal, report }: ChildRecord, tasks: number): string {
  const calls = report?.stats.modelCalls;
  const steps = calls === undefined ? "" : ` after ${calls} model call${calls === 1 ? "" : "s"}`;
  return `Task ${task} of ${tasks} ${ENDS[state]}${steps}: ${clipGoal(goal)}`;
}

const ENDS: Record<ChildRecord["state"], string> = {
  starting: "begins",
  running: "runs",
  done: "is done",
  failed: "has failed",
  stopped: "was stopped",
  stalled: "was given up: it made no progress",
  lost: "is lost: its session was deleted or could not begin",
};

/** What happens to children whose parent stops waiting for them. */
export const CHILDREN_END: WaitEnd = {
  expire(context, op) {
    const open = closeChildren(context, op, "stalled");
    return { code: "child_ended", text: `The delegated work took too long. Given up: ${open} of its tasks.` };
  },
  withdraw: (context, op) => void closeChildren(context, op, "stopped"),
};

/** Inside the caller's transaction. Returns how many were open. */
function closeChildren(context: EngineContext, op: string, state: "stalled" | "stopped"): number {
  const rows = openChildRows(context);
  const open = rows.ofCall(op).filter(isOpenChild);
  for (const row of open) {
    rows.put({ ...row, state, endedAt: context.host.clock.now() });
    orderStop(context, row.session);
  }
  context.jobs.delete(watchRow(op));
  return open.length;
}

/** Replaces the order to begin, if that was not acknowledged. */
function orderStop({ host, jobs }: EngineContext, session: SessionId): void {
  jobs.put(orderRow(session), host.clock.now(), { kind: "child", session, order: "stop" });
}

export function orderRow(child: SessionId): string {
  return `child:${child}`;
}

export function watchRow(op: string): string {
  return `children:${op}`;
}
