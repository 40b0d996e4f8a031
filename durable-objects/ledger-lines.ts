// What a profile's sessions booked: one usage line for each day, session, kind, model and price source, and the ids of the bookings.
// The ledger's functions call it. Has no clock and opens no transaction.
import type { Sql } from "../core/ports.ts";
import type { Day, SessionId } from "../core/schemas/ids.ts";
import { type Booking, NOTHING_SPENT, type Spending } from "../core/schemas/usage.ts";

/** Placeholders in lines without a session or a model. */
const OLDER = "older";
export const DELETED = "deleted";
export const CURATION = "curation";
export const BOARDS = "boards";
/** Runs of earlier turns: those from the grant of the day, and those that a person gave tokens for. */
export const REPLAYS = "experiments";
export const ASKED_REPLAYS = "experiments-asked";
export const UNSETTLED = "unsettled";

const ADD_LINE = `INSERT INTO usage_line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, input = input + excluded.input,
    output = output + excluded.output, cache_read = cache_read + excluded.cache_read,
    cache_write = cache_write + excluded.cache_write, reasoning = reasoning + excluded.reasoning,
    usd_micros = usd_micros + excluded.usd_micros`;

// ---- ids of bookings ----

export function isBooked(sql: Sql, day: Day, id: string): boolean {
  return sql.run("SELECT 1 FROM booked WHERE day = ? AND id = ?", day, id).length > 0;
}

export function isBookedOnAnyDay(sql: Sql, id: string): boolean {
  return sql.run("SELECT 1 FROM booked WHERE id = ?", id).length > 0;
}

export function hasBookings(sql: Sql, day: Day): boolean {
  return sql.run("SELECT 1 FROM booked WHERE day = ? LIMIT 1", day).length > 0;
}

export function putBookingId(sql: Sql, day: Day, id: string): void {
  sql.run("INSERT INTO booked VALUES (?, ?)", day, id);
}

export function deleteBookingIdsBefore(sql: Sql, day: Day): void {
  sql.run("DELETE FROM booked WHERE day < ?", day);
}

/** The ids of a session's bookings begin with the session's id. */
export function deleteBookingIdsOf(sql: Sql, session: SessionId): void {
  sql.run("DELETE FROM booked WHERE id >= ? AND id < ?", session, `${session}~`);
}

// ---- usage lines ----

export function addLines(sql: Sql, day: Day, session: string, lines: Booking["lines"]): void {
  for (const { kind, model, source, calls, usage, usdMicros } of lines) {
    const { input, output, cacheRead, cacheWrite, reasoning = 0 } = usage;
    const counts = [calls, input, output, cacheRead, cacheWrite, reasoning, usdMicros];
    sql.run(ADD_LINE, day, session, kind, model, source, ...counts);
  }
}

/** A whole grant as one line: all tokens as input, without a price source. */
export function addUnsettledGrant(sql: Sql, day: Day, session: string, { tokens, usdMicros }: Spending): void {
  const counts = [tokens, 0, 0, 0, 0];
  sql.run(ADD_LINE, day, session, "review", UNSETTLED, "none", 0, ...counts, usdMicros);
}

export function spentOnDay(sql: Sql, day: Day): Spending {
  return sumDays(sql, "day = ?", day);
}

/** Tokens of the kind `replay` under one of the two names. */
export function replayTokensOf(sql: Sql, day: Day, holder: string): number {
  return sumDays(sql, "day = ? AND session = ? AND kind = 'replay'", day, holder).tokens;
}

/** From the day `from` on, and before the day `until`. */
export function spentFrom(sql: Sql, from: Day, until: Day): Spending {
  return sumDays(sql, "day >= ? AND day < ?", from, until);
}

function sumDays(sql: Sql, where: string, ...values: string[]): Spending {
  const [booked = NOTHING_SPENT] = sql.run<{ tokens: number; usdMicros: number }>(
    `SELECT coalesce(sum(input + output + cache_read + cache_write), 0) AS tokens,
      coalesce(sum(usd_micros), 0) AS usdMicros FROM usage_line WHERE ${where}`,
    ...values,
  );
  return booked;
}

/** Merges the lines of days before `oldest` over their sessions. */
export function dropSessionsBefore(sql: Sql, oldest: Day): void {
  const old = sql.run<Record<string, string | number>>(
    `SELECT day, '${OLDER}' AS session, kind, model, source, sum(calls), sum(input), sum(output), sum(cache_read),
      sum(cache_write), sum(reasoning), sum(usd_micros)
      FROM usage_line WHERE day < ? AND session <> '${OLDER}' GROUP BY day, kind, model, source`,
    oldest,
  );
  for (const line of old) sql.run(ADD_LINE, ...Object.values(line));
  if (old.length > 0) sql.run(`DELETE FROM usage_line WHERE day < ? AND session <> '${OLDER}'`, oldest);
}

/** Keeps the costs of a deleted session without its id. */
export function anonymizeLinesOf(sql: Sql, session: SessionId): void {
  const lines = sql.run<Record<string, string | number>>(
    `SELECT day, '${DELETED}' AS session, kind, model, source, calls, input, output, cache_read, cache_write, reasoning,
      usd_micros FROM usage_line WHERE session = ?`,
    session,
  );
  for (const line of lines) sql.run(ADD_LINE, ...Object.values(line));
  sql.run("DELETE FROM usage_line WHERE session = ?", session);
}
