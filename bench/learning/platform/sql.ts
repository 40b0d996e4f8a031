// The Sql port over node:sqlite. Each statement is prepared once, because a bench runs the same few statements very often.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../../core/ports.ts";

export function createBenchSql(): Sql & { close(): void } {
  const database = new DatabaseSync(":memory:");
  const prepared = new Map<string, { statement: StatementSync; answers: boolean }>();
  const prepare = (query: string) => {
    let known = prepared.get(query);
    if (known) return known;
    const statement = database.prepare(query);
    prepared.set(query, (known = { statement, answers: statement.columns().length > 0 }));
    return known;
  };
  return {
    run<Row>(query: string, ...values: SqlValue[]): Row[] {
      const { statement, answers } = prepare(query);
      if (answers) return statement.all(...values) as Row[];
      statement.run(...values);
      return [];
    },
    transaction<T>(work: () => T): T {
      prepare("BEGIN").statement.run();
      try {
        const value = work();
        prepare("COMMIT").statement.run();
        return value;
      } catch (error) {
        prepare("ROLLBACK").statement.run();
        throw error;
      }
    },
    close: () => database.close(),
  };
}
