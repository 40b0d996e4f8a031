// From single turns of one growing session to the rows of bench:growth. Pure.
//
// Once history fills the budget the request is compacted, grows again and is compacted again: a saw-tooth. So a row at the
// budget is a whole tooth, from one compaction to the next: means of its turns, and the median of their times.
import { median, rounded } from "../support/figures.ts";

/** One turn. */
export interface Sample {
  /** Entries of the log after it. */
  entries: number;
  /** Of the turn's last request, as the provider counts them. */
  tokens: number;
  rowsRead: number;
  rowsWritten: number;
  requestBytes: number;
  ms: number;
  /** Messages of the first request: what a turn has to read, one row each at least. */
  messages: number;
  /** Rows read by statement. */
  readBy: Record<string, number>;
  /** The object was evicted before it. */
  cold: boolean;
}

/** One element of `rows` in the bench's last line. */
export interface GrowthRow {
  entries: number;
  atBudget: boolean;
  tokens: number;
  rowsRead: number;
  rowsWritten: number;
  requestBytes: number;
  warmMs: number;
  coldRowsRead: number | null;
}

export interface GrowthReportRow extends GrowthRow {
  /** Of the turn that `coldRowsRead` was counted in. */
  coldMessages: number | null;
}

/** A request that shrinks by more than this was compacted: turns only add. */
const SHRUNK = 0.9;
/** Turns a row below the budget looks at: the newest ones. */
const RECENT = 4;

/** Where compactions happened: index of the first sample after each. */
export function findCompactions(samples: Sample[]): number[] {
  return samples.flatMap((sample, i) => (i > 0 && sample.tokens < samples[i - 1]!.tokens * SHRUNK ? [i] : []));
}

/** Rows at 2, 4, 8… turns until the budget is full, then at each of `multiples` of that size. */
export function toRows(samples: Sample[], multiples: readonly number[]): GrowthReportRow[] {
  const cuts = findCompactions(samples);
  const budget = cuts[0] ?? samples.length;
  const below: GrowthReportRow[] = [];
  for (let turns = 2; turns < budget; turns *= 2) {
    below.push(toRow(samples.slice(Math.max(0, turns - RECENT), turns), false));
  }
  const teeth = cuts.slice(0, -1).map((from, i) => ({ from, to: cuts[i + 1]! }));
  const chosen = multiples.flatMap((multiple) => teeth.find(({ to }) => to >= multiple * budget) ?? []);
  return [...below, ...[...new Set(chosen)].map(({ from, to }) => toRow(samples.slice(from, to), true))];
}

function toRow(samples: Sample[], atBudget: boolean): GrowthReportRow {
  const cold = samples.findLast((sample) => sample.cold);
  const warm = samples.filter((sample) => !sample.cold);
  const mean = (of: (sample: Sample) => number) =>
    Math.round(warm.reduce((sum, sample) => sum + of(sample), 0) / warm.length);
  return {
    entries: samples.at(-1)!.entries,
    atBudget,
    tokens: mean((sample) => sample.tokens),
    rowsRead: mean((sample) => sample.rowsRead),
    rowsWritten: mean((sample) => sample.rowsWritten),
    requestBytes: mean((sample) => sample.requestBytes),
    warmMs: rounded(median(warm.map((sample) => sample.ms))),
    coldRowsRead: cold?.rowsRead ?? null,
    coldMessages: cold?.messages ?? null,
  };
}
