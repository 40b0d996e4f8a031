// What a profile has allowed for all its sessions: standing allowances, and a mode of approval stricter than the operator's. Its
// tables are made with the first row. Called by the Account.
import { type Result, err, ok } from "../core/errors.ts";
import type { Sql } from "../core/ports.ts";
import { ApprovalMode, StandingAllowance } from "../core/schemas/approvals/approval.ts";
import type { ProfileApprovals } from "../core/session/context.ts";

/** [own] A longer list is not readable. */
const MAX_ALLOWANCES = 200;

export const APPROVAL_TABLES = ["allowance", "approval_mode"];

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS allowance (id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL)
    STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS approval_mode (one INTEGER PRIMARY KEY CHECK (one = 1), mode TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
];

export function createAccountApprovals(sql: Sql) {
  const hasTables = () => sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'allowance'").length > 0;
  const createTables = () => SCHEMA.forEach((statement) => void sql.run(statement));
  const all = () =>
    sql
      .run<Omit<StandingAllowance, "v">>("SELECT id, kind, key, at FROM allowance ORDER BY at, id")
      .map((row) => StandingAllowance.parse({ v: 1, ...row }));
  return {
    /** Oldest first. */
    read(): ProfileApprovals {
      if (!hasTables()) return { mode: null, allowances: [] };
      const [row] = sql.run<{ mode: string }>("SELECT mode FROM approval_mode");
      return { mode: row ? ApprovalMode.parse(row.mode) : null, allowances: all() };
    },
    /** Idempotent by `id`. Of equal keys only one is kept. */
    allow({ id, kind, key, at }: Omit<StandingAllowance, "v">): Result<null> {
      return sql.transaction(() => {
        createTables();
        const known = all();
        if (known.some((one) => one.id === id || (one.kind === kind && one.key === key))) return ok(null);
        if (known.length >= MAX_ALLOWANCES) {
          return err("too_many_allowances", `A profile has at most ${MAX_ALLOWANCES} allowances: revoke one first.`);
        }
        sql.run("INSERT INTO allowance VALUES (?, ?, ?, ?)", id, kind, key, at);
        return ok(null);
      });
    },
    revoke(id: string): boolean {
      return hasTables() && sql.run("DELETE FROM allowance WHERE id = ? RETURNING id", id).length > 0;
    },
    putMode(mode: ApprovalMode | null): void {
      sql.transaction(() => {
        createTables();
        sql.run("DELETE FROM approval_mode");
        if (mode !== null) sql.run("INSERT INTO approval_mode VALUES (1, ?)", mode);
      });
    },
  };
}
