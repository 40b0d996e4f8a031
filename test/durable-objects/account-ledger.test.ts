// The ledger of an Account over SQLite: bookings, grants of reviews, the backlog, and turns under a daily limit.
import { describe, expect, it } from "vitest";
import type { Booking, UsageKind, UsageLine } from "../../core/schemas/usage.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../durable-objects/account-ledger.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 10, 20, 12);
const [A, B] = ["01J0000000000000000000000A", "01J0000000000000000000000B"];
const REVIEW = `${A}.1-9`;
const NO_LIMIT = { tokens: 0, usdMicros: 0 };
const NOTHING = {
  calls: 0,
  tokens: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  usd: 0,
  sources: {},
};

function open() {
  const sql = createNodeSql();
  for (const statement of LEDGER_SCHEMA) sql.run(statement);
  return { sql, ...createAccountLedger(sql) };
}

function line(tokens: number, over: Partial<UsageLine> = {}): UsageLine {
  const usage = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { kind: "turn", model: "m:a", source: "catalog", calls: 1, usage, usdMicros: tokens, ...over };
}

function booking(id: string, lines: UsageLine[], at = NOON, session = A): Booking {
  return { id, session, at, lines };
}

const month = { from: "2026-11-01", to: "2026-11-30", now: NOON } as const;

describe("a booking", () => {
  it("is counted by day, session, kind and model, each token and the source of its price kept apart", () => {
    const ledger = open();
    const usage = { input: 10, output: 20, cacheRead: 30, cacheWrite: 40, reasoning: 5 };
    ledger.book(booking("t1", [line(0, { usage, usdMicros: 1_234 }), line(7, { source: "none", usdMicros: 0 })]));
    ledger.book(
      booking("t2", [line(0, { usage, usdMicros: 6 }), line(3, { kind: "compaction", model: "m:b" })], NOON + DAY, B),
    );
    const sum = { ...usage, calls: 1, tokens: 100 };
    const priced = (usd: number) => ({ catalog: { calls: 1, usd } });
    const first = { ...sum, calls: 2, tokens: 107, input: 17, usd: 0.001234 };
    const unpriced = { none: { calls: 1, usd: 0 } };
    const second = {
      ...sum,
      calls: 2,
      tokens: 103,
      input: 13,
      usd: 0.000009,
      sources: { catalog: { calls: 2, usd: 0.000009 } },
    };
    expect(ledger.report({ ...month, by: "day" })).toEqual({
      from: "2026-11-01",
      to: "2026-11-30",
      by: "day",
      totals: {
        calls: 4,
        tokens: 210,
        input: 30,
        output: 40,
        cacheRead: 60,
        cacheWrite: 80,
        reasoning: 10,
        usd: 0.001243,
        sources: { catalog: { calls: 3, usd: 0.001243 }, ...unpriced },
      },
      lines: [
        { key: "2026-11-20", ...first, sources: { ...priced(0.001234), ...unpriced } },
        { key: "2026-11-21", ...second },
      ],
      grants: [],
    });
    const keys = (by: "session" | "kind" | "model") =>
      ledger.report({ ...month, by }).lines.map(({ key, tokens }) => [key, tokens]);
    expect(keys("session")).toEqual([
      [A, 107],
      [B, 103],
    ]);
    expect(keys("kind")).toEqual([
      ["compaction", 3],
      ["turn", 207],
    ]);
    expect(keys("model")).toEqual([
      ["m:a", 207],
      ["m:b", 3],
    ]);
  });

  it("is counted once, however often and late it is repeated", () => {
    const ledger = open();
    const one = booking("t1", [line(5)]);
    expect([ledger.book(one), ledger.book(one)]).toEqual([true, false]);
    ledger.book(booking("t2", [line(1)], NOON + 3 * DAY));
    expect(ledger.book(one)).toBe(false);
    expect(ledger.report({ ...month, by: "day" }).totals).toMatchObject({ calls: 2, tokens: 6 });
  });

  it("belongs to the UTC day of its time; a report includes its first and last day", () => {
    const ledger = open();
    const midnight = Date.UTC(2026, 10, 21);
    ledger.book(booking("t1", [line(1)], midnight - 1));
    ledger.book(booking("t2", [line(2)], midnight));
    const tokens = (from: string, to: string) => ledger.report({ from, to, by: "day", now: NOON }).totals.tokens;
    expect([tokens("2026-11-20", "2026-11-20"), tokens("2026-11-21", "2026-11-21")]).toEqual([1, 2]);
    expect([tokens("2026-11-20", "2026-11-21"), tokens("2026-11-22", "2026-11-30")]).toEqual([3, 0]);
  });

  it("leaves no partial rows when it fails in the middle", () => {
    const ledger = open();
    const broken = line(1, { usage: { ...line(1).usage, input: null as unknown as number } });
    expect(() => ledger.book(booking("t1", [line(5), broken]))).toThrow(/NOT NULL/);
    expect(ledger.report({ ...month, by: "day" }).totals).toEqual(NOTHING);
    expect(ledger.book(booking("t1", [line(5), line(1)]))).toBe(true);
  });
});

