// How bench:growth turns samples into rows, and how orders are encoded.
import { describe, expect, it } from "vitest";
import { type Sample, findCompactions, toRows } from "../../bench/growth/samples.ts";
import { median, quantile, subtractCounts } from "../../bench/support/figures.ts";
import { PLAIN_ORDER, fill, parseOrder, toOrderText, withoutRecord } from "../../bench/support/orders.ts";

/** Turns of one step and 10 tokens each, compacted to 30 tokens before they exceed 100. */
function grow(turns: number): Sample[] {
  const samples: Sample[] = [];
  let tokens = 0;
  for (let n = 1; n <= turns; n++) {
    tokens = tokens + 10 > 100 ? 30 : tokens + 10;
    const cold = n % 4 === 0;
    samples.push({
      entries: 4 * n,
      tokens,
      rowsRead: tokens + (cold ? 1_000 : 0),
      rowsWritten: 7,
      requestBytes: 4 * tokens,
      ms: cold ? 500 : n,
      messages: tokens / 10,
      readBy: {},
      cold,
    });
  }
  return samples;
}

describe("rows of a growing session", () => {
  it("are at doubling sizes below the budget, and cover whole teeth of the sawtooth at the budget", () => {
    const samples = grow(44);
    expect(findCompactions(samples)).toEqual([10, 18, 26, 34, 42]);
    expect(toRows(samples, [1, 2, 3])).toEqual([
      row({ entries: 8, tokens: 15, rowsRead: 15, requestBytes: 60, warmMs: 1.5 }),
      row({ entries: 16, tokens: 20, rowsRead: 20, requestBytes: 80, warmMs: 2, coldRowsRead: 1_040, coldMessages: 4 }),
      row({
        entries: 32,
        tokens: 60,
        rowsRead: 60,
        requestBytes: 240,
        warmMs: 6,
        coldRowsRead: 1_080,
        coldMessages: 8,
      }),
      row({
        ...{ entries: 72, atBudget: true, tokens: 67, rowsRead: 67, requestBytes: 267, warmMs: 14.5 },
        ...{ coldRowsRead: 1_080, coldMessages: 8 },
      }),
      row({
        ...{ entries: 104, atBudget: true, tokens: 67, rowsRead: 67, requestBytes: 267, warmMs: 22.5 },
        ...{ coldRowsRead: 1_080, coldMessages: 8 },
      }),
      row({
        ...{ entries: 136, atBudget: true, tokens: 67, rowsRead: 67, requestBytes: 267, warmMs: 30.5 },
        ...{ coldRowsRead: 1_080, coldMessages: 8 },
      }),
    ]);
  });

  it("do not reach the budget for a session that was never compacted", () => {
    expect(toRows(grow(9), [1, 2]).map((row) => [row.entries, row.atBudget])).toEqual([
      [8, false],
      [16, false],
      [32, false],
    ]);
  });

  function row(fields: object): object {
    return { atBudget: false, rowsWritten: 7, coldRowsRead: null, coldMessages: null, ...fields };
  }
});

describe("an order", () => {
  const order = { ...PLAIN_ORDER, run: "g7", steps: 3, chunks: 5, gapMs: 2, padChars: 0, record: true };

  it("is parsed from its message, including the filler", () => {
    expect(parseOrder(toOrderText(order))).toEqual(order);
    expect(toOrderText({ ...order, padChars: 50 })).toHaveLength(toOrderText(order).length + 51);
    expect(parseOrder("What is in the report?")).toBe(null);
  });

  it("is sent again without recording", () => {
    const body = JSON.stringify({ messages: [{ role: "user", content: toOrderText(order) }] });
    const again = JSON.parse(withoutRecord(body)) as { messages: { content: string }[] };
    expect(parseOrder(again.messages[0]!.content)).toEqual({ ...order, record: false });
  });

  it("has different filler for different seeds, and the same for the same seed", () => {
    expect(fill(300, "a")).toBe(fill(300, "a"));
    expect(fill(300, "a")).not.toBe(fill(300, "b"));
    expect(fill(300, "a")).toHaveLength(300);
  });
});

describe("figures", () => {
  it("are the middle value, the mean of the two middle values, and quantiles", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
    expect([quantile(hundred, 0.5), quantile(hundred, 0.95), quantile([7], 0.95)]).toEqual([51, 96, 7]);
  });

  it("include only counts that rose", () => {
    expect(subtractCounts({ "INSERT entry": 5, "DELETE job": 1 }, { "INSERT entry": 2, "DELETE job": 1 })).toEqual({
      "INSERT entry": 3,
    });
  });
});
