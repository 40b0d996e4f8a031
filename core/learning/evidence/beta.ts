// The probability that one success rate is higher than another, each given as a Beta distribution. Called by verdict.ts. Pure.

/** Weights of successes and failures, including the prior. */
export interface Beta {
  successes: number;
  failures: number;
}

/**
 * P(x > y), rounded to four decimals. A sum over a fixed grid of log odds: there the densities have no poles at the ends, and a
 * plain sum converges fastest. The sum below a point is corrected for the slope (Euler and Maclaurin).
 *
 * Exact to three decimals up to five hundred uses, and coarser beyond a thousand, which no discount under 1 reaches. The order of
 * the sum is fixed. Engines may round `exp` and `log1p` differently in the last bit; rounding makes the figures equal everywhere.
 */
export function probabilityHigher(x: Beta, y: Beta): number {
  const [ofX, ofY] = [weightsOf(x), weightsOf(y)];
  const sizeOfY = y.successes + y.failures;
  let [higher, below, total] = [0, 0, 0];
  for (let at = 0; at < POINTS; at++) {
    const weight = ofY[at]!;
    const slope = weight * (y.successes - sizeOfY * RATES[at]!);
    higher += ofX[at]! * (below + weight / 2 - (slope * STEP) / 12);
    below += weight;
    total += ofX[at]!;
  }
  return roundFigure(Math.min(1, Math.max(0, higher / (total * below))));
}

/** The rate, and the range that holds it with this probability. The same grid, so that a figure and its verdict agree. */
export function toEstimate(beta: Beta, probability: number): { rate: number; low: number; high: number } {
  const weights = weightsOf(beta);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const [lowEnd, highEnd] = [(total * (1 - probability)) / 2, (total * (1 + probability)) / 2];
  let [below, low, high] = [0, 0, 1];
  for (let at = 0; at < POINTS; at++) {
    const upTo = below + weights[at]!;
    if (below <= lowEnd && upTo > lowEnd) low = RATES[at]!;
    if (below < highEnd && upTo >= highEnd) high = RATES[at]!;
    below = upTo;
  }
  const rate = beta.successes / (beta.successes + beta.failures);
  return { rate: roundFigure(rate), low: roundFigure(low), high: roundFigure(high) };
}

/** Figures are compared, stored and shown with four decimals. */
export function roundFigure(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Beyond these log odds a rate differs from 0 or 1 by less than 1e-13. */
const MAX_LOG_ODDS = 30;
const STEP = 1 / 16;
const POINTS = (2 * MAX_LOG_ODDS) / STEP + 1;
const LOG_ODDS = Float64Array.from({ length: POINTS }, (_, at) => at * STEP - MAX_LOG_ODDS);
const RATES = LOG_ODDS.map((odds) => 1 / (1 + Math.exp(-odds)));
const LOG_RATES = LOG_ODDS.map((odds) => -Math.log1p(Math.exp(-odds)));
const LOG_COMPLEMENTS = LOG_ODDS.map((odds) => -Math.log1p(Math.exp(odds)));

/** Densities over the log odds, scaled to a maximum of 1, so that many uses do not underflow. */
function weightsOf({ successes, failures }: Beta): Float64Array {
  const weights = new Float64Array(POINTS);
  let peak = -Infinity;
  for (let at = 0; at < POINTS; at++) {
    const weight = successes * LOG_RATES[at]! + failures * LOG_COMPLEMENTS[at]!;
    weights[at] = weight;
    if (weight > peak) peak = weight;
  }
  for (let at = 0; at < POINTS; at++) weights[at] = Math.exp(weights[at]! - peak);
  return weights;
}
