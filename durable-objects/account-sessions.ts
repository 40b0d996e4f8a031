// The profile's list of sessions, as its Account keeps it: what there is, of what kind, and which session began it. Used by the
// Account, over any Sql. Synchronous. Chats have no row of their kind, and a session
// without an idempotency key has none in `session_request`, so they cost nothing more.
import type { Sql } from "../core/ports.ts";
import type { Learning, SessionInfo } from "../core/schemas/api.ts";
import type { SessionId, Sha256 } from "../core/schemas/ids.ts";
import type { Origin } from "../core/schemas/sessions/origin.ts";
import type { SessionKind } from "../core/schemas/sessions/session-kind.ts";

export const SESSION_TABLES = ["session", "session_kind", "session_request", "session_origin"];

export const SESSION_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, title TEXT NOT NULL, learning TEXT NOT NULL,
    created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS session_kind (id TEXT PRIMARY KEY, kind TEXT NOT NULL, parent TEXT) STRICT, WITHOUT ROWID`,
];

/** Made with the first row. */
const REQUEST_SCHEMA = `CREATE TABLE IF NOT EXISTS session_request (key TEXT PRIMARY KEY, session TEXT NOT NULL)
  STRICT, WITHOUT ROWID`;

/** The same: only a branch has a row. `origins`: JSON, the farthest session first. */
const ORIGIN_SCHEMA = `CREATE TABLE IF NOT EXISTS session_origin (id TEXT PRIMARY KEY, origins TEXT NOT NULL) STRICT, WITHOUT ROWID`;

/** The tables that are made with their first row. */
export const MORE_SESSION_SCHEMA = [REQUEST_SCHEMA, ORIGIN_SCHEMA];

export interface SessionPage {
  /** Sessions created before this one. */
  after?: SessionId | undefined;
  limit: number;
  /** `all`: of every kind. */
  kind: SessionKind | "all";
}

interface SessionRow {
  session: string;
  title: string;
  learning: Learning;
  createdAt: number;
  kind: SessionKind | null;
  parent: string | null;
  origins: string | null;
}

/** The tables must exist; `session_kind` may be missing in an account that no newer version has written yet. */
export function createSessionRows(sql: Sql) {
  const columns = "id AS session, title, learning, created_at AS createdAt";
  const hasTable = (name: string) =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0;
  const hasKinds = () => hasTable("session_kind");
  const hasRequests = () => hasTable("session_request");
  const hasOrigins = () => hasTable("session_origin");
  const select = () => {
    const kinds = hasKinds()
      ? ["kind, parent", "LEFT JOIN session_kind USING (id)"]
      : ["NULL AS kind, NULL AS parent", ""];
    const origins = hasOrigins() ? ["origins", "LEFT JOIN session_origin USING (id)"] : ["NULL AS origins", ""];
    return `SELECT session.${columns}, ${kinds[0]}, ${origins[0]} FROM session ${kinds[1]} ${origins[1]}`;
  };
  return {
    /** Idempotent. */
    add({ session, title, learning, createdAt, kind, parent, branchedFrom }: SessionInfo): void {
      sql.run(
        "INSERT INTO session VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        ...[session, title, learning, createdAt],
      );
      if (branchedFrom) {
        sql.run(ORIGIN_SCHEMA);
        const origins = JSON.stringify(branchedFrom);
        sql.run("INSERT INTO session_origin VALUES (?, ?) ON CONFLICT DO NOTHING", session, origins);
      }
      if (!kind || kind === "chat") return;
      sql.run("INSERT INTO session_kind VALUES (?, ?, ?) ON CONFLICT DO NOTHING", session, kind, parent ?? null);
    },
    /** Newest first. */
    list({ after, limit, kind }: SessionPage): SessionInfo[] {
      const [ofKind, ...kinds] = kind === "all" ? ["1"] : kind === "chat" ? ["kind IS NULL"] : ["kind = ?", kind];
      const query = `SELECT * FROM (${select()}) WHERE (? IS NULL OR session < ?) AND ${ofKind}
        ORDER BY session DESC LIMIT ?`;
      return sql.run<SessionRow>(query, after ?? null, after ?? null, ...kinds, limit).map(toInfo);
    },
    /** In any order. */
    find(sessions: SessionId[]): SessionInfo[] {
      return sql
        .run<SessionRow>(
          `SELECT * FROM (${select()}) WHERE session IN (SELECT value FROM json_each(?))`,
          JSON.stringify(sessions),
        )
        .map(toInfo);
    },
    /** All that `session` began, and what those began, without itself. */
    descendants(session: SessionId): SessionId[] {
      if (!hasKinds()) return [];
      return sql
        .run<{ id: string }>(
          `WITH RECURSIVE tree(id) AS (SELECT id FROM session_kind WHERE parent = ? UNION
            SELECT session_kind.id FROM session_kind JOIN tree ON session_kind.parent = tree.id) SELECT id FROM tree`,
          session,
        )
        .map(({ id }) => id);
    },
    /** False: there is none of that id. */
    remove(session: SessionId): boolean {
      if (hasKinds()) sql.run("DELETE FROM session_kind WHERE id = ?", session);
      if (hasOrigins()) sql.run("DELETE FROM session_origin WHERE id = ?", session);
      if (hasRequests()) sql.run("DELETE FROM session_request WHERE session = ?", session);
      return sql.run("DELETE FROM session WHERE id = ? RETURNING id", session).length > 0;
    },
    /** The session that a request with this key began, or null. `key`: SHA-256 of an idempotency key. */
    begunBy(key: Sha256): SessionId | null {
      if (!hasRequests()) return null;
      return sql.run<{ session: string }>("SELECT session FROM session_request WHERE key = ?", key)[0]?.session ?? null;
    },
    putRequest(key: Sha256, session: SessionId): void {
      sql.run(REQUEST_SCHEMA);
      sql.run("INSERT INTO session_request VALUES (?, ?)", key, session);
    },
    rename(session: SessionId, title: string): void {
      sql.run("UPDATE session SET title = ? WHERE id = ?", title, session);
    },
    /** Names a session that has no title. */
    entitle(session: SessionId, title: string): void {
      sql.run("UPDATE session SET title = ? WHERE id = ? AND title = ''", title, session);
    },
  };
}

function toInfo({ kind, parent, origins, ...info }: SessionRow): SessionInfo {
  const branched = origins !== null && { branchedFrom: JSON.parse(origins) as Origin[] };
  return { ...info, ...(kind && { kind }), ...(parent && { parent }), ...branched };
}
