// The session's tables, except the workspace's (core/workspace/file-node.ts). docs/STORAGE.md describes each; a test compares.
// WITHOUT ROWID and no secondary index: after time awake, a row written is the dearest thing a turn buys.
import { StateNewerError } from "../errors.ts";
import type { Sql } from "../ports.ts";
import { migrateWorkspace } from "../workspace/workspace.ts";

const SESSION_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS turn(n INTEGER PRIMARY KEY, state TEXT NOT NULL, waiting TEXT, input INTEGER, final INTEGER,
    attempts INTEGER NOT NULL, stats TEXT NOT NULL, started_at INTEGER, ended_at INTEGER, more TEXT, observed TEXT)
    STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS entry(n INTEGER PRIMARY KEY, turn INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS block(entry INTEGER, i INTEGER, text TEXT NOT NULL, PRIMARY KEY(entry, i)) STRICT, WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS input_key(key TEXT PRIMARY KEY, hash TEXT NOT NULL, turn INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS job(id TEXT PRIMARY KEY, due INTEGER NOT NULL, tries INTEGER NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS overlay(key TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
];

/** 1 had no `more` and no row `schema`, 2 no `observed`. */
const SCHEMA_VERSION = 3;

/** Whether `create` was ever called: reading it leaves an unknown session without storage. */
export function hasTables(sql: Sql): boolean {
  return sql.run("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'turn'").length > 0;
}

export function createTables(sql: Sql): void {
  for (const statement of SESSION_SCHEMA) sql.run(statement);
  migrateWorkspace(sql);
  sql.run("INSERT INTO meta VALUES('schema', ?)", JSON.stringify(SCHEMA_VERSION));
}

/** Brings the tables of a session that an older version made up to this one's, all or nothing. */
export function migrate(sql: Sql): void {
  const row = sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'schema'")[0];
  const version = row ? (JSON.parse(row.value) as number) : 1;
  if (version > SCHEMA_VERSION) throw new StateNewerError("This session", version, SCHEMA_VERSION);
  if (version === SCHEMA_VERSION) return;
  sql.transaction(() => {
    if (version < 2) sql.run("ALTER TABLE turn ADD COLUMN more TEXT");
    sql.run("ALTER TABLE turn ADD COLUMN observed TEXT");
    migrateWorkspace(sql);
    sql.run(
      "INSERT INTO meta VALUES('schema', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      JSON.stringify(SCHEMA_VERSION),
    );
  });
}
