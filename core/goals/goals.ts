// The goals of a profile over its rows: each call is one transaction that also notes whom the Agenda must tell. Called by the Agenda object.
// Pure but for Sql and Clock; it never calls a session.
import { toOneLine } from "../clip.ts";
import { type Result, err, ok } from "../errors.ts";
import type { Clock, Sql } from "../ports.ts";
import type { Goal, GoalChange, GoalDetail, GoalId, GoalVerdict, ShownGoals } from "../schemas/agenda/goal.ts";
import type { SessionId } from "../schemas/ids.ts";
import { type GoalLimits, type NewGoal, applyVerdict, beginGoal, changeGoal } from "./goal-machine.ts";
import { type OwedWord, cameAt, createGoalRows } from "./goal-rows.ts";

/** What the prompts say. */
export const SHOWN = "shown";
const OF_SESSION = "session:";
const MAX_SHOWN = 20;
const MAX_SHOWN_CHARS = 300;
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 15 * 60_000;

const NOT_FOUND = err("goal_not_found", "There is no such goal.");

export type Goals = ReturnType<typeof createGoals>;

export function createGoals({ sql, clock, limits }: { sql: Sql; clock: Clock; limits(): GoalLimits }) {
  const rows = createGoalRows(sql);

  /** The caller's transaction. Verdicts that change no state are told to nobody. */
  function put(goal: Goal, before: Goal | null): void {
    rows.put(goal);
    const now = clock.now();
    const { session, state, source } = goal;
    if (before?.session !== session || before.state !== state || before.source !== source) rows.owe(SHOWN, now);
    rows.owe(`${OF_SESSION}${session}`, now);
    if (before && before.session !== session) rows.owe(`${OF_SESSION}${before.session}`, now);
  }

  /** Makes room: the oldest goals that have ended leave. False: all are open. */
  function makeRoom(): boolean {
    const all = rows.list();
    if (all.length < limits().maxPerProfile) return true;
    const oldest = all.findLast((goal) => !isOpen(goal));
    if (oldest) rows.remove(oldest.id);
    return oldest !== undefined;
  }

  return {
    find: (id: GoalId): Result<Goal> => {
      const goal = rows.find(id);
      return goal ? ok(goal) : NOT_FOUND;
    },
    /** With what was said of its turns. Failure: `goal_not_found`. */
    show: (id: GoalId): Result<GoalDetail> => {
      const goal = rows.find(id);
      return goal ? ok({ ...goal, verdicts: rows.verdicts(id) }) : NOT_FOUND;
    },
    newestOf: (session: SessionId): Goal | null => rows.newestOf(session),
    list: (): Goal[] => rows.list(),

    /**
     * Gives a session a goal. Repeated with its id, it answers the same goal. `replace`: the session's open goal is cleared first.
     * Failures: `goal_open`, `too_many_goals`.
     */
    begin(given: NewGoal, { replace = false } = {}): Result<Goal> {
      return sql.transaction(() => {
        const known = rows.find(given.id);
        if (known) return ok(known);
        const open = openOf(given.session);
        if (open && !replace) {
          return err("goal_open", `This session has a goal that is ${open.state}. Clear it first, or resume it.`);
        }
        if (open) rows.put(clearFor(open));
        if (!makeRoom()) {
          return err("too_many_goals", `A profile has at most ${limits().maxPerProfile} goals. Clear one first.`);
        }
        const goal = beginGoal(given, timeIn(given.session), limits());
        put(goal, null);
        return ok(goal);
      });
    },

    /**
     * `source`: somebody who does not own the profile says so; words of theirs make the whole goal content. Failures: `goal_not_found`,
     * `goal_open` (the session to move to has one), and those of `changeGoal`.
     */
    change(id: GoalId, change: GoalChange, source?: "content"): Result<Goal> {
      return sql.transaction(() => {
        const before = rows.find(id);
        if (!before) return NOT_FOUND;
        const other = change.do === "move" || change.do === "resume" ? openOf(targetOf(before, change)) : null;
        if (other && other.id !== id)
          return err("goal_open", "That session has an open goal of its own. Clear it first.");
        const changed = changeGoal(before, change, clock.now());
        if (!changed.ok || changed.value === before) return changed;
        const goal = { ...changed.value };
        if (change.do === "subgoals" && source) goal.source = source;
        if (change.do === "move") goal.movedAt = timeIn(change.session);
        put(goal, before);
        return ok(goal);
      });
    },

    /** What a turn of the goal's session showed. Once for each turn. `null`: the goal is gone, or another session works at it. */
    takeVerdict(
      id: GoalId,
      { session, turn }: { session: SessionId; turn: number },
      verdict: GoalVerdict,
    ): Goal | null {
      return sql.transaction(() => {
        const before = rows.find(id);
        if (before?.session !== session) return null;
        const goal = applyVerdict(before, turn, verdict, clock.now(), limits());
        if (goal === before) return goal;
        rows.put(goal);
        const { kind, reason } = verdict;
        const failed = verdict.kind === "done" && verdict.failed !== undefined ? { failed: verdict.failed } : {};
        rows.addVerdict(id, { at: clock.now(), session, turn, kind, reason, ...failed, state: goal.state });
        if (goal.state !== before.state) rows.owe(SHOWN, clock.now());
        return goal;
      });
    },

    /** The session was deleted: the goals that it worked at go with it, and nobody tells it more. Idempotent. */
    loseSession(session: SessionId): void {
      sql.transaction(() => {
        const lost = rows.list().filter((goal) => goal.session === session);
        for (const { id } of lost) rows.remove(id);
        rows.removeVerdictsOf(session);
        if (lost.length > 0) rows.owe(SHOWN, clock.now());
        rows.forget(`${OF_SESSION}${session}`);
      });
    },

    /** What the prompts of the profile's sessions say: the newest open goals that the owner set. */
    shown(): ShownGoals {
      const open = rows.list().filter((goal) => isOpen(goal) && goal.source === undefined);
      const lines = open.slice(0, MAX_SHOWN).map(({ id, session, text, state }) => ({
        ...{ id, session, state },
        text: toOneLine(text).slice(0, MAX_SHOWN_CHARS).toWellFormed(),
      }));
      return { goals: lines };
    },

    // ---- whom the Agenda must tell ----
    due: (): OwedWord[] => rows.owed().filter(({ due }) => due <= clock.now()),
    /** Milliseconds since 1970; `null`: nobody is to be told. */
    nextDue: (): number | null => rows.owed()[0]?.due ?? null,
    settle: rows.settle,
    retry(word: OwedWord): void {
      rows.postpone(word, clock.now() + Math.min(RETRY_MS * 2 ** word.tries, MAX_RETRY_MS));
    },
  };

  /** A session's newest goal is found by its time. */
  function timeIn(session: SessionId): number {
    const newest = rows.newestOf(session);
    return Math.max(clock.now(), newest ? cameAt(newest) + 1 : 0);
  }
  function openOf(session: SessionId): Goal | null {
    const newest = rows.newestOf(session);
    return newest && isOpen(newest) ? newest : null;
  }
  function clearFor(open: Goal): Goal {
    return { ...open, state: "cleared", reason: "Another goal took its place.", updatedAt: clock.now() };
  }
}

/** The session of a word that is owed; `null`: it is not for a session. */
export function sessionOf({ what }: OwedWord): SessionId | null {
  return what.startsWith(OF_SESSION) ? what.slice(OF_SESSION.length) : null;
}

function isOpen({ state }: Goal): boolean {
  return state !== "done" && state !== "cleared";
}

function targetOf(goal: Goal, change: GoalChange): SessionId {
  return change.do === "move" ? change.session : goal.session;
}
