// Figures over seeds with 95 % intervals. A figure is a ratio of two sums over seeds, so a seed with few cases weighs little.
// The interval is a percentile bootstrap over seeds, with a fixed random sequence. Pure.
import { createSeededRandom } from "../../../test/support/seeded-random.ts";

export interface Figure {
  mean: number;
  low: number;
  high: number;
}

/** One seed's part of a ratio. */
export type RatioParts = [numerator: number, denominator: number];

const RESAMPLES = 1_000;

/** `null` if the denominators sum to zero. */
export function ratio(seeds: readonly RatioParts[]): Figure | null {
  return bootstrap(seeds, divide);
}

/** The ratio of the first parts less that of the second, over the same seeds. `null` if one of them has no ratio. */
export function difference(pairs: readonly (readonly [RatioParts, RatioParts])[]): Figure | null {
  return bootstrap(pairs, (some) => {
    const [first, second] = [divide(some.map(([one]) => one)), divide(some.map(([, other]) => other))];
    return first === null || second === null ? null : first - second;
  });
}

function bootstrap<Seed>(seeds: readonly Seed[], compute: (some: readonly Seed[]) => number | null): Figure | null {
  const mean = compute(seeds);
  if (mean === null) return null;
  const random = createSeededRandom(seeds.length);
  const resampled: number[] = [];
  for (let sample = 0; sample < RESAMPLES; sample++) {
    const value = compute(seeds.map(() => seeds[Math.floor(random() * seeds.length)]!));
    if (value !== null) resampled.push(value);
  }
  resampled.sort((a, b) => a - b);
  const at = (share: number) => resampled[Math.min(resampled.length - 1, Math.floor(share * resampled.length))] ?? mean;
  return { mean: round(mean), low: round(at(0.025)), high: round(at(0.975)) };
}

function divide(seeds: readonly RatioParts[]): number | null {
  const [above, below] = seeds.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  return below === 0 ? null : above / below;
}

/** The mean of one value per seed. */
export function average(values: readonly number[]): Figure | null {
  return ratio(values.map((value) => [value, 1]));
}

/** Four digits: more are noise at a hundred seeds. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/**
 * The Kaplan-Meier median: the time after which half of the spans have ended, with unended spans as censored.
 * `null` if more than half have not ended.
 */
export function medianSurvival(spans: readonly { length: number; ended: boolean }[]): number | null {
  const sorted = spans.toSorted((a, b) => a.length - b.length || Number(b.ended) - Number(a.ended));
  let alive = sorted.length;
  let share = 1;
  for (const { length, ended } of sorted) {
    if (ended) share *= (alive - 1) / alive;
    if (share <= 0.5) return length;
    alive -= 1;
  }
  return null;
}
