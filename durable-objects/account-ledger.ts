// The ledger of a profile: what its sessions booked, by day; what is reserved for running reviews and turns; what may still be
// spent today. Used by the Account, over any Sql. Synchronous. Has no clock: callers pass `now` and `at`.
import type { Sql } from "../core/ports.ts";
import { DAY_MS, type SessionId } from "../core/schemas/ids.ts";
import { type Day, dayOf } from "../core/schemas/ids.ts";
import type { Grant } from "../core/schemas/learning/review.ts";
import {
  type Booking,
  type Budget,
  NOTHING_SPENT,
  type OpenGrant,
  type Spending,
  type UsageAsked,
  type UsageBy,
  type UsageReport,
  type UsageSum,
  isLimited,
  spendingOf,
} from "../core/schemas/usage.ts";
import type { ReviewPlace, ReviewRequest, TurnRequest } from "../core/session/context.ts";

/** How long a booking's id is kept. A session repeats a booking every quarter of an hour until it is confirmed. */
const KEEP_IDS_DAYS = 30;
/** After this, a day's lines are kept without their sessions. */
const KEEP_SESSIONS_DAYS = 400;
/** The reservation of an abandoned turn expires after this. */
const TURN_RESERVATION_MS = DAY_MS;
/**
 * What a running turn reserves at a time, as a share of the day's limit: small enough that other turns can run too, large enough
 * that it rarely asks again. A review without its own money limit gets the same share, once.
 */
const SLICE = 0.1;
/** The largest share a review may reserve: answers take precedence over learning. */
const REVIEW_SHARE = 0.5;

/** Placeholders in lines without a session or a model. */
const OLDER = "older";
export const DELETED = "deleted";
export const CURATION = "curation";
const UNSETTLED = "unsettled";

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

const ADD_LINE = `INSERT INTO usage_line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, input = input + excluded.input,
    output = output + excluded.output, cache_read = cache_read + excluded.cache_read,
    cache_write = cache_write + excluded.cache_write, reasoning = reasoning + excluded.reasoning,
    usd_micros = usd_micros + excluded.usd_micros`;

interface Reservation {
  id: string;
  kind: "review" | "turn" | "curation";
  session: string;
  tokens: number;
  usdMicros: number | null;
  reservedAt: number;
  expiresAt: number;
}

export interface CurationBooking {
  booking: Omit<Booking, "session">;
  /** The id of the reservation it was spent from. */
  grant: string;
  last: boolean;
}

export type AccountLedger = ReturnType<typeof createAccountLedger>;

