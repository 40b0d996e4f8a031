// Learning curves: how the success and the effort of turns change with practice. Called by ledger-turns.ts. Pure.
//
// Effort follows the power law of practice (Newell and Rosenbloom, 1981): calls = a · n^b, fitted as a line through the
// logarithms of both. A share has no such law. It is fitted as a line over the logarithm of n, and its slope is the value of
// practice: b · ln 2 for each doubling of the turns. The exact form of one person's curve is disputed (Heathcote, Brown and
// Mewhort, 2000), and a few dozen turns cannot tell one form from another. R² is the share of the variance that the fit explains,
// in the scale of the fit.
import type { Fit } from "../../schemas/learning/ledger.ts";

/** With fewer points the fit says more about chance than about practice. [own] */
const MIN_TURNS = 8;

/** `values`: 0 or 1, in the order of the turns. Fits value = a + b · ln n. */
export function fitShare(values: readonly number[]): Fit | null {
  return fitLine(values.map((value, i) => ({ x: Math.log(i + 1), y: value })));
}

/** `values`: positive numbers, in the order of the turns. Fits value = a · n^b. */
export function fitPower(values: readonly number[]): Fit | null {
  const line = fitLine(values.map((value, i) => ({ x: Math.log(i + 1), y: Math.log(value) })));
  return line && { ...line, a: Math.exp(line.a) };
}

/** A rate is the mean of the last 10 turns, or of all while there are fewer, but at least 5. [own] */
const RATE_TURNS = 10;
const MIN_RATE_TURNS = 5;

/** The first turn, from 1, at which the observed mean of the last ten values reached `rate`; `null`: none did. */
export function findFirstReach(values: readonly number[], rate: number): number | null {
  for (let n = MIN_RATE_TURNS; n <= values.length; n++) {
    const last = values.slice(Math.max(0, n - RATE_TURNS), n);
    if (last.reduce((sum, value) => sum + value, 0) / last.length >= rate) return n;
  }
  return null;
}

/** Least squares. */
function fitLine(points: { x: number; y: number }[]): Fit | null {
  if (points.length < MIN_TURNS) return null;
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const xx = mean((point) => (point.x - x) ** 2);
  const xy = mean((point) => (point.x - x) * (point.y - y));
  const yy = mean((point) => (point.y - y) ** 2);
  const b = xy / xx;
  return { turns: points.length, a: y - b * x, b, r2: yy > Number.EPSILON ? xy ** 2 / (xx * yy) : null };
}