describe("the retention of a ledger", () => {
  const rows = (ledger: ReturnType<typeof open>, table: string) =>
    ledger.sql.run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]!.n;

  it("is 30 days for the ids of bookings", () => {
    const ledger = open();
    for (let day = 0; day < 100; day++) ledger.book(booking(`t${day}`, [line(1)], NOON + day * DAY));
    expect(rows(ledger, "booked")).toBe(31);
    expect(ledger.report({ from: "2026-01-01", to: "2027-12-31", by: "kind", now: NOON }).totals.calls).toBe(100);
  });

  it("is 400 days for sessions; earlier days are kept without their sessions", () => {
    const ledger = open();
    ledger.book(booking("t1", [line(1), line(2, { model: "m:b" })], NOON, A));
    ledger.book(booking("t2", [line(10)], NOON, B));
    ledger.book(booking("t3", [line(100)], NOON + 401 * DAY, B));
    expect(rows(ledger, "usage_line")).toBe(3);
    const all = { from: "2026-01-01", to: "2028-12-31", now: NOON };
    const sums = ledger.report({ ...all, by: "session" }).lines.map(({ key, calls, tokens }) => [key, calls, tokens]);
    expect(sums).toEqual([
      [B, 1, 100],
      ["older", 3, 13],
    ]);
    expect(ledger.report({ ...all, by: "model" }).lines.map(({ key, tokens }) => [key, tokens])).toEqual([
      ["m:a", 111],
      ["m:b", 2],
    ]);
    ledger.book(booking("t4", [line(1)], NOON + 402 * DAY, B));
    expect(ledger.report({ ...all, by: "session" }).totals.tokens).toBe(114);
  });
});

