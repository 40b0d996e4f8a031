// How a lost swap waits before it is tried again: full jitter over a window that grows, within a fixed time. One for each
// operation; used by the skill store.
import type { Clock, Random } from "../core/ports.ts";

// R2 takes one write a second for a key, so the first window is about that. The window ends at 30 s, or at a quarter of
// what is left: so the last of many writers, alone by then, do not sleep through their time. Simulated with 50 writers of
// one key, two minutes allowed, one answer in twenty lost: the last finishes after 71 to 88 s.
const FIRST_WINDOW_MS = 1_000;
const GROWTH = 1.5;
const MAX_WINDOW_MS = 30_000;

export interface Backoff {
  /** Sleeps; false, at once, when the time is up. The last sleep ends with it. */
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
