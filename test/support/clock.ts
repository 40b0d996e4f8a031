// A clock that moves only when told, or when something sleeps on it. A long sleep that can be called off is a watchdog's:
// it lasts until it is called off or the clock is moved past it, and moves nothing itself.
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
