// When a profile was used last, when what it left in KV is to be swept, and which version of the program made its tables. One
// row; written once a day that the profile is used. Called by the Account.
import { StateNewerError } from "../core/errors.ts";
import type { MemorySwept, Sql } from "../core/ports.ts";
import { DAY_MS, dayOf } from "../core/schemas/ids.ts";

export const UPKEEP_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS account_state (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL,
    active_day TEXT NOT NULL, sweep_due INTEGER) STRICT, WITHOUT ROWID`,
];

/** Rises when a table means something else than before. */
const VERSION = 1;
/** KV shows two deletes in either order: what was deleted first must be seen to be gone. */
const SETTLE_MS = DAY_MS + 60 * 60_000;
/** [cf] KV takes a minute to show what was deleted: a sweep that goes on earlier would delete the same again. */
const SHOWN_MS = 2 * 60_000;

interface State {
  version: number;
  day: string;
  due: number | null;
}

export function createUpkeep(sql: Sql) {
  function read(): State | null {
    const hasTable = sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'account_state'").length > 0;
    if (!hasTable) return null;
    return sql.run<State>(`SELECT version, active_day AS day, sweep_due AS due FROM account_state`)[0] ?? null;
  }

  return {
    checkVersion(): void {
      const version = read()?.version ?? VERSION;
      if (version > VERSION) throw new StateNewerError("The account of this profile", version, VERSION);
    },
    /** False: this day is known. */
    note(now: number, keepDays: number): boolean {
      const day = dayOf(now);
      if (read()?.day === day) return false;
      sql.run(
        `INSERT INTO account_state VALUES (1, ?, ?, ?) ON CONFLICT DO UPDATE SET active_day = excluded.active_day,
          sweep_due = excluded.sweep_due`,
        ...[VERSION, day, Date.parse(`${day}T00:00:00Z`) + (keepDays + 2) * DAY_MS],
      );
      return true;
    },
    due: (): number | null => read()?.due ?? null,
    isDue(now: number): boolean {
      const due = read()?.due ?? null;
      return due !== null && due <= now;
    },
    /** Again only where one sweep was not enough, or a removal has to outlive its add. */
    swept(now: number, left: MemorySwept["left"]): void {
      const due = left === "now" ? now + SHOWN_MS : left === "later" ? now + SETTLE_MS : null;
      sql.run("UPDATE account_state SET sweep_due = ?", due);
    },
  };
}
