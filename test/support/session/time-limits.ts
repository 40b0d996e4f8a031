// One time limit for every silence of a model, whoever's server it is: for tests that are about something else.
import type { TimeLimits } from "../../../core/agent/time-limits.ts";

export function toTimeLimits(ms: number): TimeLimits {
  return { firstByteMs: ms, idleStreamMs: ms, ownFirstByteMs: ms, ownIdleStreamMs: ms };
}
