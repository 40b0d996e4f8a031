import { describe, expect, it } from "vitest";
import { fitPower, fitShare } from "../../../core/learning/ledger/curve.ts";

describe("a learning curve", () => {
  it("is not drawn through fewer than eight turns", () => {
    expect(fitShare([0, 1, 1, 1, 1, 1, 1])).toBeNull();
    expect(fitPower([9, 8, 7, 6, 5, 4, 3])).toBeNull();
    expect(fitPower([9, 8, 7, 6, 5, 4, 3, 2])).not.toBeNull();
  });

  it("finds the power law that the numbers follow", () => {
    const fit = fitPower(Array.from({ length: 8 }, (_, i) => 8 / Math.sqrt(i + 1)))!;
    expect(fit.turns).toBe(8);
    expect(fit.a).toBeCloseTo(8, 10);
    expect(fit.b).toBeCloseTo(-0.5, 10);
    expect(fit.r2).toBeCloseTo(1, 10);
  });

  // By hand: x = ln 1 … ln 8 has the mean 1.325575 and the sum of squares 3.463350 about it; y has the mean 5/8 and 1.875;
  // the products sum to 1.897284. So b = 0.547818, a = 0.625 - b · 1.325575, R² = 1.897284² / (3.463350 · 1.875).
  it("is the line of least squares over the logarithm of the turn", () => {
    const fit = fitShare([0, 0, 1, 0, 1, 1, 1, 1])!;
    expect(fit.b).toBeCloseTo(0.547818, 5);
    expect(fit.a).toBeCloseTo(-0.101174, 5);
    expect(fit.r2).toBeCloseTo(0.55433, 4);
  });

  it("explains nothing where nothing differs", () => {
    expect(fitShare([1, 1, 1, 1, 1, 1, 1, 1])).toEqual({ turns: 8, a: 1, b: 0, r2: null });
  });
});
