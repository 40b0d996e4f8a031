// The job `goal` of a session: judge the turn that ended, store the verdict, tell the Agenda, and do what follows. Each step can be repeated:
// the verdict is stored before it is told, the Agenda takes it once for each turn, and a continuation has a key. Called by the outbox.
import { describeState, renderContinuation } from "../../goals/goal-text.ts";
import { toNext } from "../../goals/goal-machine.ts";
import type { Goal, GoalVerdict } from "../../schemas/agenda/goal.ts";
import { DAY_MS } from "../../schemas/ids.ts";
import { toUsageLines } from "../../schemas/usage.ts";
import { planAnswer } from "../channel/plan-delivery.ts";
import type { EngineContext, GoalPort } from "../context.ts";
import { bookOutsideTurn } from "../ledger.ts";
import { toNotice } from "../prompt/notices.ts";
import { isUndone } from "../undo/undone.ts";
import { type JudgedGoal, judgeTurn } from "./judge-turn.ts";
import { planJudged } from "./judged-turns.ts";
import { GOAL_ROW, type GoalJob, type GoalRow, readGoalRow } from "./plan-goal.ts";

/** The end of a turn plans the job again, so an open turn, which may wait for a person for days, needs no polling. */
const LOOK_AGAIN_MS = DAY_MS;
const TAKEN_BACK = "A person took the turn back.";

export async function carryGoal(context: EngineContext, row: GoalRow): Promise<void> {
  const { host, log, jobs } = context;
  if (!host.goals) return jobs.delete(row.id);
  // A person's message goes first, and its turn is judged in place of this one.
  if (log.openTurns().length > 0) return jobs.put(row.id, host.clock.now() + LOOK_AGAIN_MS, row.job);
  const { turn, broken } = row.job;
  if (turn === undefined) {
    const own = context.meta().goal;
    const paused = own && broken ? await host.goals.change(own.id, { do: "pause", reason: broken }) : null;
    return act(context, row.job, paused?.ok ? paused.value : await host.goals.newest(), paused?.ok === true);
  }
  const told = await tellVerdict(context, host.goals, { ...row.job, turn });
  if (told) act(context, told.job, told.goal, told.isVerdict);
}

/** The goal after the verdict on the turn. `null`: another turn has ended meanwhile, or the goal waits. */
async function tellVerdict(
  context: EngineContext,
  goals: GoalPort,
  job: GoalJob & { turn: number },
): Promise<{ job: GoalJob; goal: Goal | null; isVerdict: boolean } | null> {
  const { host, log, jobs } = context;
  let known: GoalJob & { turn: number } = job;
  if (!job.verdict) {
    const goal = await goals.newest();
    const next = toNext(goal, host.clock.now());
    // A goal that came after the turn had begun does not judge it.
    const { goal: own } = context.meta();
    if (!goal || own?.id !== goal.id) return { job, goal, isVerdict: false };
    // It may have ended by a verdict that was not told, because a person wrote meanwhile.
    if (next.kind === "nothing") return { job, goal, isVerdict: !own.over };
    // A person may have written just now.
    const until = log.openTurns().length > 0 ? host.clock.now() + LOOK_AGAIN_MS : next.kind === "wait" && next.until;
    if (until !== false) {
      if (isCurrent(context, job)) jobs.put(GOAL_ROW, until, job);
      return null;
    }
    const broken = job.broken ?? (isUndone(log, job.turn) ? TAKEN_BACK : null);
    const booking = `${host.session}.goal.${job.turn}.${goal.id}.${job.looks ?? 0}`;
    const judged = broken === null ? await judgeTurn(context, goal, { turn: job.turn, booking }) : null;
    const decided = { ...job, verdict: judged?.verdict ?? { kind: "broken" as const, reason: broken ?? "" } };
    const calls = judged && { booking, spent: judged.spent };
    if (!storeVerdict(context, { before: job, decided, goal: goal.id, calls })) return null;
    known = decided;
  }
  const id = context.meta().goal?.id;
  const judged = id === undefined ? null : await goals.takeVerdict(id, job.turn, known.verdict!);
  // A goal that has ended may have a successor.
  const goal = judged?.state === "active" ? judged : await goals.newest();
  return { job: known, goal, isVerdict: goal !== null && goal.id === judged?.id };
}

