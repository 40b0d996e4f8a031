// The session's tables, except those of the workspace (core/workspace/file-node.ts). docs/STORAGE.md describes each; a test
// compares. WITHOUT ROWID and no secondary index: after time awake, rows written are the largest cost of a turn.
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

/**
 * Version 1 had no column `more` and no row `schema`; version 2 had no column `observed`; version 3 stored parts of files by path.
 */
export const SCHEMA_VERSION = 4;

/** Whether the session was created. Reads without writing, so an unknown session stays without storage. */
export function hasTables(sql: Sql): boolean {
  return sql.run("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'turn'").length > 0;
}

export function createTables(sql: Sql): void {
  for (const statement of SESSION_SCHEMA) sql.run(statement);
  migrateWorkspace(sql);
  sql.run("INSERT INTO meta VALUES('schema', ?)", JSON.stringify(SCHEMA_VERSION));
}

/** Upgrades tables of an older version, all or nothing. */
export function migrate(sql: Sql): void {
  const row = sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'schema'")[0];
  const version = row ? (JSON.parse(row.value) as number) : 1;
  if (version > SCHEMA_VERSION) throw new StateNewerError("This session", version, SCHEMA_VERSION);
  if (version === SCHEMA_VERSION) return;
  sql.transaction(() => {
    if (version < 2) sql.run("ALTER TABLE turn ADD COLUMN more TEXT");
    if (version < 3) sql.run("ALTER TABLE turn ADD COLUMN observed TEXT");
    migrateWorkspace(sql);
    sql.run(
      "INSERT INTO meta VALUES('schema', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      JSON.stringify(SCHEMA_VERSION),
    );
  });
}