describe("a review's grant", () => {
  const grant = { tokens: 600, usdMicros: 50, expiresAt: NOON + DAY };
  const ask = { review: REVIEW, session: A, now: NOON, perProfileMs: 120_000, urgent: true, grant, day: NO_LIMIT };
  const spent = (tokens: number) => [line(tokens, { kind: "review" as UsageKind })];
  const shown = { review: REVIEW, session: A, tokens: 600, usd: 0.00005, reservedAt: NOON, expiresAt: NOON + DAY };

  it("stays open until the review's usage is booked, and is not counted as usage until then", () => {
    const ledger = open();
    expect(ledger.reserveReview(ask)).toEqual({ granted: true, grant });
    const before = ledger.report({ ...month, by: "kind" });
    expect([before.totals, before.grants]).toEqual([NOTHING, [{ ...shown, state: "open" }]]);
    ledger.book(booking(REVIEW, spent(40)));
    const after = ledger.report({ ...month, by: "kind" });
    expect([after.totals.tokens, after.grants]).toEqual([40, []]);
  });

  it("is the same when it is requested again", () => {
    const ledger = open();
    ledger.reserveReview(ask);
    const later = { ...ask, now: NOON + 5, grant: { tokens: 9, expiresAt: NOON + 9 * DAY } };
    expect(ledger.reserveReview(later)).toEqual({ granted: true, grant });
  });

  it("that expired before its session received it is replaced, and never charged", () => {
    const ledger = open();
    ledger.reserveReview(ask);
    const now = NOON + 2 * DAY;
    const fresh = { tokens: 9, expiresAt: now + DAY };
    expect(ledger.reserveReview({ ...ask, now, grant: fresh })).toEqual({ granted: true, grant: fresh });
    const report = ledger.report({ ...month, by: "day", now });
    expect(report.totals).toEqual(NOTHING);
    expect(report.grants).toEqual([
      { review: REVIEW, session: A, state: "open", tokens: 9, reservedAt: now, expiresAt: now + DAY },
    ]);
  });

  it("is charged in full to the day it was given if it is not settled in time", () => {
    const ledger = open();
    ledger.reserveReview(ask);
    const report = ledger.report({ ...month, by: "model", now: NOON + DAY });
    const charged = {
      ...NOTHING,
      tokens: 600,
      input: 600,
      usd: 0.00005,
      sources: { none: { calls: 0, usd: 0.00005 } },
    };
    expect(report.totals).toEqual(charged);
    expect(report.lines).toEqual([{ key: "unsettled", ...charged }]);
    expect(report.grants).toEqual([{ ...shown, state: "unsettled" }]);
    const keys = (["day", "session", "kind"] as const).map(
      (by) => ledger.report({ ...month, by, now: NOON + DAY }).lines[0]?.key,
    );
    expect(keys).toEqual(["2026-11-20", A, "review"]);
    expect(ledger.report({ from: "2026-11-21", to: "2026-11-30", by: "day", now: NOON + DAY }).totals).toEqual(NOTHING);
  });

  it("is corrected by a late result", () => {
    const ledger = open();
    ledger.reserveReview(ask);
    ledger.report({ ...month, by: "day", now: NOON + 2 * DAY });
    ledger.book(booking(REVIEW, spent(40), NOON + 2 * DAY));
    const report = ledger.report({ ...month, by: "day", now: NOON + 2 * DAY });
    expect(report.lines.map(({ key, tokens }) => [key, tokens])).toEqual([["2026-11-22", 40]]);
    expect(report.grants).toEqual([]);
  });

  it("that was never settled becomes a usage line after a month", () => {
    const ledger = open();
    ledger.reserveReview(ask);
    ledger.book(booking("t1", [], NOON + 32 * DAY));
    const report = ledger.report({ ...month, by: "model", now: NOON + 32 * DAY });
    expect(report.lines.map(({ key, tokens, usd }) => [key, tokens, usd])).toEqual([["unsettled", 600, 0.00005]]);
    expect(report.grants).toEqual([]);
  });

  it("is at most half of the day's token limit, and a tenth of its money if the grant has no money limit", () => {
    const ledger = open();
    const free = { tokens: 600, expiresAt: NOON + DAY };
    expect(ledger.reserveReview({ ...ask, grant: free, day: { tokens: 1_000, usdMicros: 200 } })).toEqual({
      granted: true,
      grant: { tokens: 500, usdMicros: 20, expiresAt: NOON + DAY },
    });
  });

  it("is refused until the next day if the rest of this day is too small", () => {
    const ledger = open();
    const day = { tokens: 1_000, usdMicros: 0 };
    ledger.book(booking("t1", [line(501)]));
    const refused = ledger.reserveReview({ ...ask, urgent: false, day });
    expect(refused).toEqual({ granted: false, retryAt: Date.UTC(2026, 10, 21) });
    // The refused request takes no place: another review is granted.
    const other = { ...ask, review: `${B}.1-2`, session: B, urgent: false };
    expect(ledger.reserveReview(other)).toMatchObject({ granted: true });
    expect(ledger.reserveReview({ ...ask, day, now: Date.UTC(2026, 10, 21) })).toEqual({
      granted: false,
      retryAt: Date.UTC(2026, 10, 22),
    });
    ledger.book(booking(`${B}.1-2`, []));
    expect(ledger.reserveReview({ ...ask, day, now: Date.UTC(2026, 10, 21) })).toMatchObject({ granted: true });
  });
});

describe("a backlog of reviews", () => {
  const grant = { tokens: 600, expiresAt: NOON + DAY };
  const ask = (n: number, urgent = false, now = NOON) => ({
    ...{ review: `${A}.${n}-${n + 1}`, session: A, now, perProfileMs: 0, urgent, maxBacklog: 2, grant, day: NO_LIMIT },
  });

  it("sheds only reviews that are not urgent", () => {
    const ledger = open();
    expect([1, 3].map((n) => ledger.reserveReview(ask(n)).granted)).toEqual([true, true]);
    expect(ledger.reserveReview(ask(5))).toEqual({ granted: false, shed: true });
    expect(ledger.reserveReview(ask(7, true))).toMatchObject({ granted: true });
    // A granted review that asks again keeps its place.
    expect(ledger.reserveReview(ask(1))).toMatchObject({ granted: true });
    expect(ledger.reserveReview({ ...ask(5), maxBacklog: undefined })).toMatchObject({ granted: true });
  });

  it("shrinks with each booked review and each expired grant", () => {
    const ledger = open();
    for (const n of [1, 3]) ledger.reserveReview(ask(n));
    ledger.book(booking(`${A}.1-2`, []));
    expect(ledger.reserveReview(ask(5))).toMatchObject({ granted: true });
    expect(ledger.reserveReview(ask(7))).toMatchObject({ shed: true });
    const late = { ...ask(7, false, NOON + DAY + 1), grant: { tokens: 600, expiresAt: NOON + 2 * DAY } };
    expect(ledger.reserveReview(late)).toMatchObject({ granted: true });
  });
});

