// The same timeout for every kind of silence of a model and for every server, for tests that are not about timeouts.
import type { TimeLimits } from "../../../core/agent/time-limits.ts";

export function toTimeLimits(ms: number): TimeLimits {
  return { firstByteMs: ms, idleStreamMs: ms, ownFirstByteMs: ms, ownIdleStreamMs: ms };
}
