// Spaces the retries of a lost compare-and-swap: full jitter over a growing window, within a fixed time. One per operation.
// Used by the skill store and the pending store.
import type { Clock, Random } from "../core/ports.ts";

// R2 accepts one write a second for a key, so the first window is about that long. Later windows are capped at 30 s and at a
// quarter of the remaining time; the last of many writers, alone by then, would otherwise sleep through what is left. Simulated
// with 50 writers of one key, two minutes allowed and one response in twenty lost: the last writer finishes after 71 to 88 s.
const FIRST_WINDOW_MS = 1_000;
const GROWTH = 1.5;
const MAX_WINDOW_MS = 30_000;

export interface Backoff {
  /** Sleeps. Returns false at once when the time is up. The last sleep ends when the time does. */
  wait(): Promise<boolean>;
}

export function createBackoff(options: { clock: Clock; random: Random; withinMs: number }): Backoff {
  const { clock, random, withinMs } = options;
  const endsAt = clock.now() + withinMs;
  let grownMs = FIRST_WINDOW_MS;
  return {
    async wait() {
      const leftMs = endsAt - clock.now();
      if (leftMs <= 0) return false;
      const windowMs = Math.min(grownMs, Math.max(FIRST_WINDOW_MS, leftMs / 4));
      await clock.sleep(Math.min(leftMs, Math.ceil(random() * windowMs)));
      grownMs = Math.min(MAX_WINDOW_MS, grownMs * GROWTH);
      return true;
    },
  };
}
