// The figures of the page Usage.
import { describe, expect, it } from "vitest";
import {
  type UsageReport,
  type UsageSum,
  firstDay,
  listBudgets,
  listDays,
  shareOfCache,
  startOf,
  sumParts,
  toSeries,
} from "../../dashboard/usage/usage-series.ts";

const NOW = Date.parse("2026-11-27T23:30:00Z");
const NOTHING: UsageSum = {
  ...{ calls: 0, tokens: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, usd: 0 },
  sources: {},
};
const sum = (more: Partial<UsageSum>): UsageSum => ({ ...NOTHING, ...more });
const part = (key: string, tokens: number, usd = 0) => ({ ...sum({ calls: 1, tokens, usd }), key });
const line = (key: string, ...parts: ReturnType<typeof part>[]) => ({ ...NOTHING, key, parts });
const show = (lines: UsageReport["lines"], days: string[]) =>
  toSeries(lines, days, "tokens", (key) => key.toUpperCase()).map(({ name, values }) => [name, ...values]);

describe("days", () => {
  it("are UTC's, both ends included, over the end of a month", () => {
    expect(firstDay(NOW, 7)).toBe("2026-11-21");
    expect(listDays("2026-02-27", "2026-03-02")).toEqual(["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]);
  });
});

describe("the parts of each day", () => {
  const days = ["2026-11-25", "2026-11-26", "2026-11-27"];

  it("are series, the largest first, with 0 on days without a line", () => {
    const lines = [line("2026-11-25", part("a", 1), part("b", 5)), line("2026-11-27", part("b", 2))];
    expect(show(lines, days)).toEqual([
      ["B", 5, 0, 2],
      ["A", 1, 0, 0],
    ]);
  });

  it("are at most four and the sum of all others", () => {
    const parts = ["a", "b", "c", "d", "e", "f"].map((key, i) => part(key, 10 - i));
    expect(show([line("2026-11-26", ...parts)], days).map(([name, , middle]) => [name, middle])).toEqual([
      ["A", 10],
      ["B", 9],
      ["C", 8],
      ["D", 7],
      ["2 others", 11],
    ]);
  });

  it("add up over all days, with the share of the cache and the calls without a price", () => {
    const first = { ...part("a", 8), input: 1, cacheRead: 3, sources: { none: { calls: 1, usd: 0 } } };
    const second = { ...part("a", 4, 0.5), cacheWrite: 4, sources: { catalog: { calls: 1, usd: 0.5 } } };
    expect(sumParts([line("2026-11-25", first), line("2026-11-26", second, part("b", 20))])).toEqual([
      { key: "b", calls: 1, tokens: 20, usd: 0, cached: null, unpriced: 0 },
      { key: "a", calls: 2, tokens: 12, usd: 0.5, cached: 3 / 8, unpriced: 1 },
    ]);
    expect(shareOfCache(NOTHING)).toBeNull();
  });
});

describe("budgets", () => {
  it("are those with a limit, and begin again at the next UTC day or month", () => {
    const limits = { dayTokens: 500, dayUsd: 0, monthUsd: 20 };
    expect(listBudgets(limits, sum({ tokens: 40 }), sum({ usd: 3 }), NOW)).toEqual([
      { name: "Today", unit: "tokens", spent: 40, limit: 500, renewsAt: startOf("2026-11-28") },
      { name: "This month", unit: "usd", spent: 3, limit: 20, renewsAt: startOf("2026-12-01") },
    ]);
    const december = Date.parse("2026-12-31T12:00:00Z");
    expect(listBudgets({ ...limits, dayTokens: 0 }, NOTHING, NOTHING, december)[0]!.renewsAt).toBe(
      startOf("2027-01-01"),
    );
  });
});
