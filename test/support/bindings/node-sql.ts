// The Sql port over node:sqlite. The session engine uses it outside workerd, in tests, simulations and benches.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../../core/ports.ts";

export function createNodeSql(path = ":memory:"): Sql & { close(): void } {
  const database = new DatabaseSync(path);
  return { ...toSql(database), close: () => database.close() };
}

export function toSql(database: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  function run<Row>(query: string, ...values: SqlValue[]): Row[] {
    let statement = prepared.get(query);
    if (!statement) prepared.set(query, (statement = database.prepare(query)));
    return statement.all(...values) as Row[];
  }
  return {
    run,
    transaction<T>(work: () => T): T {
      run("BEGIN");
      try {
        const value = work();
        run("COMMIT");
        return value;
      } catch (error) {
        run("ROLLBACK");
        throw error;
      }
    },
  };
}
