// The longest possible waits after a lost compare-and-swap.
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

it("the wait grows by half up to thirty seconds, shrinks with the remaining time, and ends at the deadline", async () => {
  const waits = await waitsOf(400_000);
  const rounded = waits.map((ms) => Math.round(ms / 100) / 10);
  expect(rounded.slice(0, 10)).toEqual([1, 1.5, 2.3, 3.4, 5.1, 7.6, 11.4, 17.1, 25.6, 30]);
  expect(rounded.slice(-6)).toEqual([1.6, 1.2, 1, 1, 1, 0.6]);
  expect(Math.max(...waits)).toBe(30_000);
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(400_000);
});

it("there is no wait without remaining time", async () => {
  expect(await waitsOf(0)).toEqual([]);
});
