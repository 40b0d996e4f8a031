// The Clock port over the platform's clock. The only place in stores/ that reads the time.
import type { Clock } from "../../core/ports.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((done) => {
      if (signal?.aborted) return done();
      const timer = setTimeout(finish, ms);
      signal?.addEventListener("abort", finish, { once: true });
      function finish() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        done();
      }
    }),
};
