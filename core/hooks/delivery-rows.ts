// The events that wait for a receiver, and the log of those that were sent: one row for each hook and event. Its table is made with
// the first row. A body is kept while it may be sent. Used by the Account, over any Sql. Synchronous.
import type { Sql } from "../ports.ts";
import { type CurationId, DAY_MS, type SessionId } from "../schemas/ids.ts";
import type { DeliveryAttempt, DeliveryState, HookDelivery, HookEvent, HookId } from "../schemas/profile/hooks.ts";

const HOOK_TABLE = "hook_delivery";
export const HOOK_TABLES = [HOOK_TABLE, "hook_curation"];

const MARK_SCHEMA = `CREATE TABLE IF NOT EXISTS hook_curation (one INTEGER PRIMARY KEY CHECK (one = 1), run TEXT NOT NULL)
  STRICT, WITHOUT ROWID`;
const SCHEMA = `CREATE TABLE IF NOT EXISTS hook_delivery (hook TEXT, event TEXT, type TEXT NOT NULL, session TEXT,
  at INTEGER NOT NULL, body TEXT, state TEXT NOT NULL, error TEXT, attempts TEXT NOT NULL, due INTEGER,
  PRIMARY KEY (hook, event)) STRICT, WITHOUT ROWID`;

/** [own] Ended deliveries that the log of one hook keeps. */
const MAX_ENDED = 100;
const KEEP_MS = 7 * DAY_MS;
/** [own] Events that wait for one hook. A receiver that is slower than its events for so long does not catch up. */
const MAX_WAITING = 200;

/** A delivery that is due. */
export interface DueDelivery {
  hook: HookId;
  event: string;
  body: string;
  attempts: DeliveryAttempt[];
}

export type DeliveryRows = ReturnType<typeof openDeliveryRows>;

