// The upkeep state of a profile: the last day it was used, when its memory in KV is swept, and the version of its tables. One row,
// written once on each day of use. Called by the Account.
import { StateNewerError } from "../core/errors.ts";
import type { MemorySwept, Sql } from "../core/ports.ts";
import { DAY_MS, type Day, type ProfileId, dayOf } from "../core/schemas/ids.ts";
import { createMemoryStore } from "../stores/memory-store.ts";
import { type ErasureEnv, toErasureStores } from "../wiring/erasure-stores.ts";

export const UPKEEP_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS account_state (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL,
    active_day TEXT NOT NULL, sweep_due INTEGER) STRICT, WITHOUT ROWID`,
];

/** Increase when the meaning of a table changes. 2: keys that may not do everything, or expire. */
const VERSION = 2;
/** The version of an account that has nothing which an earlier version would misread. */
const FIRST_VERSION = 1;
/** KV may show two deletes in either order, so the second is made only when the first is surely visible. */
const SETTLE_MS = DAY_MS + 60 * 60_000;
/** [cf] KV takes a minute to show deletions: a sweep that continues earlier would delete the same keys again. */
const SHOWN_MS = 2 * 60_000;

interface UpkeepState {
  version: number;
  day: string;
  due: number | null;
}

export function createUpkeep(sql: Sql) {
  function read(): UpkeepState | null {
    const hasTable = sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'account_state'").length > 0;
    if (!hasTable) return null;
    return sql.run<UpkeepState>(`SELECT version, active_day AS day, sweep_due AS due FROM account_state`)[0] ?? null;
  }

  return {
    isNewer: (): boolean => (read()?.version ?? VERSION) > VERSION,
    checkVersion(): void {
      const version = read()?.version ?? VERSION;
      if (version > VERSION) throw new StateNewerError("The account of this profile", version, VERSION);
    },
    /** From now on earlier versions only read this account. Idempotent. */
    raiseVersion(): void {
      for (const statement of UPKEEP_SCHEMA) sql.run(statement);
      sql.run(
        `INSERT INTO account_state VALUES (1, ?, '', NULL) ON CONFLICT DO UPDATE SET version = max(version, excluded.version)`,
        VERSION,
      );
    },
    /** Notes a day of use, and postpones the sweep. `before`: the day of use before it, if any. `null`: the day was noted before. */
    note(now: number, keepDays: number): { before: Day | null } | null {
      const day = dayOf(now);
      const before = read()?.day || null;
      if (before === day) return null;
      sql.run(
        `INSERT INTO account_state VALUES (1, ?, ?, ?) ON CONFLICT DO UPDATE SET active_day = excluded.active_day,
          sweep_due = excluded.sweep_due`,
        ...[FIRST_VERSION, day, Date.parse(`${day}T00:00:00Z`) + (keepDays + 2) * DAY_MS],
      );
      return { before };
    },
    due: (): number | null => read()?.due ?? null,
    isDue(now: number): boolean {
      const due = read()?.due ?? null;
      return due !== null && due <= now;
    },
    /** Plans another sweep only if this one was not enough, or a removal must outlive its add. */
    swept(now: number, left: MemorySwept["left"]): void {
      sql.run("UPDATE account_state SET sweep_due = ?", nextSweep(now, left));
    },
  };
}

/** Deletes what was forgotten before `before`. */
export async function sweepMemory(env: ErasureEnv, profile: ProfileId, before: number): Promise<MemorySwept["left"]> {
  const { kv, clock } = toErasureStores(env);
  return (await createMemoryStore({ kv, profile, clock, overlayMs: 0 }).sweep(before)).left;
}

function nextSweep(now: number, left: MemorySwept["left"]): number | null {
  if (left === "now") return now + SHOWN_MS;
  return left === "later" ? now + SETTLE_MS : null;
}
