// The Sql port over the storage of a Durable Object: its synchronous SQLite.
import type { Sql, SqlValue } from "../core/ports.ts";

export function toSql(storage: DurableObjectStorage): Sql {
  return {
    run: <Row>(query: string, ...values: SqlValue[]) => storage.sql.exec(query, ...values).toArray() as Row[],
    transaction: (work) => storage.transactionSync(work),
  };
}

export function hasTable(sql: Sql, name: string): boolean {
  return sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0;
}
