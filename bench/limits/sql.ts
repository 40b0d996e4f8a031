// The Sql port over a database file, with SQLite's own memory kept small: in a Worker it lies outside the isolate.
import type { DatabaseSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../core/ports.ts";

export function toSql(database: DatabaseSync): Sql {
  database.exec("PRAGMA cache_size = -2000; PRAGMA synchronous = OFF");
  return {
    run<Row>(query: string, ...values: SqlValue[]): Row[] {
      return database.prepare(query).all(...values) as Row[];
    },
    transaction<T>(work: () => T): T {
      database.exec("BEGIN");
      try {
        const value = work();
        database.exec("COMMIT");
        return value;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}
