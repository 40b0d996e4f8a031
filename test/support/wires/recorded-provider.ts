// Opens an adapter over the recording of its service's own client. Used by the tests of memory providers.
import { type ProviderConfig, type ProviderName, PROVIDER_KINDS } from "../../../core/memory/provider-env.ts";
import type { Fetch } from "../../../core/memory/provider-http.ts";
import type { MemoryProvider } from "../../../core/memory/provider.ts";
import { createHindsight } from "../../../core/memory/providers/hindsight.ts";
import { createHoncho } from "../../../core/memory/providers/honcho.ts";
import { createMem0 } from "../../../core/memory/providers/mem0.ts";
import { createOpenViking } from "../../../core/memory/providers/openviking.ts";
import { createSupermemory } from "../../../core/memory/providers/supermemory.ts";
import type { Tenant } from "../../../core/memory/providers/tenant.ts";
import { KEY, createProviderDouble, readRecording } from "./provider-double.ts";

export const PROVIDER_NAMES = Object.keys(PROVIDER_KINDS) as ProviderName[];
export const TENANT: Tenant = { profile: "0123456789abcdefghjkmnpqrs", session: "01J00000000000000000000000" };
export const SIGNAL = new AbortController().signal;
export const CALL = { op: "op", prepared: {}, signal: SIGNAL };
export const MESSAGES = [{ role: "user" as const, text: "When does the weekly report go out?" }];

const CREATE = {
  mem0: createMem0,
  honcho: createHoncho,
  supermemory: createSupermemory,
  hindsight: createHindsight,
  openviking: createOpenViking,
};

export function toConfig(name: ProviderName, baseUrl: string = PROVIDER_KINDS[name].home): ProviderConfig {
  return { name, apiKey: KEY, baseUrl, workspace: "talaria" };
}

export function createAdapter(name: ProviderName, fetch: Fetch, { tenant = TENANT, baseUrl = "" } = {}) {
  return CREATE[name](toConfig(name, baseUrl || undefined), tenant, fetch);
}

export function openRecorded(name: ProviderName) {
  const recording = readRecording(name);
  const double = createProviderDouble(recording);
  const { profile, session } = recording.recorded;
  const provider = createAdapter(name, double.fetch, { tenant: { profile, session } });
  /** The requests of the official client for these operations, in order. */
  const requestsOf = (...operations: string[]) =>
    operations.flatMap((name) =>
      recording.exchanges.filter(({ operation }) => operation === name).map(({ request }) => request),
    );
  return { ...recording, double, provider, requestsOf };
}

/** One call of each method that sends something. */
export async function callEverything(provider: MemoryProvider): Promise<void> {
  await provider.prefetch("q", SIGNAL);
  await provider.sync({ user: "u", assistant: "a" }, SIGNAL);
  await provider.onWrite({ action: "replace", store: "memory", text: "t", old: "o" }, SIGNAL);
  await provider.preCompaction(MESSAGES, SIGNAL);
  await provider.eraseProfile(SIGNAL);
}
