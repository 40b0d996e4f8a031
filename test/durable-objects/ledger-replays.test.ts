// What experiments may spend: the grant of the day, a person's own grant, the day's budget, and requests that come twice or at once.
import { describe, expect, it } from "vitest";
import type { UsageLine } from "../../core/schemas/usage.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../durable-objects/account-ledger.ts";
import { createAccountMoving } from "../../durable-objects/account-moving.ts";
import { openMonth } from "../../durable-objects/account-quota.ts";
import { QUOTA_KEY } from "../../core/schemas/profile/quota.ts";
import { noProfileSettings } from "../../core/schemas/profile/settings.ts";
import { SESSION_SCHEMA } from "../../durable-objects/account-sessions.ts";
import { SETTINGS_SCHEMA } from "../../durable-objects/account-settings.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 10, 20, 12);
const MIDNIGHT = Date.UTC(2026, 10, 21);
const NO_LIMIT = { tokens: 0, usdMicros: 0 };

function open() {
  const sql = createNodeSql();
  for (const statement of LEDGER_SCHEMA) sql.run(statement);
  const ledger = createAccountLedger(sql);
  const sumOf = (now: number) =>
    ledger.report({ from: "2026-11-01", to: "2026-11-30", by: "kind", split: "model", now });
  return { sql, ...ledger, sumOf };
}

const ask = (id: string, more: object = {}) => ({
  ...{ id, now: NOON, tokens: 600, limit: 1_000, isOwn: false, day: NO_LIMIT },
  ...more,
});
const given = (tokens: number, usdMicros = 0) => ({ tokens, usdMicros });

function run(id: string, grant: string, tokens: number, at = NOON, usdMicros = 0) {
  const usage = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
  const line: UsageLine = { kind: "replay", model: "m:a", source: "catalog", calls: 1, usage, usdMicros };
  return { booking: { id, at, lines: [line] }, grant };
}

describe("the grant of a day", () => {
  it("is shared by the day's experiments, and nothing is run without one", () => {
    const ledger = open();
    expect(ledger.reserveReplay(ask("a", { limit: 0 }))).toBeNull();
    expect(["a", "b", "c"].map((id) => ledger.reserveReplay(ask(id)))).toEqual([given(600), given(400), null]);
  });

  it("is reserved once for an experiment that asks twice at the same time", () => {
    const ledger = open();
    expect([ledger.reserveReplay(ask("a")), ledger.reserveReplay(ask("a"))]).toEqual([given(600), given(600)]);
    expect(ledger.reserveReplay(ask("b"))).toEqual(given(400));
  });

  it("is never passed by what was booked and what is reserved, whatever comes between", () => {
    const ledger = open();
    ledger.reserveReplay(ask("a"));
    ledger.reserveReplay(ask("b"));
    ledger.bookReplay(run("a1", "a", 250));
    ledger.bookReplay(run("a1", "a", 250));
    expect(ledger.reserveReplay(ask("a"))).toEqual(given(350));
    expect(ledger.reserveReplay(ask("c"))).toBeNull();
    ledger.release("b");
    ledger.release("b");
    expect(ledger.reserveReplay(ask("c"))).toEqual(given(400));
    ledger.bookReplay(run("a2", "a", 350));
    // Nothing is left of it, and 0 would mean no limit.
    expect(ledger.reserveReplay(ask("a"))).toBeNull();
    ledger.release("a");
    expect(ledger.reserveReplay(ask("d"))).toBeNull();
  });

  it("holds for what is left of it if it was lowered meanwhile", () => {
    const ledger = open();
    ledger.reserveReplay(ask("a"));
    ledger.bookReplay(run("a1", "a", 100));
    expect(ledger.reserveReplay(ask("a", { limit: 300 }))).toEqual(given(200));
    expect(ledger.reserveReplay(ask("a", { limit: 0 }))).toBeNull();
    expect(ledger.reserveReplay(ask("a"))).toEqual(given(500));
  });

  it("counts a run that is booked after its reservation was released", () => {
    const ledger = open();
    ledger.reserveReplay(ask("a"));
    ledger.release("a");
    ledger.bookReplay(run("a1", "a", 500));
    expect(ledger.reserveReplay(ask("b"))).toEqual(given(500));
  });

  it("is whole again at midnight UTC, but for experiments that still run", () => {
    const ledger = open();
    ledger.reserveReplay(ask("a"));
    ledger.bookReplay(run("a1", "a", 200));
    expect(ledger.reserveReplay(ask("b", { now: MIDNIGHT }))).toEqual(given(600));
    expect(ledger.reserveReplay(ask("c", { now: MIDNIGHT }))).toBeNull();
    ledger.bookReplay(run("a2", "a", 400, MIDNIGHT));
    ledger.release("a");
    expect(ledger.reserveReplay(ask("c", { now: MIDNIGHT }))).toBeNull();
    expect(ledger.reserveReplay(ask("d", { now: MIDNIGHT + DAY }))).toEqual(given(400));
  });

  it("does not stay reserved for an experiment that is gone", () => {
    const ledger = open();
    ledger.reserveReplay(ask("a", { tokens: 1_000 }));
    expect(ledger.reserveReplay(ask("b", { now: NOON + 2 * DAY }))).toEqual(given(600));
    ledger.book({ id: "t", session: "01J0000000000000000000000A", at: NOON + 40 * DAY, lines: [] });
    expect(ledger.sql.run("SELECT id FROM reservation")).toEqual([]);
  });
});

