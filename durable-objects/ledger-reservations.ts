// What is reserved of a profile's budget and not booked yet: one row for each grant of a review, curation or experiment, and for
// each running turn. The ledger's functions call it. Has no clock and opens no transaction.
import type { Sql } from "../core/ports.ts";
import type { Spending } from "../core/schemas/usage.ts";

export interface Reservation {
  id: string;
  kind: "review" | "turn" | "curation" | "replay";
  session: string;
  tokens: number;
  /** `null`: no limit in money. */
  usdMicros: number | null;
  reservedAt: number;
  expiresAt: number;
}

/** Oldest first. */
export function listReservations(sql: Sql): Reservation[] {
  return sql.run<Reservation>(
    `SELECT id, kind, session, tokens, usd_micros AS usdMicros, reserved_at AS reservedAt, expires_at AS expiresAt
      FROM reservation ORDER BY reserved_at, id`,
  );
}

export function findReservation(sql: Sql, id: string): Reservation | undefined {
  return listReservations(sql).find((reservation) => reservation.id === id);
}

/** Replaces an earlier reservation of the same id. */
export function putReservation(sql: Sql, reservation: Reservation): void {
  const { id, kind, session, tokens, usdMicros, reservedAt, expiresAt } = reservation;
  sql.run(
    `INSERT INTO reservation VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET tokens = excluded.tokens,
      usd_micros = excluded.usd_micros, reserved_at = excluded.reserved_at, expires_at = excluded.expires_at`,
    ...[id, kind, session, tokens, usdMicros, reservedAt, expiresAt],
  );
}

export function reduceReservation(sql: Sql, id: string, { tokens, usdMicros }: Spending): void {
  sql.run(
    `UPDATE reservation SET tokens = max(0, tokens - ?), usd_micros = max(0, usd_micros - ?) WHERE id = ?`,
    ...[tokens, usdMicros, id],
  );
}

export function deleteReservation(sql: Sql, id: string): void {
  sql.run("DELETE FROM reservation WHERE id = ?", id);
}