/** The tables must exist. */
export function createAccountLedger(sql: Sql) {
  function isBooked(day: Day, id: string): boolean {
    return sql.run("SELECT 1 FROM booked WHERE day = ? AND id = ?", day, id).length > 0;
  }

  /** True the first time. A repeated booking has the same `at`, so its id is found under the same day. */
  function book({ id, session, at, lines }: Omit<Booking, "session"> & { session: string }): boolean {
    const day = dayOf(at);
    if (isBooked(day, id)) return false;
    sql.transaction(() => {
      if (sql.run("SELECT 1 FROM booked WHERE day = ? LIMIT 1", day).length === 0) tidy(at);
      sql.run("INSERT INTO booked VALUES (?, ?)", day, id);
      for (const { kind, model, source, calls, usage, usdMicros } of lines) {
        const { input, output, cacheRead, cacheWrite, reasoning = 0 } = usage;
        const counts = [calls, input, output, cacheRead, cacheWrite, reasoning, usdMicros];
        sql.run(ADD_LINE, day, session, kind, model, source, ...counts);
      }
      sql.run("DELETE FROM reservation WHERE id = ?", id);
    });
    return true;
  }

  /** Call once a day. Forgets ids that can no longer be repeated, drops sessions from old days, and books expired grants. */
  function tidy(now: number): void {
    sql.run("DELETE FROM booked WHERE day < ?", dayOf(now - KEEP_IDS_DAYS * DAY_MS));
    const oldest = dayOf(now - KEEP_SESSIONS_DAYS * DAY_MS);
    const old = sql.run<Record<string, string | number>>(
      `SELECT day, '${OLDER}' AS session, kind, model, source, sum(calls), sum(input), sum(output), sum(cache_read),
        sum(cache_write), sum(reasoning), sum(usd_micros)
        FROM usage_line WHERE day < ? AND session <> '${OLDER}' GROUP BY day, kind, model, source`,
      oldest,
    );
    for (const line of old) sql.run(ADD_LINE, ...Object.values(line));
    if (old.length > 0) sql.run(`DELETE FROM usage_line WHERE day < ? AND session <> '${OLDER}'`, oldest);
    for (const grant of reservations()) {
      if (grant.expiresAt >= now - KEEP_IDS_DAYS * DAY_MS) continue;
      if (grant.kind === "review") charge(grant, grant.session);
      sql.run("DELETE FROM reservation WHERE id = ?", grant.id);
    }
  }

  /** Books a grant that was never settled, in full, on the day it was given. */
  function charge({ tokens, usdMicros, reservedAt }: Reservation, session: string): void {
    const counts = [tokens, 0, 0, 0, 0];
    sql.run(ADD_LINE, dayOf(reservedAt), session, "review", UNSETTLED, "none", 0, ...counts, usdMicros ?? 0);
  }

  function reservations(): Reservation[] {
    return sql.run<Reservation>(
      `SELECT id, kind, session, tokens, usd_micros AS usdMicros, reserved_at AS reservedAt, expires_at AS expiresAt
        FROM reservation ORDER BY reserved_at, id`,
    );
  }

  function reserve({ id, kind, session, tokens, usdMicros, reservedAt, expiresAt }: Reservation): void {
    sql.run(
      `INSERT INTO reservation VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET tokens = excluded.tokens,
        usd_micros = excluded.usd_micros, reserved_at = excluded.reserved_at, expires_at = excluded.expires_at`,
      id,
      kind,
      session,
      tokens,
      usdMicros,
      reservedAt,
      expiresAt,
    );
  }

  /** Sum of one UTC day: bookings, unsettled grants, and reservations other than `except`. */
  function bound(now: number, except: string): Spending {
    const day = dayOf(now);
    const [booked = NOTHING_SPENT] = sql.run<{ tokens: number; usdMicros: number }>(
      `SELECT coalesce(sum(input + output + cache_read + cache_write), 0) AS tokens,
        coalesce(sum(usd_micros), 0) AS usdMicros FROM usage_line WHERE day = ?`,
      day,
    );
    const others = reservations().filter(
      ({ id, kind, reservedAt, expiresAt }) =>
        id !== except &&
        // The reservation for tomorrow's curation counts tomorrow.
        reservedAt <= now &&
        (expiresAt > now || (kind === "review" && dayOf(reservedAt) === day)),
    );
    return others.reduce(
      (sum, one) => ({ tokens: sum.tokens + one.tokens, usdMicros: sum.usdMicros + (one.usdMicros ?? 0) }),
      { tokens: booked.tokens, usdMicros: booked.usdMicros },
    );
  }

  /**
   * Admits one review per profile within `perProfileMs`, within the day's budget, while not too many are open. A session that
   * holds the slot and asks again did not receive the first answer, because its own reviews are further apart. So it is admitted
   * again; a grant that has expired meanwhile was never used, and a new one replaces it.
   */
  function reserveReview(request: ReviewRequest): ReviewPlace {
    const { review, session, now, perProfileMs, urgent, maxBacklog = Infinity } = request;
    const standing = reservations();
    const given = standing.find(({ id }) => id === review);
    if (given && given.expiresAt > now) return { granted: true, grant: toGrant(given) };
    const open = standing.filter(({ kind, expiresAt }) => kind === "review" && expiresAt > now).length;
    if (!urgent && open >= maxBacklog) return { granted: false, shed: true };
    const slot = sql.run<{ session: string; at: number }>("SELECT session, at FROM review_slot")[0];
    const freeAt = slot ? slot.at + perProfileMs : 0;
    if (!urgent && now < freeAt && slot?.session !== session) return { granted: false, retryAt: freeAt };
    const place = reserveGrant(request);
    if (place.granted && !urgent && now >= freeAt) {
      sql.run(
        "INSERT INTO review_slot VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET session = excluded.session, at = excluded.at",
        session,
        now,
      );
    }
    return place;
  }

  /** A review gets its whole grant or waits for the next day: a partial grant would be spent without a result. */
  function reserveGrant({ review, session, now, grant: asked, day }: ReviewRequest): ReviewPlace {
    const grant = withinDay(asked, day);
    const taken = isLimited(day) ? bound(now, review) : NOTHING_SPENT;
    if (exceeds(grant, taken, day)) return { granted: false, retryAt: nextDay(now) };
    const { tokens, usdMicros = null, expiresAt } = grant;
    reserve({ id: review, kind: "review", session, tokens, usdMicros, reservedAt: now, expiresAt });
    return { granted: true, grant };
  }

  function reserveTurn({ turn, session, now, spent, day }: TurnRequest): Budget | null {
    if (isBooked(dayOf(now), turn)) return null; // the turn was stopped while it asked
    const taken = bound(now, turn);
    const tokens = upTo(day.tokens, taken.tokens, spent.tokens);
    const usdMicros = upTo(day.usdMicros, taken.usdMicros, spent.usdMicros);
    const isLeft = tokens !== null && usdMicros !== null;
    // Reserves at least what the turn has spent without a reservation, so that others do not spend it again.
    reserve({
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

  /** Grants of reviews that are not settled. `unsettled`: expired ones. */
  function grants(now: number): OpenGrant[] {
    return reservations()
      .filter(({ kind }) => kind === "review")
      .map(({ id, session, tokens, usdMicros, reservedAt, expiresAt }) => ({
        review: id,
        session,
        state: expiresAt > now ? "open" : "unsettled",
        tokens,
        ...(usdMicros === null ? {} : { usd: usdMicros / 1_000_000 }),
        reservedAt,
        expiresAt,
      }));
  }

  function report({ from, to, by, after, limit = MAX_LINES, now }: UsageAsked & { now: number }): UsageReport {
    const rows = sql.run<ReportRow>(
      `SELECT ${by} AS key, source, sum(calls) AS calls, sum(input) AS input, sum(output) AS output,
        sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite, sum(reasoning) AS reasoning,
        sum(usd_micros) AS usdMicros FROM usage_line WHERE day >= ? AND day <= ? GROUP BY ${by}, source`,
      from,
      to,
    );
    const standing = grants(now);
    const charged = standing
      .filter(({ state, reservedAt }) => state === "unsettled" && dayOf(reservedAt) >= from && dayOf(reservedAt) <= to)
      .map((grant) => toChargedRow(grant, by));
    const all = [...rows, ...charged];
    const byKey = Map.groupBy(all, ({ key }) => key);
    const keys = [...byKey.keys()].toSorted().filter((key) => after === undefined || key > after);
    const lines = keys.slice(0, limit).map((key) => ({ key, ...sumOf(byKey.get(key)!) }));
    return {
      from,
      to,
      by,
      totals: sumOf(all),
      lines,
      grants: standing.slice(0, MAX_GRANTS),
      ...(keys.length > limit && { next: lines.at(-1)!.key }),
    };
  }

  /**
   * What a curation may spend on the day of `at`, reserved until the day ends or its usage is booked. `null`: the day's budget has
   * no room for it. Asked again for the same `id`, it answers the same.
   */
  function reserveCuration(asked: { id: string; at: number; grant: Grant; day: Budget }): Grant | null {
    const { id, at, day } = asked;
    const given = reservations().find((one) => one.id === id);
    if (given) return toGrant(given);
    const grant = { ...withinDay(asked.grant, day), expiresAt: nextDay(at) };
    if (!isLimited(day)) return grant;
    if (exceeds(grant, bound(at, id), day)) return null;
    const { tokens, usdMicros = null, expiresAt } = grant;
    reserve({ id, kind: "curation", session: CURATION, tokens, usdMicros, reservedAt: at, expiresAt });
    return grant;
  }

  /** Books what one piece of a curation's work spent, once, and reduces the reservation. `last`: releases the rest of it. */
  function bookCuration({ booking, grant, last }: CurationBooking): void {
    // Another record of the same work may have another day.
    if (sql.run("SELECT 1 FROM booked WHERE id = ?", booking.id).length > 0) return;
    book({ ...booking, session: CURATION });
    const { tokens, usdMicros } = spendingOf(booking.lines);
    if (last) sql.run("DELETE FROM reservation WHERE id = ?", grant);
    else {
      sql.run(
        `UPDATE reservation SET tokens = max(0, tokens - ?), usd_micros = max(0, usd_micros - ?) WHERE id = ?`,
        ...[tokens, usdMicros, grant],
      );
    }
  }

  function release(id: string): void {
    sql.run("DELETE FROM reservation WHERE id = ?", id);
  }

  /** The session's costs stay in the sums. Open grants of its reviews are booked in full. */
  function forgetSession(session: SessionId): void {
    sql.transaction(() => {
      for (const grant of reservations()) {
        if (grant.session !== session) continue;
        if (grant.kind === "review") charge(grant, DELETED);
        sql.run("DELETE FROM reservation WHERE id = ?", grant.id);
      }
      const lines = sql.run<Record<string, string | number>>(
        `SELECT day, '${DELETED}' AS session, kind, model, source, calls, input, output, cache_read, cache_write, reasoning,
          usd_micros FROM usage_line WHERE session = ?`,
        session,
      );
      for (const line of lines) sql.run(ADD_LINE, ...Object.values(line));
      sql.run("DELETE FROM usage_line WHERE session = ?", session);
      sql.run("DELETE FROM booked WHERE id >= ? AND id < ?", session, `${session}~`);
      sql.run("DELETE FROM review_slot WHERE session = ?", session);
    });
  }

  return { book, bookCuration, reserveCuration, reserveReview, reserveTurn, report, forgetSession, release, tidy };
}

/** Lines of one answer. */
const MAX_LINES = 1_000;
const MAX_GRANTS = 100;

interface ReportRow {
  key: string;
  source: keyof UsageSum["sources"];
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  usdMicros: number;
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

/** A whole grant as one line: all tokens as input, without a price source. */
function toChargedRow({ session, tokens, usd = 0, reservedAt }: OpenGrant, by: UsageBy): ReportRow {
  const key = { day: dayOf(reservedAt), session, kind: "review", model: UNSETTLED }[by];
  const counts = { calls: 0, input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return { key, source: "none", ...counts, usdMicros: Math.round(usd * 1_000_000) };
}

function sumOf(rows: ReportRow[]): UsageSum {
  const total = (field: Exclude<keyof ReportRow, "key" | "source">, of = rows) =>
    of.reduce((sum, row) => sum + row[field], 0);
  const bySource = Map.groupBy(rows, (row) => row.source);
  const [input, output, cacheRead, cacheWrite] = [
    total("input"),
    total("output"),
    total("cacheRead"),
    total("cacheWrite"),
  ];
  return {
    calls: total("calls"),
    tokens: input + output + cacheRead + cacheWrite,
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning: total("reasoning"),
    usd: total("usdMicros") / 1_000_000,
    sources: Object.fromEntries(
      [...bySource]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([source, of]) => [source, { calls: total("calls", of), usd: total("usdMicros", of) / 1_000_000 }]),
    ),
  };
}
