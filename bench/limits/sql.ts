// The Sql port over a database file. SQLite's own memory is kept small, because in a Worker it is outside the isolate.
import type { DatabaseSync } from "node:sqlite";
import type { Sql } from "../../core/ports.ts";
import { toSql as toNodeSql } from "../../test/support/bindings/node-sql.ts";

export function toSql(database: DatabaseSync): Sql {
  database.exec("PRAGMA cache_size = -2000; PRAGMA synchronous = OFF");
  return toNodeSql(database);
}
