// Calls of an external memory provider, as a session makes them: a failure is reported and never thrown. Called by the other
// files of this folder. Must not report any word of a request.
import type { Result } from "../../errors.ts";
import type { MemoryProvider, ProviderFailure } from "../../memory/provider.ts";
import type { EngineContext } from "../context.ts";

/** Delay before the one retry of a sync that the provider certainly did not accept. */
const RETRY_MS = 2_000;
/** A longer wait that the provider asks for is not spent: it would keep the session's object awake. */
const MAX_RETRY_MS = 20_000;
/** Follow-up failures: the failure that caused them was reported already. */
const FOLLOW_UP_CODES = new Set(["memory_provider_resting", "memory_provider_busy"]);

/** `null` without a provider, and in a session that does not learn or was delegated. */
export function findProvider({ host, meta }: EngineContext): MemoryProvider | null {
  const { learning, kind } = meta();
  return host.memoryProvider && learning === "on" && kind === undefined ? host.memoryProvider : null;
}

/** `undefined` when the provider's adapter threw an error. */
export async function callProvider<T>(
  host: EngineContext["host"],
  what: string,
  call: () => Promise<Result<T, ProviderFailure>>,
): Promise<Result<T, ProviderFailure> | undefined> {
  try {
    const result = await call();
    if (!result.ok && !FOLLOW_UP_CODES.has(result.failure.code)) host.report(what, result.failure.message);
    return result;
  } catch {
    host.report(what, "the memory provider's adapter failed"); // an adapter must not throw; its text is not for our log
    return undefined;
  }
}

export async function callWithRetry(
  host: EngineContext["host"],
  what: string,
  call: () => Promise<Result<null, ProviderFailure>>,
): Promise<void> {
  const first = await callProvider(host, what, call);
  if (first?.ok !== false || !first.failure.retry) return;
  const waitMs = Math.max(RETRY_MS, first.failure.retryAfterMs ?? 0);
  if (waitMs > MAX_RETRY_MS) return;
  await host.clock.sleep(waitMs);
  await callProvider(host, what, call);
}

/** A signal that never aborts: calls have their own timeouts. One per call, because a signal belongs to its request. */
export function createIdleSignal(): AbortSignal {
  return new AbortController().signal;
}
