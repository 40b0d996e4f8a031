// A database that dies at a failpoint: before and after each write, and before and after each transaction. After that nothing more is
// written, as in a power cut. Used by the failpoints of sessions, boards and agendas.
import type { Sql, SqlValue } from "../../core/ports.ts";

export interface MortalSqlOptions {
  /** Throws if the process has died. */
  assertAlive(): void;
  /** Throws if the process dies here. */
  pass(point: string): void;
  /** A short name for what a statement writes; `null` if it only reads. */
  describeWrite(query: string, values: SqlValue[]): string | null;
  /** `writes`: the names of its statements, in order. */
  nameTransaction(writes: string[]): string;
  /** Called once it is written. */
  noteWrite(name: string): void;
}

export function createMortalSql(sql: Sql, options: MortalSqlOptions): Sql {
  const { assertAlive, pass, describeWrite, nameTransaction, noteWrite } = options;
  let within: string[] | null = null;
  return {
    run<Row>(query: string, ...values: SqlValue[]): Row[] {
      assertAlive();
      const write = describeWrite(query, values);
      if (!write) return sql.run<Row>(query, ...values);
      if (within) {
        within.push(write);
        return sql.run<Row>(query, ...values);
      }
      pass(`before ${write}`);
      const rows = sql.run<Row>(query, ...values);
      noteWrite(write);
      pass(`after ${write}`);
      return rows;
    },
    transaction(work) {
      assertAlive();
      const writes: string[] = [];
      within = writes;
      try {
        const value = sql.transaction(() => {
          const result = work();
          // All statements run, then all are rolled back.
          if (writes.length > 0) pass(`before ${nameTransaction(writes)}`);
          return result;
        });
        if (writes.length > 0) {
          const name = nameTransaction(writes);
          noteWrite(name);
          pass(`after ${name}`);
        }
        return value;
      } finally {
        within = null;
      }
    },
  };
}

/** The table that a statement writes to; `null` if it only reads. */
export function readWrittenTable(query: string): { table: string; isGone: boolean } | null {
  const [, table] = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/i.exec(query) ?? [];
  return table ? { table, isGone: /^\s*DELETE/i.test(query) } : null;
}
