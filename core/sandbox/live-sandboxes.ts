// Allows two live sandboxes in an isolate: sessions share its memory. The others wait in the order in which they came. Called by
// quickjs-code.ts. A run polls with its own timer, because the promise of another run belongs to another object's events.
import type { Clock } from "../ports.ts";
import { MAX_RUN_MS } from "./code-sandbox.ts";
import { MAX_MEMORY_BYTES } from "./engine.ts";

/** Their memory, twice 24 MB, leaves 80 MB of an isolate's 128 to the Worker's code and its sessions. */
const MAX_LIVE = 2;
export const MAX_WAIT_MS = 90_000;
const LOOK_AGAIN_MS = 10;
/** A waiting run that does not look again for this time was evicted. The longest computation of another run is shorter. */
const MAX_SILENT_MS = 20_000;
/** An evicted object never leaves. */
const MAX_LIVE_MS = MAX_RUN_MS + MAX_SILENT_MS;

interface Place {
  /** When a live run began, or a waiting one last looked. */
  at: number;
}

let live: Place[] = [];
let waiting: Place[] = [];

export interface WaitOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Whether something else needs the isolate's memory now. */
  isBlocked?(): boolean;
  maxWaitMs?: number;
}

/** A function that must be called when the sandbox is gone, even if it failed; or why there is no place for it. */
export async function takePlace(options: WaitOptions): Promise<(() => void) | "busy" | "signal"> {
  const { clock, signal, isBlocked = () => false, maxWaitMs = MAX_WAIT_MS } = options;
  const began = clock.now();
  const mine: Place = { at: began };
  waiting.push(mine);
  try {
    for (;;) {
      const now = clock.now();
      if (signal.aborted) return "signal";
      mine.at = now;
      if (!waiting.includes(mine)) waiting.push(mine); // it was taken for evicted
      live = live.filter(({ at }) => now - at < MAX_LIVE_MS);
      waiting = waiting.filter(({ at }) => now - at < MAX_SILENT_MS);
      if (live.length < MAX_LIVE && waiting[0] === mine && !isBlocked()) break;
      if (now - began >= maxWaitMs) return "busy";
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
  } finally {
    waiting = waiting.filter((other) => other !== mine);
  }
  live.push(mine);
  return () => {
    live = live.filter((other) => other !== mine);
  };
}

/** Bytes of the isolate's memory that live sandboxes may use. */
export function heldBySandboxes(): number {
  return live.length * MAX_MEMORY_BYTES;
}
