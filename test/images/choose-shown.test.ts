// Which images of a conversation one request holds.
import { describe, expect, it } from "vitest";
import { countUnshown } from "../../core/images/choose-shown.ts";

const LIMITS = { maxPerRequest: 4, maxRequestBytes: 100 };
const after = (sizes: number[]) =>
  sizes.map((_, n) =>
    countUnshown(
      sizes.slice(0, n + 1).map((bytes) => ({ bytes })),
      LIMITS,
    ),
  );

describe("the images of a request", () => {
  it("are all of them while they fit, then the newer half, and again all until they no longer fit", () => {
    expect(after(Array(12).fill(1))).toEqual([0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9]);
  });

  it("have no more bytes than a request may hold", () => {
    expect(after([40, 40, 40, 40, 40])).toEqual([0, 0, 2, 2, 4]);
  });

  it("leave out one that is too large by itself, and nothing after it", () => {
    expect(after([10, 101, 10, 10])).toEqual([0, 2, 2, 2]);
  });

  it("never grow at their beginning as the conversation grows, so that a cached prefix changes seldom", () => {
    const counts = after(Array.from({ length: 200 }, (_, n) => 1 + ((n * 7) % 60)));
    expect(counts.every((count, n) => n === 0 || count >= counts[n - 1]!)).toBe(true);
    expect(new Set(counts).size).toBeLessThan(120);
  });
});
