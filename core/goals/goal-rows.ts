// The goals of a profile, in its Agenda, and whom the Agenda owes word of a change. The tables are made with the first goal. Synchronous,
// over any Sql. Called by goals.ts.
import type * as z from "zod";
import { parseStored } from "../errors.ts";
import type { Sql } from "../ports.ts";
import { type Goal, type GoalId, type JudgedTurn, StoredGoal, StoredJudgedTurn } from "../schemas/agenda/goal.ts";
import type { SessionId } from "../schemas/ids.ts";

const VERDICT_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS goal_verdict (n INTEGER PRIMARY KEY, goal TEXT NOT NULL, session TEXT NOT NULL, record TEXT NOT NULL) STRICT`,
  "CREATE INDEX IF NOT EXISTS goal_verdict_goal ON goal_verdict (goal, n)",
  "CREATE INDEX IF NOT EXISTS goal_verdict_session ON goal_verdict (session)",
];
/** [own] Of one goal: the most turns that a goal may have without a person. */
const MAX_VERDICTS = 200;

export const GOAL_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS goal (id TEXT PRIMARY KEY, session TEXT NOT NULL, state TEXT NOT NULL, came_at INTEGER NOT NULL,
    body TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS goal_by_session ON goal (session, came_at)",
  // `what`: `session:<id>`, or `shown` for what the profile's prompts say. `n` rises with each change that is owed.
  ...VERDICT_SCHEMA,
  "CREATE TABLE IF NOT EXISTS goal_owed (what TEXT PRIMARY KEY, n INTEGER NOT NULL, due INTEGER NOT NULL, tries INTEGER NOT NULL) STRICT, WITHOUT ROWID",
];

export interface OwedWord {
  what: string;
  n: number;
  due: number;
  tries: number;
}

export function createGoalRows(sql: Sql) {
  const read = (where: string, ...values: (string | number)[]): Goal[] =>
    sql.run<{ id: string; body: string }>(`SELECT id, body FROM goal ${where}`, ...values).map(parse);
  return {
    /** Throws `StateNewerError` for a goal that a newer version wrote. */
    find: (id: GoalId): Goal | null => read("WHERE id = ?", id)[0] ?? null,
    /** The goal that came to the session last. */
    newestOf: (session: SessionId): Goal | null =>
      read("WHERE session = ? ORDER BY came_at DESC, id DESC LIMIT 1", session)[0] ?? null,
    /** Newest first. */
    list: (): Goal[] => read("ORDER BY came_at DESC, id DESC"),
    put(goal: Goal): void {
      const body = JSON.stringify({ v: 1, ...goal } satisfies StoredGoal);
      const { id, session, state } = goal;
      sql.run(
        `INSERT INTO goal VALUES (?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET session = excluded.session, state = excluded.state, came_at = excluded.came_at, body = excluded.body`,
        ...[id, session, state, cameAt(goal), body],
      );
    },
    remove(id: GoalId): void {
      sql.run("DELETE FROM goal WHERE id = ?", id);
      sql.run("DELETE FROM goal_verdict WHERE goal = ?", id);
    },

    /** The oldest beyond `MAX_VERDICTS` leaves. */
    addVerdict(goal: GoalId, judged: JudgedTurn): void {
      const record = JSON.stringify({ v: 1, ...judged } satisfies z.infer<typeof StoredJudgedTurn>);
      sql.run("INSERT INTO goal_verdict VALUES (NULL, ?, ?, ?)", goal, judged.session, record);
      sql.run(
        `DELETE FROM goal_verdict WHERE n = (SELECT n FROM goal_verdict INDEXED BY goal_verdict_goal WHERE goal = ? ORDER BY n DESC
          LIMIT 1 OFFSET ?)`,
        ...[goal, MAX_VERDICTS],
      );
    },
    /** Oldest first. */
    verdicts: (goal: GoalId): JudgedTurn[] =>
      sql
        .run<{ record: string }>(
          "SELECT record FROM goal_verdict INDEXED BY goal_verdict_goal WHERE goal = ? ORDER BY n",
          goal,
        )
        .map(({ record }) => {
          const what = `A verdict on the goal ${goal}`;
          const { v: _version, ...judged } = parseStored(StoredJudgedTurn, what, JSON.parse(record));
          return judged;
        }),
    /** The session was deleted: also goals that it worked at before another one say no more of it. */
    removeVerdictsOf(session: SessionId): void {
      sql.run("DELETE FROM goal_verdict WHERE session = ?", session);
    },

    /** Notes that somebody is to be told. What was noted before counts as the same word. */
    owe(what: string, due: number): void {
      sql.run(
        `INSERT INTO goal_owed VALUES (?, 1, ?, 0)
          ON CONFLICT DO UPDATE SET n = n + 1, due = excluded.due, tries = 0`,
        ...[what, due],
      );
    },
    owed: (): OwedWord[] => sql.run<OwedWord & Record<string, string | number>>("SELECT * FROM goal_owed ORDER BY due"),
    postpone({ what, n }: OwedWord, due: number): void {
      sql.run("UPDATE goal_owed SET due = ?, tries = tries + 1 WHERE what = ? AND n = ?", due, what, n);
    },
    /** Nobody is there to be told. */
    forget(what: string): void {
      sql.run("DELETE FROM goal_owed WHERE what = ?", what);
    },
    /** Leaves a word that was owed again meanwhile. */
    settle({ what, n }: OwedWord): void {
      sql.run("DELETE FROM goal_owed WHERE what = ? AND n = ?", what, n);
    },
  };
}

/** For goals that an earlier version stored: `came_at` was `created_at`, as no goal had moved; verdicts were not kept. Idempotent. */
export function upgradeGoalTables(sql: Sql): void {
  const has = (name: string) => sql.run("SELECT 1 FROM sqlite_master WHERE name = ?", name).length > 0;
  if (!has("goal")) return;
  if (!has("goal_verdict_session")) for (const query of VERDICT_SCHEMA) sql.run(query);
  if (sql.run("SELECT 1 FROM pragma_table_info('goal') WHERE name = 'created_at'").length === 0) return;
  sql.run("ALTER TABLE goal RENAME COLUMN created_at TO came_at");
}

/** When it came to its session. */
export function cameAt({ createdAt, movedAt = createdAt }: Goal): number {
  return movedAt;
}

function parse({ id, body }: { id: string; body: string }): Goal {
  const { v: _version, ...goal } = parseStored(StoredGoal, `The goal ${id}`, JSON.parse(body));
  return goal;
}
