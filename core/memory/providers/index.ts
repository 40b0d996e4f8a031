// The registry of memory providers: opens the one that the operator's variables name. Called by the Session's shell.
import { type Result, ok } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { type ProviderConfig, type ProviderEnv, type ProviderName, parseProviderEnv } from "../provider-env.ts";
import { type Circuit, guardProvider } from "../provider-guard.ts";
import type { Fetch } from "../provider-http.ts";
import { type MemoryProvider, createProviderSlot } from "../provider.ts";
import { createHoncho } from "./honcho.ts";
import { createMem0 } from "./mem0.ts";
import type { Tenant } from "./tenant.ts";

const ADAPTERS: Record<ProviderName, (config: ProviderConfig, tenant: Tenant, fetch: Fetch) => MemoryProvider> = {
  mem0: createMem0,
  honcho: createHoncho,
};

export interface ProviderDeps {
  fetch: Fetch;
  clock: Clock;
  circuit: Circuit;
}

/**
 * Returns `null` when no provider is named. Failures: those of `parseProviderEnv`, and `memory_provider_taken` for a
 * second name.
 */
export function openProvider(env: ProviderEnv, tenant: Tenant, deps: ProviderDeps): Result<MemoryProvider | null> {
  const configs = parseProviderEnv(env);
  if (!configs.ok) return configs;
  const slot = createProviderSlot();
  for (const config of configs.value) {
    const provider = ADAPTERS[config.name](config, tenant, deps.fetch);
    const registered = slot.register(guardProvider(provider, deps));
    if (!registered.ok) return registered;
  }
  return ok(slot.current());
}