describe("a turn under a daily limit", () => {
  const day = { tokens: 1_000, usdMicros: 0 };
  const ask = (turn: string, spent: number, now = NOON) => ({
    turn,
    session: A,
    now,
    spent: { tokens: spent, usdMicros: 0 },
    day,
  });

  it("may spend one slice at a time, up to what other turns have left", () => {
    const ledger = open();
    ledger.book(booking("t0", [line(750)]));
    expect(ledger.reserveTurn(ask("t1", 0))).toEqual({ tokens: 100, usdMicros: 0 });
    expect(ledger.reserveTurn(ask("t2", 0))).toEqual({ tokens: 100, usdMicros: 0 });
    expect(ledger.reserveTurn(ask("t3", 0))).toEqual({ tokens: 50, usdMicros: 0 });
    expect(ledger.reserveTurn(ask("t4", 0))).toBeNull();
    // The booking frees the unspent part of the other turn's reservation.
    ledger.book(booking("t2", [line(30)]));
    expect(ledger.reserveTurn(ask("t1", 110))).toEqual({ tokens: 170, usdMicros: 0 });
    expect(ledger.reserveTurn(ask("t4", 0))).toBeNull();
  });

  it("cannot spend the reservation of an open review or the charge of an unsettled one", () => {
    const ledger = open();
    const grant = { tokens: 950, expiresAt: NOON + HOUR };
    const review = { review: REVIEW, session: A, now: NOON, perProfileMs: 0, urgent: true, grant, day: NO_LIMIT };
    ledger.reserveReview(review);
    expect(ledger.reserveTurn(ask("t1", 0))).toEqual({ tokens: 50, usdMicros: 0 });
    expect(ledger.reserveTurn(ask("t1", 0, NOON + 2 * HOUR))).toEqual({ tokens: 50, usdMicros: 0 });
    expect(ledger.reserveTurn(ask("t1", 0, NOON + DAY))).toEqual({ tokens: 100, usdMicros: 0 });
  });

  it("gets a new limit at midnight UTC; only running work stays reserved", () => {
    const ledger = open();
    const midnight = Date.UTC(2026, 10, 21);
    ledger.book(booking("t0", [line(900)]));
    ledger.reserveTurn(ask("t1", 0));
    expect(ledger.reserveTurn(ask("t2", 0, midnight - 1))).toBeNull();
    expect(ledger.reserveTurn(ask("t2", 0, midnight))).toEqual({ tokens: 100, usdMicros: 0 });
    ledger.book(booking("t3", [line(850)], midnight));
    expect(ledger.reserveTurn(ask("t4", 0, midnight))).toBeNull();
  });

  it("that exceeded its slice has its spending reserved", () => {
    const ledger = open();
    ledger.reserveTurn(ask("t1", 0));
    expect(ledger.reserveTurn(ask("t1", 1_200))).toBeNull();
    expect(ledger.reserveTurn(ask("t2", 0))).toBeNull();
  });

  it("is also limited in money; the limit that is reached first applies", () => {
    const ledger = open();
    const both = { tokens: 1_000, usdMicros: 500 };
    expect(ledger.reserveTurn({ ...ask("t1", 0), day: both })).toEqual({ tokens: 100, usdMicros: 50 });
    ledger.book(booking("t2", [line(10, { usdMicros: 500 })]));
    expect(ledger.reserveTurn({ ...ask("t1", 0), day: both })).toBeNull();
  });

  it("reserves nothing if it was booked already, as when it is stopped during the request", () => {
    const ledger = open();
    ledger.book(booking("t1", []));
    expect(ledger.reserveTurn(ask("t1", 0))).toBeNull();
    expect(ledger.sql.run("SELECT * FROM reservation")).toEqual([]);
  });

  it("that was abandoned reserves nothing after a day, and its row is deleted after a month", () => {
    const ledger = open();
    ledger.reserveTurn(ask("t1", 0));
    expect(ledger.reserveTurn(ask("t2", 950, NOON + DAY - 1))).toBeNull();
    ledger.book(booking("t2", [], NOON + DAY - 1));
    expect(ledger.reserveTurn(ask("t3", 950, NOON + DAY))).toEqual({ tokens: 1_000, usdMicros: 0 });
    ledger.book(booking("t3", [], NOON + 33 * DAY));
    expect(ledger.sql.run("SELECT * FROM reservation")).toEqual([]);
  });
});
