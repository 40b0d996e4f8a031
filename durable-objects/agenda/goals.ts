// The goals of a profile in its Agenda: the calls of the API and of sessions, and whom the Agenda tells of a change. Each change is stored
// with whom it owes word before anybody is told, and word is owed until it was taken. Called by agenda.ts only.
import { GOAL_SCHEMA, upgradeGoalTables } from "../../core/goals/goal-rows.ts";
import type { NewGoal } from "../../core/goals/goal-machine.ts";
import { SHOWN, type Goals, createGoals, sessionOf } from "../../core/goals/goals.ts";
import { type Result, err, messageOf } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import type { Goal, GoalChange, GoalDetail, GoalId, GoalVerdict } from "../../core/schemas/agenda/goal.ts";
import type { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { readSettings } from "../../wiring/settings.ts";
import { hasTable } from "../sql.ts";
import { type AgendaEnv, openAccount, openSession } from "./context.ts";

const NOT_FOUND = err("goal_not_found", "There is no such goal.");
const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

interface DeskOptions {
  sql: Sql;
  env: AgendaEnv;
  profile: ProfileId;
  /** Call after each change: sets the alarm, and has `tell` run. */
  changed(): Promise<void>;
}

export type GoalDesk = ReturnType<typeof createGoalDesk>;

export function createGoalDesk({ sql, env, profile, changed }: DeskOptions) {
  const limits = () => readSettings(env).goals;
  const goals: Goals = createGoals({ sql, clock: systemClock, limits });
  const exists = () => hasTable(sql, "goal");
  upgradeGoalTables(sql);

  return {
    list: (): Goal[] => (exists() ? goals.list() : []),
    /** With what was said of its turns. Failure: `goal_not_found`. */
    show: (id: GoalId): Result<GoalDetail> => (exists() ? goals.show(id) : NOT_FOUND),
    newestOf: (session: SessionId): Goal | null => (exists() ? goals.newestOf(session) : null),

    /** Anyone may guess a profile's id, so nothing is stored before the Account knows it. Failures: `profile_gone`, those of `begin` in core/goals. */
    async begin(goal: NewGoal, replace: boolean): Promise<Result<Goal>> {
      if (!exists()) {
        if ((await openAccount(env, profile).checkProfile()) === null) return PROFILE_GONE;
        sql.transaction(() => {
          for (const query of GOAL_SCHEMA) sql.run(query);
        });
      }
      const begun = goals.begin(goal, { replace });
      if (begun.ok) await changed();
      return begun;
    },
    /** Failures: those of `change` in core/goals. */
    async change(id: GoalId, change: GoalChange, source?: "content"): Promise<Result<Goal>> {
      if (!exists()) return NOT_FOUND;
      const answer = goals.change(id, change, source);
      if (answer.ok) await changed();
      return answer;
    },
    async takeVerdict(
      id: GoalId,
      of: { session: SessionId; turn: number },
      verdict: GoalVerdict,
    ): Promise<Goal | null> {
      if (!exists()) return null;
      const goal = goals.takeVerdict(id, of, verdict);
      if (goals.nextDue() !== null) await changed();
      return goal;
    },

    /** The session was deleted. Its goals are gone from the profile's settings too, unless the Account did not answer: then the alarm tries again. */
    async forgetSession(session: SessionId): Promise<void> {
      if (!exists()) return;
      goals.loseSession(session);
      await this.tell();
      if (goals.nextDue() !== null) await changed();
    },

    /** Milliseconds since 1970; `null`: nobody is owed word. */
    nextDue: (): number | null => (exists() ? goals.nextDue() : null),
    /** Tells everybody whose time has come. Never rejects. */
    async tell(): Promise<void> {
      if (!exists()) return;
      for (const word of goals.due()) {
        try {
          const session = sessionOf(word);
          if (word.what === SHOWN) await show();
          else if (session && !(await openSession(env, profile, session).lookAtGoal())) goals.loseSession(session);
          goals.settle(word);
        } catch (error) {
          console.error(`agenda ${profile}: ${word.what}: ${messageOf(error)}`);
          goals.retry(word);
        }
      }
    },
  };

  /** What the prompts of the profile's sessions say. A profile that is gone shows nothing. */
  async function show(): Promise<void> {
    const account = openAccount(env, profile);
    const shown = goals.shown();
    if (shown.goals.length === 0) await account.removeSetting("goals", "all");
    else await account.putSetting("goals", "all", shown);
  }
}
