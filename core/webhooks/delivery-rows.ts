// What came in by webhooks: one row for each delivery, from the moment it was accepted. While it waits it has its text; afterwards the row is
// the log, and keeps the id from being taken twice. Used by the Webhooks object, over any Sql. Synchronous.
import type { Sql } from "../ports.ts";
import { DAY_MS, type SessionId, type TurnId } from "../schemas/ids.ts";
import type { InboundDelivery, InboundState, WebhookName } from "../schemas/webhooks/webhook.ts";

/**
 * `lane`: rows of one lane are carried out in their order; the id of the session, or of the route for texts that are sent on. `due`: when the
 * row is to be carried out; absent once it has ended. `part`: of the group that is still open.
 */
export const DELIVERY_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS webhook_delivery (n INTEGER PRIMARY KEY, route TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
    event TEXT, state TEXT NOT NULL, lane TEXT, session TEXT, part TEXT, text TEXT, answers INTEGER NOT NULL, due INTEGER,
    tries INTEGER NOT NULL, turn TEXT, joined TEXT, reason TEXT) STRICT`,
  "CREATE UNIQUE INDEX IF NOT EXISTS webhook_delivery_id ON webhook_delivery (route, id)",
  "CREATE INDEX IF NOT EXISTS webhook_delivery_part ON webhook_delivery (part) WHERE part IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS webhook_delivery_due ON webhook_delivery (lane, n, due) WHERE due IS NOT NULL",
];

/** [hermes] A delivery id counts this long. */
export const REPEAT_MS = 60 * 60_000;
const KEEP_MS = 7 * DAY_MS;
/** [own] Ended deliveries of one route that the log keeps beyond the hour. */
const MAX_ENDED = 500;

export interface NewDelivery {
  route: WebhookName;
  id: string;
  at: number;
  event: string | null;
  state: "waiting" | "joined" | "ignored";
  lane?: string;
  session?: SessionId | null;
  part?: string;
  text?: string;
  /** Its answer is wanted elsewhere. */
  answers?: boolean;
  due?: number;
  joined?: string;
  reason?: string;
}

/** A delivery that is to be carried out. */
export interface WaitingDelivery {
  n: number;
  route: WebhookName;
  id: string;
  at: number;
  lane: string;
  /** `null`: the text is sent on without an agent. */
  session: SessionId | null;
  part: string | null;
  text: string;
  answers: boolean;
  due: number;
  tries: number;
}

export type DeliveryRows = ReturnType<typeof createDeliveryRows>;

export function createDeliveryRows(sql: Sql) {
  const WAITING = "n, route, id, at, lane, session, part, text, answers, due, tries";
  return {
    /** When this id was accepted, within the last hour; `null`: it is new. An older row of the id is removed. */
    acceptedAt(route: WebhookName, id: string, now: number): number | null {
      const [row] = sql.run<{ n: number; at: number; due: number | null }>(
        "SELECT n, at, due FROM webhook_delivery WHERE route = ? AND id = ?",
        ...[route, id],
      );
      if (!row) return null;
      if (row.at > now - REPEAT_MS || row.due !== null) return row.at;
      sql.run("DELETE FROM webhook_delivery WHERE n = ?", row.n);
      return null;
    },
    /** Inside the caller's transaction. */
    add(row: NewDelivery): void {
      const { route, id, at, event, state, lane, session, part, text, answers, due, joined, reason } = row;
      sql.run(
        `INSERT INTO webhook_delivery VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, ?, ?)`,
        ...[route, id, at, event, state, lane ?? null, session ?? null, part ?? null, text ?? null],
        ...[answers ? 1 : 0, due ?? null, joined ?? null, reason ?? null],
      );
    },
    /** The group that takes further events until its time has come. */
    openGroup(part: string, now: number): WaitingDelivery | null {
      const query = `SELECT ${WAITING} FROM webhook_delivery WHERE part = ? AND due > ? LIMIT 1`;
      const [row] = sql.run<RawWaiting>(query, part, now);
      return row ? toWaiting(row) : null;
    },
    extendGroup(n: number, text: string, due: number): void {
      sql.run("UPDATE webhook_delivery SET text = ?, due = ? WHERE n = ?", text, due, n);
    },
    /** It is full: due at once. */
    endGroup(n: number, now: number): void {
      sql.run("UPDATE webhook_delivery SET part = NULL, due = ? WHERE n = ?", now, n);
    },
    /** From now on its text is fixed. */
    closeGroup(n: number): void {
      sql.run("UPDATE webhook_delivery SET part = NULL WHERE n = ?", n);
    },

    /** The next lane after `after` with something due. */
    nextLane(after: string, now: number): string | null {
      const query = `SELECT lane FROM webhook_delivery INDEXED BY webhook_delivery_due
        WHERE due IS NOT NULL AND lane > ? AND due <= ? ORDER BY lane LIMIT 1`;
      return sql.run<{ lane: string }>(query, after, now)[0]?.lane ?? null;
    },
    /** The first delivery of the lane; not a group that is still open. It may be due later: then the lane waits. */
    head(lane: string, now: number): WaitingDelivery | null {
      const [row] = sql.run<RawWaiting>(
        `SELECT ${WAITING} FROM webhook_delivery INDEXED BY webhook_delivery_due
          WHERE lane = ? AND due IS NOT NULL AND (due <= ? OR part IS NULL) ORDER BY n LIMIT 1`,
        ...[lane, now],
      );
      return row ? toWaiting(row) : null;
    },
    /** Leaves out lanes of `except`. */
    hasDue(now: number, except: string[]): boolean {
      const query = `SELECT 1 FROM webhook_delivery INDEXED BY webhook_delivery_due
        WHERE due IS NOT NULL AND due <= ? AND lane NOT IN (SELECT value FROM json_each(?)) LIMIT 1`;
      return sql.run(query, now, JSON.stringify(except)).length > 0;
    },
    nextDue(except: string[]): number | null {
      const query = `SELECT min(due) AS due FROM webhook_delivery INDEXED BY webhook_delivery_due
        WHERE due IS NOT NULL AND lane NOT IN (SELECT value FROM json_each(?))`;
      return sql.run<{ due: number | null }>(query, JSON.stringify(except))[0]!.due;
    },

    /** The delivery has ended; its text leaves. */
    end(
      n: number,
      state: Exclude<InboundState, "waiting">,
      { turn, reason }: { turn?: TurnId; reason?: string } = {},
    ): void {
      sql.run(
        `UPDATE webhook_delivery SET state = ?, turn = ?, reason = ?, text = NULL, part = NULL, lane = NULL, due = NULL WHERE n = ?`,
        ...[state, turn ?? null, reason ?? null, n],
      );
    },
    /** `counts`: it was an attempt. */
    postpone(n: number, due: number, reason: string, counts = true): void {
      const query = "UPDATE webhook_delivery SET due = ?, tries = tries + ?, reason = ? WHERE n = ?";
      sql.run(query, due, counts ? 1 : 0, reason, n);
    },
    /** What waits for a session that was deleted is for another one. Inside the caller's transaction. */
    moveLane(session: SessionId, fresh: SessionId): void {
      sql.run(
        "UPDATE webhook_delivery SET lane = ?, session = ? WHERE lane = ? AND due IS NOT NULL",
        ...[fresh, fresh, session],
      );
    },

    /** Newest first: those before `before`. */
    list(
      route: WebhookName,
      { before, limit }: { before: number | null; limit: number },
    ): { n: number; delivery: InboundDelivery }[] {
      const query = `SELECT n, id, at, event, state, session, turn, joined, reason FROM webhook_delivery
        WHERE route = ? AND (? IS NULL OR n < ?) ORDER BY n DESC LIMIT ?`;
      return sql.run<RawDelivery>(query, route, before, before, limit).map(toDelivery);
    },
    /** How many each route has accepted after `since`. */
    countSince(since: number): Map<WebhookName, number> {
      const query = "SELECT route, count(*) AS n FROM webhook_delivery WHERE at > ? GROUP BY route";
      return new Map(sql.run<{ route: WebhookName; n: number }>(query, since).map(({ route, n }) => [route, n]));
    },
    /** The log goes on without the session's id. What waits for it is moved by the pump. */
    forgetSession(session: SessionId): void {
      sql.run("UPDATE webhook_delivery SET session = NULL, turn = NULL WHERE session = ? AND due IS NULL", session);
    },
    forgetRoute(route: WebhookName): void {
      sql.run("DELETE FROM webhook_delivery WHERE route = ?", route);
    },
    /** When the oldest row of the ledger is too old; `null`: there is none. */
    nextExpiry(): number | null {
      const [oldest] = sql.run<{ at: number }>("SELECT at FROM webhook_delivery ORDER BY n LIMIT 1");
      return oldest ? oldest.at + KEEP_MS : null;
    },
    /** Removes what is too old, and the oldest above the limit; nothing that waits, and nothing of the last hour. */
    tidy(now: number): void {
      sql.run("DELETE FROM webhook_delivery WHERE due IS NULL AND at <= ?", now - KEEP_MS);
      sql.run(
        `DELETE FROM webhook_delivery WHERE due IS NULL AND at <= ? AND n IN (SELECT n FROM
          (SELECT n, row_number() OVER (PARTITION BY route ORDER BY n DESC) AS place FROM webhook_delivery WHERE due IS NULL)
          WHERE place > ?)`,
        ...[now - REPEAT_MS, MAX_ENDED],
      );
    },
  };
}

type RawWaiting = Omit<WaitingDelivery, "answers"> & { answers: number };

function toWaiting({ answers, ...row }: RawWaiting): WaitingDelivery {
  return { ...row, answers: answers === 1 };
}

interface RawDelivery {
  n: number;
  id: string;
  at: number;
  event: string | null;
  state: InboundState;
  session: SessionId | null;
  turn: TurnId | null;
  joined: string | null;
  reason: string | null;
}

function toDelivery(row: RawDelivery): { n: number; delivery: InboundDelivery } {
  const { n, id, at, event, state, session, turn, joined, reason } = row;
  const delivery = {
    ...{ id, at, state },
    ...(event !== null && { event }),
    ...(session !== null && { session }),
    ...(turn !== null && { turn }),
    ...(joined !== null && { into: joined }),
    ...(reason !== null && { reason }),
  };
  return { n, delivery };
}
