// What the platform threw at a drive: by its flags, by its words only where it sets none. Pure.
// Words: developers.cloudflare.com/durable-objects/observability/troubleshooting, and what workerd says.
import { messageOf } from "../../errors.ts";

/** `memory`: the isolate was ended for using too much. `replaced`: newer code, or the same elsewhere, takes the object over. */
export type PlatformError = "memory" | "replaced" | "other";

const MEMORY = /exceeded its memory limit|out of memory|memory limit exceeded/i;
const REPLACED =
  /code was updated|script has been upgraded|object has been reset|reset because|Network connection lost|was evicted/i;
const MAX_CAUSES = 5;

export function classifyPlatformError(thrown: unknown): PlatformError {
  let error: unknown = thrown;
  for (let depth = 0; depth < MAX_CAUSES && error !== undefined && error !== null; depth++) {
    const message = messageOf(error);
    if (MEMORY.test(message)) return "memory";
    const flags = error as { durableObjectReset?: unknown; cause?: unknown };
    if (flags.durableObjectReset === true || REPLACED.test(message)) return "replaced";
    error = flags.cause;
  }
  return "other";
}
