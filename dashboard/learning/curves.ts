// The figures of a time from the periods of GET /v1/learning?by=day: curves, sums, and the sums of the time before. Pure.
import type { Answer } from "../data/api.ts";

export type Ledger = Answer<"GET /v1/learning">;
type Period = Ledger["turns"]["periods"][number];
type ReviewPeriod = Ledger["reviews"]["periods"][number];

const DAY_MS = 86_400_000;
/** A single day has too few judged turns to compare. */
const LIFT_DAYS = 7;

export interface Curves {
  times: number[];
  /** The whole time, for the axis. */
  span: [number, number];
  success: (number | null)[];
  calls: (number | null)[];
  failedCalls: (number | null)[];
  tokens: (number | null)[];
  skills: number[];
  /** Success with a learned skill minus success without, over the last seven days; `null`: nothing to compare. */
  lift: (number | null)[];
}

/** The last `days` days, today included. `now` in ms. */
export function toCurves(ledger: Ledger, days: number, now: number): Curves {
  const { periods } = ledger.turns;
  const shown = inTime(periods, days, now);
  return {
    times: shown.map(({ key }) => toTime(key)),
    span: spanOf(days, now),
    success: shown.map(({ success }) => success),
    calls: shown.map(({ calls }) => calls),
    failedCalls: shown.map(({ failedCalls }) => failedCalls),
    tokens: shown.map(({ tokens }) => tokens),
    skills: shown.map(({ skills }) => skills),
    lift: shown.map(({ key }) => {
      const until = toTime(key);
      return liftOf(periods.filter((one) => toTime(one.key) <= until && toTime(one.key) > until - LIFT_DAYS * DAY_MS));
    }),
  };
}

/** Lessons and refused writes by the day on which their reviews ended. */
export function toReviewCurves(ledger: Ledger, days: number, now: number) {
  const shown: ReviewPeriod[] = inTime(ledger.reviews.periods, days, now);
  return {
    times: shown.map(({ key }) => toTime(key)),
    lessons: shown.map(({ lessons }) => lessons),
    refused: shown.map(({ refused }) => Object.values(refused).reduce((sum, count) => sum + count, 0)),
  };
}

export interface Sums {
  turns: number;
  success: number | null;
  calls: number | null;
  failedCalls: number | null;
  tokens: number | null;
  lift: number | null;
}

/** Means over the turns of the time, and of the equally long time before it. */
export function toSums(ledger: Ledger, days: number, now: number): { present: Sums; before: Sums } {
  const { periods } = ledger.turns;
  return {
    present: sumUp(inTime(periods, days, now)),
    before: sumUp(inTime(periods, days, now - days * DAY_MS)),
  };
}

/** Why writes were refused in the time, the most frequent reason first. */
export function toReasons(ledger: Ledger, days: number, now: number): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { refused } of inTime(ledger.reviews.periods, days, now))
    for (const [code, count] of Object.entries(refused)) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

function inTime<One extends { key: string }>(periods: One[], days: number, now: number): One[] {
  const last = toTime(new Date(now).toISOString().slice(0, 10));
  return periods.filter(({ key }) => toTime(key) > last - days * DAY_MS && toTime(key) <= last);
}

function spanOf(days: number, now: number): [number, number] {
  const last = toTime(new Date(now).toISOString().slice(0, 10));
  return [last - (days - 1) * DAY_MS, last];
}

/** The beginning of a UTC day. */
function toTime(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function sumUp(periods: Period[]): Sums {
  const turns = sumOf(periods, (one) => one.turns);
  const judged = sumOf(periods, (one) => one.judged);
  const mean = (of: (one: Period) => number | null) =>
    turns === 0 ? null : sumOf(periods, (one) => (of(one) ?? 0) * one.turns) / turns;
  return {
    turns,
    success: judged === 0 ? null : sumOf(periods, (one) => one.successes) / judged,
    calls: mean((one) => one.calls),
    failedCalls: mean((one) => one.failedCalls),
    tokens: mean((one) => one.tokens),
    lift: liftOf(periods),
  };
}

function liftOf(periods: Period[]): number | null {
  const loaded = {
    judged: sumOf(periods, (one) => one.loaded.judged),
    won: sumOf(periods, (one) => one.loaded.successes),
  };
  const rest = {
    judged: sumOf(periods, (one) => one.judged) - loaded.judged,
    won: sumOf(periods, (one) => one.successes) - loaded.won,
  };
  return loaded.judged === 0 || rest.judged === 0 ? null : loaded.won / loaded.judged - rest.won / rest.judged;
}

function sumOf<One>(list: One[], of: (one: One) => number): number {
  return list.reduce((sum, one) => sum + of(one), 0);
}
