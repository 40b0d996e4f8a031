// A short form of bench:growth's profile: the counts do not grow with the number of turns. Times are not asserted.
import { expect, it } from "vitest";
import { measureProfile } from "../../bench/growth/profile.ts";
import { toGrowthLine } from "../../bench/growth/report.ts";

it("what a turn reads of its profile's Archive and Account is bounded", () => {
  const rows = measureProfile([50, 500, 4_000]);
  const number = expect.any(Number) as number;
  const [, base, last] = rows;
  expect(rows.map(({ turns, bookRows }) => [turns, bookRows])).toEqual([
    [50, 1],
    [500, 1],
    [4_000, 1],
  ]);
  // Postings of 64, words of 128 and bodies of 32 turns, each of the length this generator makes.
  expect(last!.observeRows).toBeLessThanOrEqual(200);
  expect(last!.observeRows).toBeLessThanOrEqual(base!.observeRows * 1.5);
  expect(JSON.parse(toGrowthLine([], null, rows))).toEqual({
    rows: [],
    ratios: null,
    profile: {
      rows,
      ratios: { observeMs: number, bookMs: number, observeRows: number, observeBytes: number, bookRows: 1 },
    },
    rssMiB200Sessions: null,
  });
}, 60_000);
