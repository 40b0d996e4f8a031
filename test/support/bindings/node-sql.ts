// The Sql port over node:sqlite. The session engine uses it outside workerd, in tests, simulations and benches.
import { DatabaseSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../../core/ports.ts";

export function createNodeSql(path = ":memory:"): Sql & { close(): void } {
  const database = new DatabaseSync(path);
  return { ...toSql(database), close: () => database.close() };
}

export function toSql(database: DatabaseSync): Sql {
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
