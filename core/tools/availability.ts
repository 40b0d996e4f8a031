// Whether an outside service answers, asked at most every 30 seconds. One failure soon after a success counts as a flake. Used by the
// listing of tools, one for each isolate.
import { LRUCache } from "lru-cache";
import type { Clock } from "../ports.ts";

// From Hermes Agent, all three.
const KEEP_MS = 30_000;
const GRACE_MS = 60_000;
const MAX_ENTRIES = 512;

interface Checked {
  at: number;
  /** When it last answered; -Infinity: never. */
  okAt: number;
  problem: string | null;
}

export interface Availability {
  /** `null`: it answers. `probe` returns what is wrong, as a sentence; it must not throw. */
  check(key: string, probe: () => Promise<string | null>): Promise<string | null>;
}

export function createAvailability(clock: Pick<Clock, "now">): Availability {
  const known = new LRUCache<string, Checked>({ max: MAX_ENTRIES });
  return {
    async check(key, probe) {
      const before = known.get(key);
      if (before && clock.now() - before.at < KEEP_MS) return before.problem;
      const problem = await probe();
      const at = clock.now();
      const okAt = problem === null ? at : (before?.okAt ?? -Infinity);
      // Not stored: the next listing asks again.
      if (problem !== null && at - okAt < GRACE_MS) return null;
      known.set(key, { at, okAt, problem });
      return problem;
    },
  };
}
