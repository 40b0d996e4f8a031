// A clock that moves only when a test advances it or something sleeps on it. A long sleep with an abort signal is a watchdog: it
// ends when it is aborted or the clock is moved past it, and does not move the clock.
import type { Clock } from "../../core/ports.ts";

export interface TestClock extends Clock {
  advance(ms: number): void;
}

const WATCHDOG_MS = 15_000;

export function createTestClock(startMs = Date.UTC(2026, 0, 5, 9)): TestClock {
  let now = startMs;
  const watching = new Set<{ at: number; wake(): void }>();
  return {
    now: () => now,
    async sleep(ms, signal) {
      if (signal && ms >= WATCHDOG_MS) return watch(now + ms, signal);
      move(ms);
      await Promise.resolve();
    },
    advance: move,
  };

  function move(ms: number): void {
    now += ms;
    for (const watchdog of watching) if (watchdog.at <= now) watchdog.wake();
  }

  function watch(at: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watchdog = { at, wake: resolve };
    watching.add(watchdog);
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    return promise.finally(() => watching.delete(watchdog));
  }
}
