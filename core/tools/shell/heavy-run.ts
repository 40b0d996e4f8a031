// Lets one run of the shell be heavy at a time. Sessions share the memory of their isolate, and a heavy run is allowed most of
// it. Asked by shell-commands.ts. A run waits by its own timer rather than for another's promise, which belongs to another
// object's events; light runs wait for nobody.
import type { Clock } from "../../ports.ts";

export interface HeavyRun {
  /** Waits for its turn. False when none came before the signal, or before the run's own time. */
  begin(): Promise<boolean>;
  /** To be called when the run has ended, however it ended. */
  end(): void;
}

const LOOK_AGAIN_MS = 20;
/** A run that was cut off without an end, as when its object was evicted, holds the others up no longer than this. */
const MAX_HELD_MS = 60_000;

let holder: { since: number } | null = null;

export function createHeavyRun(clock: Clock, signal: AbortSignal, maxWaitMs: number): HeavyRun {
  let mine: { since: number } | null = null;
  let hasEnded = false;
  return {
    async begin() {
      const began = clock.now();
      while (holder !== mine && holder !== null && clock.now() - holder.since < MAX_HELD_MS) {
        if (hasEnded || signal.aborted || clock.now() - began > maxWaitMs) return false;
        await clock.sleep(LOOK_AGAIN_MS, signal);
      }
      // The shell gives a command up at its deadline, and leaves it waiting here.
      if (hasEnded) return false;
      holder = mine ??= { since: clock.now() };
      return true;
    },
    end() {
      hasEnded = true;
      if (holder === mine) holder = null;
      mine = null;
    },
  };
}
