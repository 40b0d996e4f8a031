// Allows few sandboxes to be live at once; the others wait in the order in which they came. Two of QuickJS in an isolate, since sessions
// share its memory: called by quickjs-code.ts. wiring/dynamic-worker.ts has places of its own. A run polls with its own timer, because
// the promise of another run belongs to another object's events.
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

export interface WaitOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Whether something else needs the isolate's memory now. */
  isBlocked?(): boolean;
  maxWaitMs?: number;
}

export interface Places {
  /** A function that must be called when the sandbox is gone, even if it failed; or why there is no place for it. */
  take(options: WaitOptions): Promise<(() => void) | "busy" | "signal">;
  countLive(now: number): number;
}

export function createPlaces(maxLive: number): Places {
  let live: Place[] = [];
  let waiting: Place[] = [];
  return { take, countLive: (now) => live.filter(isAlive(now)).length };

  async function take({ clock, signal, isBlocked = () => false, maxWaitMs = MAX_WAIT_MS }: WaitOptions) {
    const began = clock.now();
    const mine: Place = { at: began };
    waiting.push(mine);
    try {
      for (;;) {
        const now = clock.now();
        if (signal.aborted) return "signal";
        mine.at = now;
        if (!waiting.includes(mine)) waiting.push(mine); // it was taken for evicted
        live = live.filter(isAlive(now));
        waiting = waiting.filter(({ at }) => now - at < MAX_SILENT_MS);
        if (live.length < maxLive && waiting[0] === mine && !isBlocked()) break;
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
}

const isAlive = (now: number) => (place: Place) => now - place.at < MAX_LIVE_MS;

const ofIsolate = createPlaces(MAX_LIVE);
export const takePlace = ofIsolate.take;

/** Bytes of the isolate's memory that live sandboxes may use. */
export function heldBySandboxes(now: number): number {
  return ofIsolate.countLive(now) * MAX_MEMORY_BYTES;
}
