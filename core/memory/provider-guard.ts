// Limits what a memory provider can cost: a time limit on each call, no second search while one hangs, and a circuit
// breaker that pauses calls after repeated failures. Wrapped around an adapter where things are wired.
import type { Tool } from "../agent/contract.ts";
import { fail as failCall } from "../agent/tool-result.ts";
import type { Result } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { fail } from "./provider-http.ts";
import type { MemoryProvider, ProviderFailure } from "./provider.ts";

export const PROVIDER_LIMITS = {
  prefetchMs: 8_000, // Hermes Agent
  /** [own] No one waits for a sync, but it keeps a Durable Object awake. */
  syncMs: 20_000,
  /** Failures in a row that open the circuit. */
  failures: 3,
  openMs: 5 * 60_000,
} as const;

export interface Circuit {
  isOpen(): boolean;
  record(result: Result<unknown, ProviderFailure>): void;
}

/** Shared by all sessions of an isolate: an outage affects all of them. */
export function createCircuit(clock: Pick<Clock, "now">): Circuit {
  let failures = 0;
  let openUntil = -Infinity;
  return {
    isOpen: () => clock.now() < openUntil,
    record(result) {
      // A wrong request of one tenant must not block the service for the others.
      if (result.ok || result.failure.isRequestFault) {
        if (result.ok) failures = 0;
        return;
      }
      failures += 1;
      if (failures < PROVIDER_LIMITS.failures) return;
      openUntil = clock.now() + PROVIDER_LIMITS.openMs;
      failures = PROVIDER_LIMITS.failures - 1; // after that time, one more failure reopens the circuit
    },
  };
}

/** The same provider, with calls that never throw and never exceed their time limit. */
export function guardProvider(
  provider: MemoryProvider,
  { clock, circuit }: { clock: Clock; circuit: Circuit },
): MemoryProvider {
  const { name } = provider;
  let isSearching = false;

  type Call<T> = (signal: AbortSignal) => Promise<Result<T, ProviderFailure>>;

  async function callWithLimit<T>(ms: number, outer: AbortSignal, call: Call<T>, onSettled = () => undefined as void) {
    if (circuit.isOpen()) {
      onSettled();
      return fail("memory_provider_resting", `${name} failed repeatedly and is paused for a few minutes.`);
    }
    const inner = new AbortController();
    const stop = () => inner.abort();
    outer.addEventListener("abort", stop, { once: true });
    if (outer.aborted) stop();
    const timer = new AbortController();
    const working = attempt(name, () => call(inner.signal)).finally(onSettled);
    const first = await Promise.race([working, clock.sleep(ms, timer.signal).then(() => null)]);
    timer.abort();
    outer.removeEventListener("abort", stop);
    const result = first ?? fail("memory_provider_timeout", `${name} did not answer within ${ms / 1_000} seconds.`);
    if (first === null) inner.abort();
    if (!outer.aborted) circuit.record(result);
    return result;
  }

  return {
    name,
    async prefetch(query, signal) {
      if (isSearching)
        return fail("memory_provider_busy", `${name} has not answered the previous search.`, REQUEST_FAULT);
      isSearching = true;
      // A search that ignores its signal outlives its limit. Further searches are skipped until it settles.
      return callWithLimit(
        PROVIDER_LIMITS.prefetchMs,
        signal,
        (inner) => provider.prefetch(query, inner),
        () => void (isSearching = false),
      );
    },
    sync: (exchange, signal) =>
      callWithLimit(PROVIDER_LIMITS.syncMs, signal, (inner) => provider.sync(exchange, inner)),
    preCompaction: (messages, signal) =>
      callWithLimit(PROVIDER_LIMITS.prefetchMs, signal, (inner) => provider.preCompaction(messages, inner)),
    onWrite: (write, signal) =>
      callWithLimit(PROVIDER_LIMITS.syncMs, signal, (inner) => provider.onWrite(write, inner)),
    eraseProfile: (signal) => callWithLimit(PROVIDER_LIMITS.syncMs, signal, (inner) => provider.eraseProfile(inner)),
    tools: () => provider.tools().map((tool) => failWhileOpen(tool, name, circuit)),
  };
}

const REQUEST_FAULT = { isRequestFault: true };

async function attempt<T>(
  name: string,
  call: () => Promise<Result<T, ProviderFailure>>,
): Promise<Result<T, ProviderFailure>> {
  try {
    return await call();
  } catch {
    // An adapter must not throw. The message is dropped because it may contain more than a log should.
    return fail("memory_provider_crashed", `The adapter of ${name} failed.`);
  }
}

/** While the circuit is open, the tool fails at once, so that the model does not wait. */
function failWhileOpen(tool: Tool, name: string, circuit: Circuit): Tool {
  return {
    ...tool,
    run: async (args, context) =>
      circuit.isOpen()
        ? failCall("memory_provider_resting", `${name} is not available now. Continue without it.`)
        : tool.run(args, context),
  };
}
