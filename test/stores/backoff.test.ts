// The waits of a lost swap, at their longest.
import { expect, it } from "vitest";
import { createBackoff } from "../../stores/backoff.ts";
import { createTestClock } from "../support/clock.ts";

async function waitsOf(withinMs: number): Promise<number[]> {
  const clock = createTestClock();
  const backoff = createBackoff({ clock, random: () => 1, withinMs });
  const waits: number[] = [];
  for (let before = clock.now(); await backoff.wait(); before = clock.now()) waits.push(clock.now() - before);
  return waits;
}

it("grows by a half to thirty seconds, shrinks with the time that is left, and ends on time", async () => {
  const waits = await waitsOf(400_000);
  const rounded = waits.map((ms) => Math.round(ms / 100) / 10);
  expect(rounded.slice(0, 10)).toEqual([1, 1.5, 2.3, 3.4, 5.1, 7.6, 11.4, 17.1, 25.6, 30]);
  expect(rounded.slice(-6)).toEqual([1.6, 1.2, 1, 1, 1, 0.6]);
  expect(Math.max(...waits)).toBe(30_000);
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(400_000);
});

it("does not wait at all when there is no time", async () => {
  expect(await waitsOf(0)).toEqual([]);
});
