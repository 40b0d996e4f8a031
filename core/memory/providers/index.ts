// The registry of memory providers: opens the one that the operator's variables name. Called by the shells of the Session and
// the Account.
import { type Result, ok } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { type ProviderConfig, type ProviderEnv, type ProviderName, parseProviderEnv } from "../provider-env.ts";
import { type Circuit, guardProvider } from "../provider-guard.ts";
import type { Fetch } from "../provider-http.ts";
import type { MemoryProvider } from "../provider.ts";
import { createHindsight } from "./hindsight.ts";
import { createHoncho } from "./honcho.ts";
import { createMem0 } from "./mem0.ts";
import { createOpenViking } from "./openviking.ts";
import { createSupermemory } from "./supermemory.ts";
import type { Tenant } from "./tenant.ts";

const ADAPTERS: Record<ProviderName, (config: ProviderConfig, tenant: Tenant, fetch: Fetch) => MemoryProvider> = {
  mem0: createMem0,
  honcho: createHoncho,
  supermemory: createSupermemory,
  hindsight: createHindsight,
  openviking: createOpenViking,
};

export interface ProviderDeps {
  fetch: Fetch;
  clock: Clock;
  circuit: Circuit;
}

/** Returns `null` when no provider is named. Failures: those of `parseProviderEnv`. */
export function openProvider(env: ProviderEnv, tenant: Tenant, deps: ProviderDeps): Result<MemoryProvider | null> {
  const config = parseProviderEnv(env);
  if (!config.ok) return config;
  if (!config.value) return ok(null);
  const provider = ADAPTERS[config.value.name](config.value, tenant, deps.fetch);
  return ok(guardProvider(provider, deps));
}
