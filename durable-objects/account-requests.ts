// Idempotency keys of requests that begin a session: which session each key began. The table is made with the first key. Called by
// the Account, inside its transactions.
import type { Sql } from "../core/ports.ts";
import type { SessionId, Sha256 } from "../core/schemas/ids.ts";

export const REQUEST_TABLE = "session_request";

export function createSessionRequests(sql: Sql) {
  const hasTable = () =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session_request'").length > 0;
  return {
    /** The session that this key began, or null. */
    find(key: Sha256): SessionId | null {
      if (!hasTable()) return null;
      return sql.run<{ session: string }>("SELECT session FROM session_request WHERE key = ?", key)[0]?.session ?? null;
    },
    put(key: Sha256, session: SessionId): void {
      sql.run(
        "CREATE TABLE IF NOT EXISTS session_request (key TEXT PRIMARY KEY, session TEXT NOT NULL) STRICT, WITHOUT ROWID",
      );
      sql.run("INSERT INTO session_request VALUES (?, ?)", key, session);
    },
    forget(session: SessionId): void {
      if (hasTable()) sql.run("DELETE FROM session_request WHERE session = ?", session);
    },
  };
}
