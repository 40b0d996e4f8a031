// The operator's quota of a profile: the stricter limit is in force, by day and by month.
import { describe, expect, test } from "vitest";
import { parseSettings } from "../core/limits.ts";
import { applyQuota } from "../core/quota.ts";
import { QUOTA_KEY, type Quota } from "../core/schemas/profile/quota.ts";
import { noProfileSettings } from "../core/schemas/profile/settings.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../durable-objects/account-ledger.ts";
import { openMonth } from "../durable-objects/account-quota.ts";
import { createNodeSql } from "./support/bindings/node-sql.ts";

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

function settingsOf(budget: object): Settings {
  const parsed = parseSettings(JSON.stringify({ budget }));
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

function open(quota: Quota) {
  const sql = createNodeSql();
  for (const statement of LEDGER_SCHEMA) sql.run(statement);
  const ledger = createAccountLedger(sql);
  const settings = noProfileSettings();
  settings.sections.quota[QUOTA_KEY] = quota;
  const month = openMonth(sql, { rev: () => 1, read: () => settings }, ledger);
  const book = (id: string, day: string, tokens: number, usdMicros = 0) =>
    ledger.book({
      ...{ id, session: SESSION, at: at(day) },
      lines: [
        {
          ...{ kind: "turn", model: "m", source: "reported", calls: 1, usdMicros },
          usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
        } as never,
      ],
    });
  const reserve = (day: string, tokens: number, usdMicros = 0) =>
    month.reserveTurn({
      ...{ turn: `${SESSION}.9`, session: SESSION, now: at(day) },
      ...{ spent: { tokens: 0, usdMicros: 0 }, day: { tokens, usdMicros } },
    });
  return { month, book, reserve };
}

describe("a quota", () => {
  test("is in force where it is stricter than the deployment, and never widens it", () => {
    const budget = (deployment: object, quota: Quota) => applyQuota(settingsOf(deployment), quota).budget;
    expect(budget({}, { dayTokens: 500, dayUsd: 2 })).toMatchObject({ profileDayTokens: 500, profileDayUsd: 2 });
    expect(budget({ profileDayTokens: 100 }, { dayTokens: 500 })).toMatchObject({ profileDayTokens: 100 });
    expect(budget({ profileDayTokens: 900 }, { dayTokens: 500 })).toMatchObject({ profileDayTokens: 500 });
    const settings = settingsOf({});
    expect(applyQuota(settings, undefined)).toBe(settings);
  });

  test("of a month is a limit of each day, so that a session asks before it spends", () => {
    expect(applyQuota(settingsOf({}), { monthTokens: 700 }).budget).toMatchObject({ profileDayTokens: 700 });
  });
});

describe("the month", () => {
  test("narrows the day to what is left of it, and says when it begins again once nothing is", () => {
    const { book, reserve } = open({ monthTokens: 1_000 });
    book("a", "2026-10-31", 5_000);
    book("b", "2026-11-01", 900);
    expect(reserve("2026-11-02", 1_000)).toEqual({ tokens: 10, usdMicros: 0 });
    book("c", "2026-11-02", 100);
    expect(reserve("2026-11-03", 1_000)).toEqual({ monthUntil: Date.parse("2026-12-01T00:00:00Z") });
    expect(reserve("2026-12-01", 1_000)).toEqual({ tokens: 100, usdMicros: 0 });
  });

  test("also counts money, and today's spending once", () => {
    const { book, reserve } = open({ monthUsd: 1 });
    book("a", "2026-11-01", 0, 400_000);
    book("b", "2026-11-02", 0, 600_000);
    expect(reserve("2026-11-02", 0, 1_000_000)).toBe(null);
    expect(reserve("2026-11-03", 0, 1_000_000)).toMatchObject({ monthUntil: expect.any(Number) });
  });

  test("that is spent admits no review before the next one, and leaves a curation next to nothing", () => {
    const { month, book } = open({ monthTokens: 1_000 });
    book("a", "2026-11-01", 1_000);
    const request = { now: at("2026-11-02"), day: { tokens: 1_000, usdMicros: 0 } };
    expect(month.reserveReview(request as never)).toEqual({
      granted: false,
      retryAt: Date.parse("2026-12-01T00:00:00Z"),
    });
    expect(month.limit(settingsOf({ profileDayTokens: 1_000 }), request.now).budget.profileDayTokens).toBe(1);
  });
});
