// Turns the samples of one growing session into the rows of bench:growth. Pure.
//
// Once history fills the budget, the request is compacted, grows, and is compacted again: a sawtooth. So a row at the budget covers
// a whole tooth, from one compaction to the next: the means of its turns, and the median of their times.
import { median, roundToHundredths } from "../support/figures.ts";

/** One turn. */
export interface Sample {
  /** Entries in the log after the turn. */
  entries: number;
  /** Tokens of the turn's last request, as the provider counts them. */
  tokens: number;
  rowsRead: number;
  rowsWritten: number;
  requestBytes: number;
  ms: number;
  /** Messages of the first request. A turn reads at least one row for each. */
  messages: number;
  /** Rows read by statement. */
  readBy: Record<string, number>;
  /** The object was evicted before the turn. */
  cold: boolean;
  /** For a warm turn: rows of Account and Archive, calls to R2 and KV. Work after a turn's end may be counted with the next turn. */
  beside?: Record<string, number>;
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
  /** Mean costs outside the Session: the other objects of its profile, and the stores. */
  beside?: Record<string, number>;
}

export interface GrowthReportRow extends GrowthRow {
  /** Messages of the turn in which `coldRowsRead` was counted. */
  coldMessages: number | null;
}

/** A request below this share of the one before it was compacted: turns only add. */
const SHRUNK = 0.9;
/** A row below the budget covers this many of the newest turns. */
const RECENT = 4;

/** The index of the first sample after each compaction. */
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
  const chosen = multiples.flatMap((multiple) => teeth.find(({ to }) => to > multiple * budget) ?? []);
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
    warmMs: roundToHundredths(median(warm.map((sample) => sample.ms))),
    coldRowsRead: cold?.rowsRead ?? null,
    coldMessages: cold?.messages ?? null,
    ...(warm.some((sample) => sample.beside) && { beside: averageCounts(warm.map((sample) => sample.beside ?? {})) }),
  };
}

function averageCounts(counts: Record<string, number>[]): Record<string, number> {
  const names = [...new Set(counts.flatMap((one) => Object.keys(one)))].toSorted();
  const mean = (name: string) => counts.reduce((sum, one) => sum + (one[name] ?? 0), 0) / counts.length;
  return Object.fromEntries(names.map((name) => [name, roundToHundredths(mean(name))]));
}

/**
 * The last row with a full budget divided by the first: the extra cost of ten times the history. Figures that are zero in the
 * first row are omitted. `null` with fewer than two such rows.
 */
export function computeRatios(rows: GrowthRow[]): Record<string, number> | null {
  const full = rows.filter((row) => row.atBudget);
  const [first, last] = [full[0], full.at(-1)];
  if (!first || !last || first === last) return null;
  const { rowsRead, rowsWritten, requestBytes, warmMs } = first;
  const before: Record<string, number> = { rowsRead, rowsWritten, requestBytes, warmMs, ...first.beside };
  const after = { ...last, ...last.beside } as unknown as Record<string, number>;
  const risen = Object.entries(before).filter(([, value]) => value > 0);
  return Object.fromEntries(risen.map(([name, value]) => [name, roundToHundredths((after[name] ?? 0) / value)]));
}
