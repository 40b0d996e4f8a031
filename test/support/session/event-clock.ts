// A clock for many sleepers: when nothing else can run, time jumps to the next one. So a race of minutes takes milliseconds and is
// deterministic. Node only; all other work must run in microtasks.
import type { Clock } from "../../../core/ports.ts";

export function createEventClock(startMs = Date.UTC(2026, 0, 5, 9)): Clock {
  let now = startMs;
  let isPumping = false;
  const sleepers: { at: number; wake(): void }[] = [];

  function pump(): void {
    // An immediate runs after all microtasks, so all work that did not have to wait is done.
    setImmediate(() => {
      sleepers.sort((a, b) => a.at - b.at);
      const next = sleepers.shift();
      if (!next) {
        isPumping = false;
        return;
      }
      now = Math.max(now, next.at);
      next.wake();
      pump();
    });
  }

  return {
    now: () => now,
    sleep(ms, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (signal?.aborted) return Promise.resolve();
      const sleeper = { at: now + ms, wake: resolve };
      sleepers.push(sleeper);
      // The sleep was aborted and must not move the time.
      signal?.addEventListener("abort", () => {
        const place = sleepers.indexOf(sleeper);
        if (place >= 0) sleepers.splice(place, 1);
        resolve();
      });
      if (!isPumping) pump();
      isPumping = true;
      return promise;
    },
  };
}
