// The ledger of a profile: what its sessions booked, by day; what is reserved for running reviews, turns and experiments; what may still be
// spent today. Used by the Account, over any Sql. Synchronous. Has no clock: callers pass `now` and `at`.
import type { Sql } from "../core/ports.ts";
import { DAY_MS, type SessionId, dayOf } from "../core/schemas/ids.ts";
import type { Grant } from "../core/schemas/learning/review.ts";
import { type Booking, type Budget, type UsageAsked, type UsageReport, sumUsageLines } from "../core/schemas/usage.ts";
import type { ReviewAdmission, ReviewRequest, TurnRequest } from "../core/session/context.ts";
import { type CurationRequest, reserveCuration, reserveReview, reserveTurn } from "./ledger-admission.ts";
import {
  CURATION,
  DELETED,
  addLines,
  addUnsettledGrant,
  anonymizeLinesOf,
  deleteBookingIdsBefore,
  deleteBookingIdsOf,
  dropSessionsBefore,
  hasBookings,
  isBooked,
  isBookedOnAnyDay,
  putBookingId,
} from "./ledger-lines.ts";
import { type ReplayBooking, type ReplayRequest, holderOfReplay, reserveReplay } from "./ledger-replays.ts";
import { reportUsage } from "./ledger-report.ts";
import { type Reservation, deleteReservation, listReservations, reduceReservation } from "./ledger-reservations.ts";

/** How long a booking's id is kept. A session repeats a booking every quarter of an hour until it is confirmed. */
const KEEP_IDS_DAYS = 30;
/** After this, a day's lines are kept without their sessions. */
const KEEP_SESSIONS_DAYS = 400;

export const LEDGER_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS review_slot (one INTEGER PRIMARY KEY CHECK (one = 1), session TEXT NOT NULL,
    at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS booked (day TEXT, id TEXT, PRIMARY KEY (day, id)) STRICT, WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS usage_line (day TEXT, session TEXT, kind TEXT, model TEXT, source TEXT, calls INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
    reasoning INTEGER NOT NULL, usd_micros INTEGER NOT NULL, PRIMARY KEY (day, session, kind, model, source))
    STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS reservation (id TEXT PRIMARY KEY, kind TEXT NOT NULL, session TEXT NOT NULL,
    tokens INTEGER NOT NULL, usd_micros INTEGER, reserved_at INTEGER NOT NULL, expires_at INTEGER NOT NULL)
    STRICT, WITHOUT ROWID`,
];

export interface CurationBooking {
  booking: Omit<Booking, "session">;
  /** The id of the reservation it was spent from. */
  grant: string;
  last: boolean;
}

export interface AccountLedger {
  reserveReview(request: ReviewRequest): ReviewAdmission;
  reserveTurn(request: TurnRequest): Budget | null;
  reserveCuration(request: CurationRequest): Grant | null;
  reserveReplay(request: ReplayRequest): Budget | null;
  /** Drops what is left of a reservation. */
  release(id: string): void;
  book(booking: SomeBooking): boolean;
  bookCuration(booking: CurationBooking): void;
  bookReplay(booking: ReplayBooking): void;
  report(asked: UsageAsked & { now: number }): UsageReport;
  forgetSession(session: SessionId): void;
  tidy(now: number): void;
}

/** A booking of a session, or under one of the placeholders for it. */
type SomeBooking = Omit<Booking, "session"> & { session: string };

/** The tables must exist. */
export function createAccountLedger(sql: Sql): AccountLedger {
  return {
    reserveReview: (request) => reserveReview(sql, request),
    reserveTurn: (request) => reserveTurn(sql, request),
    reserveCuration: (request) => reserveCuration(sql, request),
    reserveReplay: (request) => reserveReplay(sql, request),
    release: (id) => deleteReservation(sql, id),
    book: (booking) => book(sql, booking),
    bookCuration: (booking) => bookCuration(sql, booking),
    bookReplay: (booking) => bookReplay(sql, booking),
    report: (asked) => reportUsage(sql, asked),
    forgetSession: (session) => forgetSession(sql, session),
    tidy: (now) => tidy(sql, now),
  };
}

/** True the first time. A repeated booking has the same `at`, so its id is found under the same day. */
function book(sql: Sql, { id, session, at, lines }: SomeBooking): boolean {
  const day = dayOf(at);
  if (isBooked(sql, day, id)) return false;
  sql.transaction(() => {
    if (!hasBookings(sql, day)) tidy(sql, at);
    putBookingId(sql, day, id);
    addLines(sql, day, session, lines);
    deleteReservation(sql, id);
  });
  return true;
}

/** Books what one piece of a curation's work spent, once, and reduces the reservation. `last`: releases the rest of it. */
function bookCuration(sql: Sql, { booking, grant, last }: CurationBooking): void {
  // Another record of the same work may have another day.
  if (isBookedOnAnyDay(sql, booking.id)) return;
  book(sql, { ...booking, session: CURATION });
  if (last) deleteReservation(sql, grant);
  else reduceReservation(sql, grant, sumUsageLines(booking.lines));
}

/** Books what one run or its judge spent, once, and reduces the reservation. */
function bookReplay(sql: Sql, { booking, grant }: ReplayBooking): void {
  // Another record of the same run may have another day.
  if (isBookedOnAnyDay(sql, booking.id)) return;
  book(sql, { ...booking, session: holderOfReplay(sql, grant) });
  reduceReservation(sql, grant, sumUsageLines(booking.lines));
}

/** Call once a day. Forgets ids that can no longer be repeated, drops sessions from old days, and books expired grants. */
function tidy(sql: Sql, now: number): void {
  deleteBookingIdsBefore(sql, dayOf(now - KEEP_IDS_DAYS * DAY_MS));
  dropSessionsBefore(sql, dayOf(now - KEEP_SESSIONS_DAYS * DAY_MS));
  for (const reservation of listReservations(sql)) {
    if (reservation.expiresAt >= now - KEEP_IDS_DAYS * DAY_MS) continue;
    settle(sql, reservation, reservation.session);
  }
}

/** The session's costs stay in the sums. Open grants of its reviews are booked in full. */
function forgetSession(sql: Sql, session: SessionId): void {
  sql.transaction(() => {
    for (const reservation of listReservations(sql)) {
      if (reservation.session === session) settle(sql, reservation, DELETED);
    }
    anonymizeLinesOf(sql, session);
    deleteBookingIdsOf(sql, session);
    sql.run("DELETE FROM review_slot WHERE session = ?", session);
  });
}

/** Ends a reservation that nobody will book. The grant of a review is booked in full, on the day it was given. */
function settle(sql: Sql, { id, kind, tokens, usdMicros, reservedAt }: Reservation, session: string): void {
  if (kind === "review") addUnsettledGrant(sql, dayOf(reservedAt), session, { tokens, usdMicros: usdMicros ?? 0 });
  deleteReservation(sql, id);
}
