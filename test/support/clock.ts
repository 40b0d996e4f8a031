// A clock that moves only when told, or when something sleeps on it.
import type { Clock } from "../../core/ports.ts";

export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function createTestClock(startMs = Date.UTC(2026, 0, 5, 9)): TestClock {
  let now = startMs;
  return {
    now: () => now,
    async sleep(ms) {
      now += ms;
      await Promise.resolve();
    },
    advance(ms) {
      now += ms;
    },
  };
}
