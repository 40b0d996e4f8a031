// Keeps a memory provider from costing more than it gives: a time limit on each call, no second search while one hangs, and
// a circuit that stops asking for a while after failures in a row. Wrapped around an adapter where things are wired.
import type { Tool } from "../agent/contract.ts";
import { fail as failCall } from "../agent/tool-result.ts";
import type { Result } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { fail } from "./provider-http.ts";
import type { MemoryProvider, ProviderFailure } from "./provider.ts";

export const GUARD = {
  prefetchMs: 8_000, // Hermes Agent
  /** [own] nobody waits for it, but it keeps an object awake. */
  syncMs: 20_000,
  failures: 3,
  openMs: 5 * 60_000,
} as const;

export interface Circuit {
  isOpen(): boolean;
  count(result: Result<unknown, ProviderFailure>): void;
}

/** Shared by the sessions of an isolate: a service that is out is out for all of them. */
export function createCircuit(clock: Pick<Clock, "now">): Circuit {
  let failures = 0;
  let openUntil = -Infinity;
  return {
    isOpen: () => clock.now() < openUntil,
    count(result) {
      // What one tenant asked for wrongly must not close the service to the others.
      if (result.ok || result.failure.own) {
        if (result.ok) failures = 0;
        return;
      }
      failures += 1;
      if (failures < GUARD.failures) return;
      openUntil = clock.now() + GUARD.openMs;
      failures = GUARD.failures - 1; // one try after that time; it fails again, and the circuit opens at once
    },
  };
}

/** The same provider. Its calls never throw and never take longer than their limit. */
export function guardProvider(
  provider: MemoryProvider,
  { clock, circuit }: { clock: Clock; circuit: Circuit },
): MemoryProvider {
  const { name } = provider;
  let hanging = false;

  type Call<T> = (signal: AbortSignal) => Promise<Result<T, ProviderFailure>>;

  async function limited<T>(ms: number, outer: AbortSignal, call: Call<T>, settled = () => undefined as void) {
    if (circuit.isOpen()) {
      settled();
      return fail("memory_provider_resting", `${name} has failed often and is not asked for a while.`);
    }
    const mine = new AbortController();
    const stop = () => mine.abort();
    outer.addEventListener("abort", stop, { once: true });
    if (outer.aborted) stop();
    const watch = new AbortController();
    const working = attempt(name, () => call(mine.signal)).finally(settled);
    const first = await Promise.race([working, clock.sleep(ms, watch.signal).then(() => null)]);
    watch.abort();
    outer.removeEventListener("abort", stop);
    const result = first ?? fail("memory_provider_timeout", `${name} did not answer within ${ms / 1_000} seconds.`);
    if (first === null) mine.abort();
    if (!outer.aborted) circuit.count(result);
    return result;
  }

  return {
    name,
    async prefetch(query, signal) {
      if (hanging) return fail("memory_provider_busy", `${name} has not answered the search before this one.`, BUSY);
      hanging = true;
      // One that does not heed its signal hangs beyond its limit: the next is skipped until it is over.
      return limited(
        GUARD.prefetchMs,
        signal,
        (own) => provider.prefetch(query, own),
        () => void (hanging = false),
      );
    },
    sync: (exchange, signal) => limited(GUARD.syncMs, signal, (own) => provider.sync(exchange, own)),
    preCompaction: (messages, signal) =>
      limited(GUARD.prefetchMs, signal, (own) => provider.preCompaction(messages, own)),
    onWrite: (write, signal) => limited(GUARD.syncMs, signal, (own) => provider.onWrite(write, own)),
    tools: () => provider.tools().map((tool) => resting(tool, name, circuit)),
  };
}

const BUSY = { own: true };

async function attempt<T>(
  name: string,
  call: () => Promise<Result<T, ProviderFailure>>,
): Promise<Result<T, ProviderFailure>> {
  try {
    return await call();
  } catch {
    // An adapter must not throw; what it says may hold more than a log should.
    return fail("memory_provider_crashed", `The adapter of ${name} failed.`);
  }
}

/** The model learns at once that there is nothing to wait for. */
function resting(tool: Tool, name: string, circuit: Circuit): Tool {
  return {
    ...tool,
    run: async (args, context) =>
      circuit.isOpen()
        ? failCall("memory_provider_resting", `${name} is out of order for now. Go on without it.`)
        : tool.run(args, context),
  };
}