export function openDeliveryRows(sql: Sql) {
  const hasTable = () =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", HOOK_TABLE).length > 0;
  const count = (hook: HookId, state: string) =>
    sql.run<{ n: number }>(`SELECT count(*) AS n FROM hook_delivery WHERE hook = ? AND ${state}`, hook)[0]!.n;

  /** Makes room for one more. */
  function prune(hook: HookId, now: number): void {
    sql.run("DELETE FROM hook_delivery WHERE hook = ? AND due IS NULL AND at <= ?", hook, now - KEEP_MS);
    const over = count(hook, "due IS NULL") - MAX_ENDED + 1;
    if (over <= 0) return;
    sql.run(
      `DELETE FROM hook_delivery WHERE hook = ? AND event IN
        (SELECT event FROM hook_delivery WHERE hook = ? AND due IS NULL ORDER BY at, event LIMIT ?)`,
      ...[hook, hook, over],
    );
  }

  return {
    /**
     * Inside the caller's transaction. An event that the hook has already is not added again. When too many wait, the new one is
     * given up at once.
     */
    add(hook: HookId, { id, type, session, at, body }: HookEvent, now: number): void {
      sql.run(SCHEMA);
      prune(hook, now);
      const isFull = count(hook, "due IS NOT NULL") >= MAX_WAITING;
      const [state, error, kept, due] = isFull ? ["failed", "queue_full", null, null] : ["waiting", null, body, now];
      sql.run(
        "INSERT INTO hook_delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]', ?) ON CONFLICT DO NOTHING",
        ...[hook, id, type, session ?? null, at, kept!, state!, error!, due!],
      );
    },

    /** Adds what was sent in a single attempt. */
    log(
      hook: HookId,
      { id, type, at }: HookEvent,
      { attempt, state }: { attempt: DeliveryAttempt; state: DeliveryState },
      now: number,
    ): void {
      sql.run(SCHEMA);
      prune(hook, now);
      sql.run(
        "INSERT INTO hook_delivery VALUES (?, ?, ?, NULL, ?, NULL, ?, NULL, ?, NULL)",
        ...[hook, id, type, at, state, JSON.stringify([attempt])],
      );
    },

    /** The hook's delivery that has been due the longest. */
    nextDue(hook: HookId, now: number): DueDelivery | null {
      const [row] = sql.run<Omit<DueDelivery, "attempts"> & { attempts: string }>(
        `SELECT hook, event, body, attempts FROM hook_delivery WHERE hook = ? AND due <= ? ORDER BY due, at, event LIMIT 1`,
        ...[hook, now],
      );
      return row ? { ...row, attempts: JSON.parse(row.attempts) as DeliveryAttempt[] } : null;
    },

    /** When each hook has its next delivery. */
    dues(): { hook: HookId; due: number }[] {
      if (!hasTable()) return [];
      return sql.run("SELECT hook, min(due) AS due FROM hook_delivery WHERE due IS NOT NULL GROUP BY hook");
    },

    /** Records an attempt. `due`: of the next one; `null` after the last. Does nothing if the row was deleted meanwhile. */
    attempted(
      { hook, event }: Pick<DueDelivery, "hook" | "event">,
      { attempts, state, due }: { attempts: DeliveryAttempt[]; state: DeliveryState; due: number | null },
    ): void {
      sql.run(
        `UPDATE hook_delivery SET attempts = ?, state = ?, due = ?, body = iif(? IS NULL, NULL, body)
          WHERE hook = ? AND event = ?`,
        ...[JSON.stringify(attempts), state, due, due, hook, event],
      );
    },

    /** Gives up what waits for the hook. */
    giveUp(hook: HookId, error: string): void {
      if (!hasTable()) return;
      sql.run(
        "UPDATE hook_delivery SET state = 'failed', error = ?, due = NULL, body = NULL WHERE hook = ? AND due IS NOT NULL",
        ...[error, hook],
      );
    },

    /** Newest first. */
    list(hook: HookId): HookDelivery[] {
      if (!hasTable()) return [];
      return sql
        .run<RawDelivery>("SELECT * FROM hook_delivery WHERE hook = ? ORDER BY at DESC, event DESC", hook)
        .map(toDelivery);
    },

    find(hook: HookId, event: string): HookDelivery | null {
      if (!hasTable()) return null;
      const [row] = sql.run<RawDelivery>("SELECT * FROM hook_delivery WHERE hook = ? AND event = ?", hook, event);
      return row ? toDelivery(row) : null;
    },

    /** The last curation whose withdrawals were reported; `null`: none was. */
    lastCuration(): CurationId | null {
      sql.run(MARK_SCHEMA);
      return sql.run<{ run: CurationId }>("SELECT run FROM hook_curation")[0]?.run ?? null;
    },

    putLastCuration(run: CurationId): void {
      sql.run("INSERT INTO hook_curation VALUES (1, ?) ON CONFLICT DO UPDATE SET run = excluded.run", run);
    },

    /** Drops ended deliveries that are too old. */
    tidy(now: number): void {
      if (hasTable()) sql.run("DELETE FROM hook_delivery WHERE due IS NULL AND at <= ?", now - KEEP_MS);
    },

    forgetHook(hook: HookId): void {
      if (hasTable()) sql.run("DELETE FROM hook_delivery WHERE hook = ?", hook);
    },

    forgetSession(session: SessionId): void {
      if (hasTable()) sql.run("DELETE FROM hook_delivery WHERE session = ?", session);
    },
  };
}

interface RawDelivery {
  event: string;
  type: HookEvent["type"];
  session: SessionId | null;
  at: number;
  state: DeliveryState;
  error: string | null;
  attempts: string;
  due: number | null;
}

function toDelivery({ event, type, session, at, state, error, attempts, due }: RawDelivery): HookDelivery {
  return {
    ...{ event, type, at, state, attempts: JSON.parse(attempts) as DeliveryAttempt[] },
    ...(session !== null && { session }),
    ...(error !== null && { error }),
    ...(due !== null && { dueAt: due }),
  };
}
