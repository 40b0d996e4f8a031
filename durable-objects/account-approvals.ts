// What a profile has allowed for all its sessions: standing allowances, and a mode of approval stricter than the operator's. Its
// tables are made with the first row. Called by the Account.
import { type Result, ok } from "../core/errors.ts";
import type { Sql } from "../core/ports.ts";
import { ApprovalMode, StandingAllowance } from "../core/schemas/approvals/approval.ts";
import { checkRoom } from "../core/session/approvals/allowance-room.ts";
import type { ProfileApprovals } from "../core/session/context.ts";

export const APPROVAL_TABLES = ["allowance", "approval_mode"];

export const APPROVAL_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS allowance (id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL)
    STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS approval_mode (one INTEGER PRIMARY KEY CHECK (one = 1), mode TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
];

export function createAccountApprovals(sql: Sql) {
  const hasTables = () => sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'allowance'").length > 0;
  const createTables = () => APPROVAL_SCHEMA.forEach((statement) => void sql.run(statement));
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
    /** Idempotent by `id`. Failure: `too_many_allowances`. */
    allow(allowance: Omit<StandingAllowance, "v">): Result<null> {
      const { id, kind, key, at } = allowance;
      return sql.transaction(() => {
        createTables();
        const room = checkRoom(all(), allowance);
        if (!room.ok) return room;
        if (!room.value.isKept) sql.run("INSERT INTO allowance VALUES (?, ?, ?, ?)", id, kind, key, at);
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
