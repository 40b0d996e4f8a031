// The profile's runs, as its Account keeps them: which turn of which session each is, and the idempotency keys that began them. Over any
// Sql, synchronous. The tables are made with the first run. What a run says is in its session's log only.
import type { Sql } from "../../core/ports.ts";
import { DAY_MS, type SessionId, type Sha256 } from "../../core/schemas/ids.ts";
import type { RunId, RunRow } from "../../core/schemas/run.ts";

export const RUN_TABLES = ["run", "run_key"];

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, session TEXT NOT NULL, turn INTEGER, state TEXT NOT NULL,
    at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS run_open ON run (state) WHERE state = 'open'",
  `CREATE TABLE IF NOT EXISTS run_key (key TEXT PRIMARY KEY, body TEXT NOT NULL, run TEXT NOT NULL, at INTEGER NOT NULL)
    STRICT, WITHOUT ROWID`,
];

const KEY_MS = DAY_MS;
const KEEP_MS = 30 * DAY_MS;
export const MAX_RUNS = 10_000;

const COLUMNS = "id AS run, session, turn, state, at";

export interface RunPage {
  /** Runs before this one. */
  after?: RunId | undefined;
  limit: number;
}

export function createRunRows(sql: Sql) {
  const exists = (): boolean => sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run'").length > 0;
  return {
    exists,
    find(run: RunId): RunRow | null {
      return exists() ? (sql.run<RunRow>(`SELECT ${COLUMNS} FROM run WHERE id = ?`, run)[0] ?? null) : null;
    },
    /** Newest first. */
    list({ after, limit }: RunPage): RunRow[] {
      if (!exists()) return [];
      const query = `SELECT ${COLUMNS} FROM run WHERE (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?`;
      return sql.run<RunRow>(query, after ?? null, after ?? null, limit);
    },
    /** Oldest first: those that are not known to have ended. */
    open(): RunRow[] {
      return exists() ? sql.run<RunRow>(`SELECT ${COLUMNS} FROM run WHERE state = 'open' ORDER BY id`) : [];
    },
    /** What the key began in the last 24 hours. `body`: hash of the request. */
    begunBy(key: Sha256, now: number): { run: RunId; body: Sha256 } | null {
      if (!exists()) return null;
      const query = "SELECT run, body FROM run_key WHERE key = ? AND at > ?";
      return sql.run<{ run: RunId; body: Sha256 }>(query, key, now - KEY_MS)[0] ?? null;
    },
    add({ run, session, at }: Pick<RunRow, "run" | "session" | "at">, key: { key: Sha256; body: Sha256 } | null): void {
      for (const statement of SCHEMA) sql.run(statement);
      sql.run("INSERT INTO run VALUES (?, ?, NULL, 'open', ?)", run, session, at);
      if (!key) return;
      sql.run("INSERT OR REPLACE INTO run_key VALUES (?, ?, ?, ?)", key.key, key.body, run, at);
    },
    /** The session has accepted the message. A run that was given up meanwhile is open again. */
    place(run: RunId, turn: number): void {
      if (exists()) sql.run("UPDATE run SET turn = ?, state = 'open' WHERE id = ? AND turn IS NULL", turn, run);
    },
    settle(run: RunId, state: Exclude<RunRow["state"], "open">): void {
      if (exists()) sql.run("UPDATE run SET state = ? WHERE id = ? AND state = 'open'", state, run);
    },
    remove(run: RunId): void {
      if (!exists()) return;
      sql.run("DELETE FROM run_key WHERE run = ?", run);
      sql.run("DELETE FROM run WHERE id = ?", run);
    },
    forgetSession(session: SessionId): void {
      if (!exists()) return;
      sql.run("DELETE FROM run_key WHERE run IN (SELECT id FROM run WHERE session = ?)", session);
      sql.run("DELETE FROM run WHERE session = ?", session);
    },
    /** Removes old keys and runs, and the oldest runs above the limit. */
    tidy(now: number, max = MAX_RUNS): void {
      if (!exists()) return;
      sql.run("DELETE FROM run_key WHERE at <= ?", now - KEY_MS);
      sql.run(
        "DELETE FROM run WHERE at <= ? OR id IN (SELECT id FROM run ORDER BY id DESC LIMIT -1 OFFSET ?)",
        ...[now - KEEP_MS, max],
      );
    },
  };
}
