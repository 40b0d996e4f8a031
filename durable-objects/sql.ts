// The Sql port over the storage of a Durable Object: its synchronous SQLite.
import type { Sql, SqlValue } from "../core/ports.ts";

export function toSql(storage: DurableObjectStorage): Sql {
  return {
    run: <Row>(query: string, ...values: SqlValue[]) => storage.sql.exec(query, ...values).toArray() as Row[],
    transaction: (work) => storage.transactionSync(work),
  };
}
