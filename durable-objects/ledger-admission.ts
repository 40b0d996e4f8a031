// Admits reviews, turns and curations to a profile's daily budget, and reserves what they may spend. Used by the ledger. Has no
// clock: callers pass the time.
import type { Sql } from "../core/ports.ts";
import { DAY_MS, dayOf } from "../core/schemas/ids.ts";
import type { Grant } from "../core/schemas/learning/review.ts";
import { type Budget, NOTHING_SPENT, type Spending, isLimited } from "../core/schemas/usage.ts";
import type { ReviewAdmission, ReviewRequest, TurnRequest } from "../core/session/context.ts";
import { CURATION, isBooked, spentOnDay } from "./ledger-lines.ts";
import { type Reservation, findReservation, listReservations, putReservation } from "./ledger-reservations.ts";

/** The reservation of an abandoned turn expires after this. */
const TURN_RESERVATION_MS = DAY_MS;
/**
 * What a running turn reserves at a time, as a share of the day's limit: small enough that other turns can run too, large enough
 * that it rarely asks again. A review without its own money limit gets the same share, once.
 */
const SLICE = 0.1;
/** The largest share a review may reserve: answers take precedence over learning. */
const REVIEW_SHARE = 0.5;

/**
 * Admits one review per profile within `perProfileMs`, within the day's budget, while not too many are open. A session that
 * holds the slot and asks again did not receive the first answer, because its own reviews are further apart. So it is admitted
 * again; a grant that has expired meanwhile was never used, and a new one replaces it.
 */
export function reserveReview(sql: Sql, request: ReviewRequest): ReviewAdmission {
  const { review, session, now, perProfileMs, urgent, maxBacklog = Infinity } = request;
  const reservations = listReservations(sql);
  const given = reservations.find(({ id }) => id === review);
  if (given && given.expiresAt > now) return { granted: true, grant: toGrant(given) };
  const open = reservations.filter(({ kind, expiresAt }) => kind === "review" && expiresAt > now).length;
  if (!urgent && open >= maxBacklog) return { granted: false, shed: true };
  const slot = sql.run<{ session: string; at: number }>("SELECT session, at FROM review_slot")[0];
  const freeAt = slot ? slot.at + perProfileMs : 0;
  if (!urgent && now < freeAt && slot?.session !== session) return { granted: false, retryAt: freeAt };
  const admission = reserveGrant(sql, request);
  if (admission.granted && !urgent && now >= freeAt) {
    sql.run(
      "INSERT INTO review_slot VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET session = excluded.session, at = excluded.at",
      session,
      now,
    );
  }
  return admission;
}

/** A review gets its whole grant or waits for the next day: a partial grant would be spent without a result. */
function reserveGrant(sql: Sql, { review, session, now, grant: asked, day }: ReviewRequest): ReviewAdmission {
  const grant = withinDay(asked, day);
  const taken = isLimited(day) ? takenOfDay(sql, now, review) : NOTHING_SPENT;
  if (exceeds(grant, taken, day)) return { granted: false, retryAt: nextDay(now) };
  const { tokens, usdMicros = null, expiresAt } = grant;
  putReservation(sql, { id: review, kind: "review", session, tokens, usdMicros, reservedAt: now, expiresAt });
  return { granted: true, grant };
}

/** How much the turn may spend before it must ask again; `null` if nothing is left. */
export function reserveTurn(sql: Sql, { turn, session, now, spent, day }: TurnRequest): Budget | null {
  if (isBooked(sql, dayOf(now), turn)) return null; // the turn was stopped while it asked
  const taken = takenOfDay(sql, now, turn);
  const tokens = upTo(day.tokens, taken.tokens, spent.tokens);
  const usdMicros = upTo(day.usdMicros, taken.usdMicros, spent.usdMicros);
  const isLeft = tokens !== null && usdMicros !== null;
  // Reserves at least what the turn has spent without a reservation, so that others do not spend it again.
  putReservation(sql, {
    id: turn,
    kind: "turn",
    session,
    tokens: isLeft ? tokens || spent.tokens : spent.tokens,
    usdMicros: isLeft ? usdMicros || spent.usdMicros : spent.usdMicros,
    reservedAt: now,
    expiresAt: now + TURN_RESERVATION_MS,
  });
  return isLeft ? { tokens, usdMicros } : null;
}

export interface CurationRequest {
  id: string;
  at: number;
  grant: Grant;
  day: Budget;
}

/**
 * What a curation may spend on the day of `at`, reserved until the day ends or its usage is booked. `null`: the day's budget has
 * no room for it. Asked again for the same `id`, it answers the same.
 */
export function reserveCuration(sql: Sql, { id, at, grant: asked, day }: CurationRequest): Grant | null {
  const given = findReservation(sql, id);
  if (given) return toGrant(given);
  const grant = { ...withinDay(asked, day), expiresAt: nextDay(at) };
  if (!isLimited(day)) return grant;
  if (exceeds(grant, takenOfDay(sql, at, id), day)) return null;
  const { tokens, usdMicros = null, expiresAt } = grant;
  putReservation(sql, { id, kind: "curation", session: CURATION, tokens, usdMicros, reservedAt: at, expiresAt });
  return grant;
}

/** What is taken of one UTC day's budget: bookings, unsettled grants, and reservations other than `except`. */
export function takenOfDay(sql: Sql, now: number, except: string): Spending {
  const day = dayOf(now);
  const others = listReservations(sql).filter(
    ({ id, kind, reservedAt, expiresAt }) =>
      id !== except &&
      // The reservation for tomorrow's curation counts tomorrow.
      reservedAt <= now &&
      (expiresAt > now || (kind === "review" && dayOf(reservedAt) === day)),
  );
  const { tokens, usdMicros } = spentOnDay(sql, day);
  return others.reduce(
    (sum, one) => ({ tokens: sum.tokens + one.tokens, usdMicros: sum.usdMicros + (one.usdMicros ?? 0) }),
    { tokens, usdMicros },
  );
}

function toGrant({ tokens, usdMicros, expiresAt }: Pick<Reservation, "tokens" | "usdMicros" | "expiresAt">): Grant {
  return { tokens, ...(usdMicros === null ? {} : { usdMicros }), expiresAt };
}

function exceeds(grant: Grant, taken: Spending, day: Budget): boolean {
  return (
    (day.tokens > 0 && taken.tokens + grant.tokens > day.tokens) ||
    (day.usdMicros > 0 && taken.usdMicros + (grant.usdMicros ?? 0) > day.usdMicros)
  );
}

/** Gives a grant a limit of each kind that the day has. */
function withinDay({ tokens, usdMicros, expiresAt }: Grant, day: Budget): Grant {
  const most = (limit: number) => (limit > 0 ? Math.ceil(limit * REVIEW_SHARE) : Infinity);
  const money = usdMicros ?? (day.usdMicros > 0 ? Math.ceil(day.usdMicros * SLICE) : undefined);
  return {
    tokens: Math.min(tokens, most(day.tokens)),
    ...(money === undefined ? {} : { usdMicros: Math.min(money, most(day.usdMicros)) }),
    expiresAt,
  };
}

/** The amount at which a turn must ask again: one slice above what it spent, at most the remaining budget. 0: no limit; `null`: nothing is left. */
function upTo(limit: number, taken: number, spent: number): number | null {
  if (limit === 0) return 0;
  const left = limit - taken - spent;
  return left > 0 ? spent + Math.min(left, Math.ceil(limit * SLICE)) : null;
}

function nextDay(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}
