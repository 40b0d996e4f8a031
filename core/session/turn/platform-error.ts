// Classifies an error that the platform threw into a drive: by its flags, and by its message if it has none. Pure.
// Messages: developers.cloudflare.com/durable-objects/observability/troubleshooting, and workerd.
import { messageOf } from "../../errors.ts";

/** `memory`: the isolate exceeded its memory limit. `replaced`: the object restarts, with newer code or in another place. */
export type PlatformError = "memory" | "replaced" | "other";

const MEMORY_MESSAGE = /exceeded its memory limit|out of memory|memory limit exceeded/i;
const REPLACED_MESSAGE =
  /code was updated|script has been upgraded|object has been reset|reset because|Network connection lost|was evicted/i;
const MAX_CAUSES = 5;

export function classifyPlatformError(thrown: unknown): PlatformError {
  let error: unknown = thrown;
  for (let depth = 0; depth < MAX_CAUSES && error !== undefined && error !== null; depth++) {
    const message = messageOf(error);
    if (MEMORY_MESSAGE.test(message)) return "memory";
    const flags = error as { durableObjectReset?: unknown; cause?: unknown };
    if (flags.durableObjectReset === true || REPLACED_MESSAGE.test(message)) return "replaced";
    error = flags.cause;
  }
  return "other";
}
