// What a pass of the Account's erasure works on: the stores, unguarded, and the external memory. Called by the Account. Must not
// report any text of a service.
import type { Result } from "../core/errors.ts";
import { parseSettings } from "../core/limits.ts";
import { parseProviderEnv } from "../core/memory/provider-env.ts";
import { createCircuit } from "../core/memory/provider-guard.ts";
import type { Fetch } from "../core/memory/provider-http.ts";
import { openProvider } from "../core/memory/providers/index.ts";
import type { Bucket, Clock, KeyValue } from "../core/ports.ts";
import { countCalls } from "../stores/platform/counted-bucket.ts";
import { toKeyValue } from "../stores/platform/kv.ts";
import { toBucket } from "../stores/platform/r2.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { type OutboundEnv, openOutbound } from "./outbound.ts";
import { readSettings } from "./settings.ts";

export interface ErasureEnv extends OutboundEnv {
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
  TALARIA_SETTINGS?: string;
}

/** `bucket` is unguarded: other writers are guarded against writing to deleted things, and this code writes those guards. */
export interface ErasureStores {
  bucket: Bucket;
  kv: KeyValue;
  clock: Clock;
  swapMs: number;
  /** Erases what an external memory keeps of a profile. Throws when something is left. */
  eraseExternal(profile: string): Promise<void>;
  /** Whether this invocation may begin another pass. If not, the next invocation continues. */
  hasRoom(): boolean;
}

/** No pass begins after this many calls. [cf] An invocation may make 10,000, and one pass may take nearly all of them. */
const BEGIN_CALLS = 1_000;

/** For settings that are wrong: no session writes with them. */
const SWAP_MS = 5 * 60_000;

export function toErasureStores(env: ErasureEnv): ErasureStores {
  const settings = parseSettings(env.TALARIA_SETTINGS);
  const swapMs = settings.ok ? settings.value.skills.swapMs : SWAP_MS;
  const eraseExternal = (profile: string) => eraseExternalMemory(env, profile);
  return withRoom({
    bucket: toBucket(env.SKILLS),
    kv: toKeyValue(env.MEMORY),
    clock: systemClock,
    swapMs,
    eraseExternal,
  });
}

export function withRoom(stores: Omit<ErasureStores, "hasRoom">): ErasureStores {
  const { bucket, calls } = countCalls(stores.bucket);
  return { ...stores, bucket, hasRoom: () => calls() < BEGIN_CALLS };
}

/** Calls for one pass. One call removes up to a hundred sessions and a hundred conclusions from Honcho; others need one call. */
const CALLS = 5;
/** No request of an erasure names a session. */
const NO_SESSION = "none";

/** Whether the operator's variables name an external memory, and are valid. */
export function hasExternalMemory(env: OutboundEnv): boolean {
  const config = parseProviderEnv(env);
  return config.ok && config.value !== null;
}

/** Throws when something is left. Without an external memory there is nothing to do. `fetch`: instead of the way out, in tests. */
export async function eraseExternalMemory(
  env: OutboundEnv & { TALARIA_SETTINGS?: string },
  profile: string,
  fetch: Fetch = openOutbound(env, readSettings(env)).fetch,
): Promise<void> {
  const deps = { fetch, clock: systemClock, circuit: createCircuit(systemClock) };
  const provider = unwrap(openProvider(env, { profile, session: NO_SESSION }, deps));
  if (!provider) return;
  for (let call = 0; call < CALLS; call++) {
    const { more } = unwrap(await provider.eraseProfile(new AbortController().signal));
    if (!more) return;
  }
  throw new Error(`${provider.name} has more of this profile than one pass erases.`);
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
