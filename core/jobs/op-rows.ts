// Calls that have made or changed a job, by the name that the caller gave them: the same call again changes nothing. Beginning a run keeps the name
// in its own row. Synchronous, over any Sql. Used by jobs.ts alone.
import type { Sql } from "../ports.ts";
import { DAY_MS } from "../schemas/ids.ts";

/** A caller repeats a call within minutes; a client of the API within days. */
export const KEEP_OPS_MS = 7 * DAY_MS;
const REMOVED_AT_ONCE = 200;

/** `what`: the action, the job's name, and of a new job the fingerprint of its form. */
export const OP_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS job_op (op TEXT PRIMARY KEY, at INTEGER NOT NULL, what TEXT NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE INDEX IF NOT EXISTS job_op_at ON job_op (at)",
];

export type OpRows = ReturnType<typeof createOpRows>;

export function createOpRows(sql: Sql) {
  return {
    /** `null`: there was no such call. */
    find: (op: string): string | null =>
      sql.run<{ what: string }>("SELECT what FROM job_op WHERE op = ?", op)[0]?.what ?? null,
    /** Inside the caller's transaction. */
    add(op: string, what: string, at: number): void {
      sql.run("INSERT INTO job_op VALUES (?, ?, ?)", op, at, what);
    },
    oldest: (): number | null => sql.run<{ at: number }>("SELECT at FROM job_op ORDER BY at LIMIT 1")[0]?.at ?? null,
    removeOld(before: number): void {
      sql.run("DELETE FROM job_op WHERE op IN (SELECT op FROM job_op WHERE at <= ? LIMIT ?)", before, REMOVED_AT_ONCE);
    },
  };
}
