// Allows one heavy run of the shell at a time: sessions share the memory of their isolate, and a heavy run may use most of it.
// Called by shell-commands.ts. A run polls with its own timer, because the promise of another run belongs to another object's
// events. Light runs do not wait.
import type { Clock } from "../../ports.ts";
import { heldBySandboxes } from "../../sandbox/live-sandboxes.ts";

export interface HeavyRun {
  /** Waits until no other heavy run is active. False on the signal or after the timeout. */
  begin(): Promise<boolean>;
  /** Must be called when the run has ended, even if it failed. */
  end(): void;
  /** Bytes of the isolate's memory that others hold. */
  heldByOthers(): number;
}

const LOOK_AGAIN_MS = 20;
/** The lock expires after this time. An evicted object never releases it. */
const MAX_HELD_MS = 60_000;

let holder: { since: number } | null = null;

/** Whether a heavy run has the isolate's memory: no sandbox may begin meanwhile. */
export function isHeavyRunActive(now: number): boolean {
  const heldMs = holder === null ? MAX_HELD_MS : now - holder.since;
  // A clock that was set back must not keep the lock for longer.
  return heldMs >= 0 && heldMs < MAX_HELD_MS;
}

export function createHeavyRun(clock: Clock, signal: AbortSignal, maxWaitMs: number): HeavyRun {
  let mine: { since: number } | null = null;
  let hasEnded = false;
  return {
    async begin() {
      const began = clock.now();
      while (holder !== mine && isHeavyRunActive(clock.now())) {
        if (hasEnded || signal.aborted || clock.now() - began > maxWaitMs) return false;
        await clock.sleep(LOOK_AGAIN_MS, signal);
      }
      // At its deadline the shell abandons a command that still waits here.
      if (hasEnded) return false;
      holder = mine ??= { since: clock.now() };
      return true;
    },
    heldByOthers: () => heldBySandboxes(clock.now()),
    end() {
      hasEnded = true;
      if (holder === mine) holder = null;
      mine = null;
    },
  };
}