describe("what a person gives to one experiment", () => {
  it("is neither bounded by the grant of the day nor taken from it", () => {
    const ledger = open();
    expect(ledger.reserveReplay(ask("own", { limit: 0, tokens: 5_000, isOwn: true }))).toEqual(given(5_000));
    ledger.bookReplay(run("own1", "own", 3_000));
    expect(ledger.reserveReplay(ask("a", { tokens: 1_000 }))).toEqual(given(1_000));
  });

  it("is bounded by what the day's budget leaves, and is part of it", () => {
    const ledger = open();
    const day = given(1_000);
    expect(ledger.reserveReplay(ask("own", { tokens: 800, isOwn: true, day }))).toEqual(given(800));
    const turn = { turn: "t", session: "01J0000000000000000000000A", now: NOON, spent: NO_LIMIT, day };
    ledger.bookReplay(run("own1", "own", 750));
    expect(ledger.reserveTurn(turn)).toEqual(given(100));
    expect(ledger.reserveReplay(ask("two", { isOwn: true, day }))).toEqual(given(100));
    expect(ledger.reserveReplay(ask("three", { isOwn: true, day }))).toBeNull();
  });
});

describe("the day's budget", () => {
  it("gives unasked experiments at most half of it, so that there is room for answers", () => {
    expect(open().reserveReplay(ask("a", { tokens: 900, day: given(1_000) }))).toEqual(given(500));
  });

  it("bounds them in money too", () => {
    const ledger = open();
    expect(ledger.reserveReplay(ask("a", { day: given(0, 100) }))).toEqual(given(600, 50));
    ledger.bookReplay(run("a1", "a", 10, NOON, 50));
    expect(ledger.reserveReplay(ask("a", { day: given(0, 100) }))).toBeNull();
    ledger.bookReplay(run("a2", "a", 10, NOON, 50));
    expect(ledger.reserveReplay(ask("b", { day: given(0, 100) }))).toBeNull();
  });

  it("is none when the month of a quota is spent", () => {
    const { sql, ...ledger } = open();
    const settings = noProfileSettings();
    settings.sections.quota[QUOTA_KEY] = { monthTokens: 700 };
    const month = openMonth(sql, { rev: () => 1, read: () => settings }, ledger);
    ledger.bookReplay(run("a1", "a", 700, NOON - DAY));
    expect(month.reserveReplay(ask("b", { isOwn: true }))).toBeNull();
  });
});

describe("GET /v1/usage", () => {
  it("shows the kind `replay`, by model", () => {
    const ledger = open();
    ledger.reserveReplay(ask("a"));
    ledger.bookReplay(run("a1", "a", 70));
    const [line] = ledger.sumOf(NOON).lines;
    expect([line!.key, line!.tokens, line!.parts!.map(({ key }) => key)]).toEqual(["replay", 70, ["m:a"]]);
    expect(ledger.sumOf(NOON).grants).toEqual([]);
  });
});

describe("a profile that is moved", () => {
  it("takes what was booked with it, and leaves the reservations of experiments, which stay", () => {
    const ledger = open();
    for (const query of [...SESSION_SCHEMA, SETTINGS_SCHEMA]) ledger.sql.run(query);
    ledger.reserveReplay(ask("a"));
    ledger.bookReplay(run("a1", "a", 70));
    const page = createAccountMoving(ledger.sql).exportPage({ place: null, maxChars: 1e6, last: "~", at: NOON });
    const tables = page.lines.map((line) => (JSON.parse(line) as { table: string }).table);
    expect([tables.includes("usage_line"), tables.includes("reservation")]).toEqual([true, false]);
  });
});