interface DecidedVerdict {
  before: GoalJob & { turn: number };
  decided: GoalJob & { verdict: GoalVerdict };
  goal: string;
  /** What the judge used, and the id of its booking: one for each time that it was asked. `null`: it was not. */
  calls: { booking: string; spent: JudgedGoal["spent"] } | null;
}

/**
 * One transaction: the verdict, its cost, and what learning is told. False: the verdict counts for nothing, because the row was planned anew, a
 * person has written or has taken the turn back; the cost is booked all the same.
 */
function storeVerdict(context: EngineContext, { before, decided, goal, calls }: DecidedVerdict): boolean {
  const { host, log, jobs } = context;
  const { session, clock } = host;
  return host.sql.transaction(() => {
    if (calls) {
      const lines = toUsageLines(calls.spent.map((call) => ({ kind: "goal", ...call })));
      bookOutsideTurn(context, { id: calls.booking, session, at: clock.now(), lines });
    }
    if (!isCurrent(context, before) || context.meta().goal?.id !== goal) return false;
    const isOpen = log.openTurns().length > 0;
    if (isOpen || (calls && isUndone(log, before.turn))) {
      // With `looks`, what it costs to ask again has a booking of its own.
      const again = { ...before, looks: (before.looks ?? 0) + 1 };
      jobs.put(GOAL_ROW, clock.now() + (isOpen ? LOOK_AGAIN_MS : 0), again);
      return false;
    }
    jobs.put(GOAL_ROW, clock.now(), decided);
    planJudged(context, before.turn, decided.verdict);
    return true;
  });
}

/** Does what the goal's state asks for, unless another turn has ended meanwhile. Synchronous. */
function act(context: EngineContext, job: GoalJob, goal: Goal | null, isVerdict: boolean): void {
  const { host, log, jobs } = context;
  if (!isCurrent(context, job)) return;
  const now = host.clock.now();
  if (log.openTurns().length > 0) return jobs.put(GOAL_ROW, now + LOOK_AGAIN_MS, job);
  const next = toNext(goal, now);
  keepGoal(context, goal);
  const { settingsRev } = job;
  const rev = settingsRev === undefined ? {} : { settingsRev };
  switch (next.kind) {
    case "continue": {
      const { id, serial } = goal!;
      const { channel } = context.meta().goal ?? {};
      const message = {
        key: `goal ${id} ${serial}`, // no client can send a space
        mark: { id, serial },
        parts: renderContinuation(goal!),
        channel,
        ...rev,
      };
      context.continueGoal(message);
      jobs.delete(GOAL_ROW);
      return;
    }
    case "wait":
      return jobs.put(GOAL_ROW, next.until, { kind: "goal", ...rev });
    case "nothing":
      return host.sql.transaction(() => {
        jobs.delete(GOAL_ROW);
        if (isVerdict && goal) tellEnd(context, goal);
      });
  }
}

/** Whether the row still says what this attempt began with. */
function isCurrent(context: EngineContext, job: GoalJob): boolean {
  return JSON.stringify(readGoalRow(context)?.job) === JSON.stringify(job);
}

/** The session remembers the goal that it works at, so that the ends of its turns need not ask. */
function keepGoal(context: EngineContext, goal: Goal | null): void {
  const { goal: known } = context.meta();
  const channel = known?.channel && { channel: known.channel };
  if (goal?.state === "active") {
    if (known?.id !== goal.id || known.over) context.changeMeta({ goal: { id: goal.id, ...channel } });
  } else if (known && !known.over) {
    context.changeMeta({ goal: { ...known, over: true } });
  }
}

/** The person reads that no more turns follow by themselves. Inside the caller's transaction, while no turn is open. */
function tellEnd(context: EngineContext, goal: Goal): void {
  const { host, log, hub } = context;
  const last = log.lastTurn();
  if (!last) return;
  const n = log.nextEntry();
  const text = describeState(goal, host.clock.now());
  log.put(toNotice({ n, turn: last.n, at: host.clock.now(), code: "goal", text }));
  const { channel } = context.meta().goal ?? {};
  if (channel) planAnswer(context, { ...last, more: { ...last.more, channel } }, { n, text });
  hub.emit({ at: { entry: n, offset: 0 }, event: { type: "notice_add", entry: n, code: "goal", text } });
}
