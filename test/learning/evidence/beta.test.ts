import { describe, expect, it } from "vitest";
import { probabilityHigher, toEstimate } from "../../../core/learning/evidence/beta.ts";

const beta = (successes: number, failures: number) => ({ successes, failures });

describe("the probability that one rate is higher than another", () => {
  // Where one parameter of each is 1 there is a closed form.
  it.each([
    [beta(2.8, 1), beta(1, 1), 2.8 / 3.8],
    [beta(6, 1), beta(4.36, 1), 6 / 10.36],
    [beta(1, 5), beta(1, 2), 2 / 7],
    [beta(1, 1), beta(1, 1), 0.5],
    [beta(0.05, 0.05), beta(1, 1), 0.5],
    [beta(40, 1), beta(1, 40), 1],
  ])("of %j and %j equals the closed form", (x, y, expected) => {
    expect(probabilityHigher(x, y)).toBeCloseTo(expected, 4);
  });

  // P(x > y) for whole numbers: the sum over i < a of B(a' + i, b + b') / ((b + i) B(1 + i, b) B(a', b')).
  it.each([
    [beta(3, 4), beta(5, 2)],
    [beta(8, 3), beta(4, 6)],
    [beta(30, 20), beta(28, 22)],
    [beta(300, 200), beta(280, 220)],
  ])("of %j and %j equals the sum over whole numbers", (x, y) => {
    expect(Math.abs(probabilityHigher(x, y) - sumOf(x, y))).toBeLessThan(0.001);
  });

  it("is one minus the probability of the reverse", () => {
    for (const [x, y] of [
      [beta(1.5, 2.5), beta(3, 1)],
      [beta(20, 3), beta(2, 2)],
    ] as const) {
      expect(probabilityHigher(x, y) + probabilityHigher(y, x)).toBeCloseTo(1, 4);
    }
  });

  it("is between 0 and 1 for any number of uses", () => {
    const much = probabilityHigher(beta(1e6, 1e6), beta(1e6, 1e6 + 1));
    expect(much >= 0 && much <= 1).toBe(true);
  });
});

function sumOf(x: { successes: number; failures: number }, y: { successes: number; failures: number }): number {
  let total = 0;
  for (let i = 0; i < x.successes; i++) {
    const log =
      logBeta(y.successes + i, y.failures + x.failures) - logBeta(1 + i, x.failures) - logBeta(y.successes, y.failures);
    total += Math.exp(log) / (x.failures + i);
  }
  return total;
}

function logBeta(a: number, b: number): number {
  return logFactorial(a - 1) + logFactorial(b - 1) - logFactorial(a + b - 1);
}

function logFactorial(n: number): number {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
}

describe("the range of a rate", () => {
  // Where one parameter is 1, the rate below which a share p lies is p^(1/a), or 1 - (1 - p)^(1/b).
  it.each([
    [beta(1, 1), 0.05, 0.95],
    [beta(3, 1), 0.05 ** (1 / 3), 0.95 ** (1 / 3)],
    [beta(1, 4), 1 - 0.95 ** 0.25, 1 - 0.05 ** 0.25],
  ])("of %j holds it with the given probability", (given, low, high) => {
    const estimate = toEstimate(given, 0.9);
    expect(estimate.rate).toBeCloseTo(given.successes / (given.successes + given.failures), 4);
    expect(Math.abs(estimate.low - low)).toBeLessThan(0.02);
    expect(Math.abs(estimate.high - high)).toBeLessThan(0.02);
  });

  it("becomes narrower with more uses", () => {
    const [few, many] = [toEstimate(beta(3, 3), 0.9), toEstimate(beta(300, 300), 0.9)];
    expect(many.high - many.low).toBeLessThan((few.high - few.low) / 5);
  });
});
