// Which turns the responses of a profile were, as its Account keeps them. Over any Sql, synchronous. The table is made with the first row.
// What a response says is in its session's log only.
import type { Sql } from "../../core/ports.ts";
import { DAY_MS, type SessionId } from "../../core/schemas/ids.ts";
import { ResponseEcho, type ResponseId, type StoredResponse } from "../../core/schemas/stored-response.ts";

export const RESPONSE_TABLES = ["response"];

/** `n` rises with time. */
const SCHEMA = `CREATE TABLE IF NOT EXISTS response (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL,
    turn INTEGER NOT NULL, first TEXT NOT NULL, at INTEGER NOT NULL, echo TEXT NOT NULL) STRICT`;

/** [OpenAI] responses are kept for 30 days. */
const KEEP_MS = 30 * DAY_MS;
export const MAX_RESPONSES = 10_000;
/** Rows that one response removes at most: more than it adds. */
const PRUNED_AT_ONCE = 10;

type ResponseRow = Omit<StoredResponse, "echo"> & { echo: string };

export function createResponseRows(sql: Sql) {
  const exists = () => sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'response'").length > 0;
  return {
    /** `null`: unknown, forgotten or too old. */
    find(id: ResponseId, now: number): StoredResponse | null {
      if (!exists()) return null;
      const query = "SELECT id, session, turn, first, at, echo FROM response WHERE id = ? AND at > ?";
      const [row] = sql.run<ResponseRow>(query, id, now - KEEP_MS);
      return row ? { ...row, echo: ResponseEcho.parse(JSON.parse(row.echo)) } : null;
    },
    put({ id, session, turn, first, at, echo }: StoredResponse, max = MAX_RESPONSES): void {
      sql.run(SCHEMA);
      const columns = "id, session, turn, first, at, echo";
      sql.run(
        `INSERT INTO response (${columns}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        ...[id, session, turn, first, at, JSON.stringify(echo)],
      );
      sql.run(
        `DELETE FROM response WHERE n IN (SELECT n FROM response ORDER BY n LIMIT ${PRUNED_AT_ONCE})
          AND (at <= ? OR n <= (SELECT max(n) FROM response) - ?)`,
        ...[at - KEEP_MS, max],
      );
    },
    /** False: there is none of that id. */
    remove: (id: ResponseId): boolean =>
      exists() && sql.run("DELETE FROM response WHERE id = ? RETURNING id", id).length > 0,
    forgetSession(session: SessionId): void {
      if (exists()) sql.run("DELETE FROM response WHERE session = ?", session);
    },
    /** Removes those that are too old. */
    tidy(now: number): void {
      if (exists()) sql.run("DELETE FROM response WHERE at <= ?", now - KEEP_MS);
    },
  };
}
