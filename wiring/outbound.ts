// Opens the way out of a Worker or Durable Object: the platform's fetch behind the URL policy (core/outbound/). Called by the Session,
// by wiring/models.ts for all three Workers, and by the local stack's proxy for the policy. The only file that names the global fetch.
import { parseProviderEnv, type ProviderEnv } from "../core/memory/provider-env.ts";
import { listModelAddresses } from "../core/models/model-addresses.ts";
import type { ModelEnv } from "../core/models/model-env.ts";
import { type OutboundPolicy, toOrigin } from "../core/outbound/judge-url.ts";
import { type Outbound, createOutbound } from "../core/outbound/outbound.ts";
import { type ExecEnv, parseExecEnv } from "../core/tools/host/exec-env.ts";
import { type TrainingEnv, parseTrainingEnv } from "../core/training/training-env.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { type SearchEnv, listSearchAddresses } from "../core/tools/web/search/search-env.ts";
import { type AccessEnv, parseAccessEnv } from "./access.ts";
import { systemClock } from "../stores/platform/system-clock.ts";

export type OutboundEnv = ModelEnv & ProviderEnv & ExecEnv & TrainingEnv & SearchEnv & AccessEnv;

export function openOutbound(env: OutboundEnv, settings: Settings): Outbound {
  return createOutbound({
    fetch: (...request) => fetch(...request),
    clock: systemClock,
    policy: readPolicy(env, settings),
  });
}

/**
 * What the operator excepts: `outbound`, `hub.<source>.apiBase` and `channels.<platform>.apiBase` of the settings, and the addresses that the operator's variables
 * name. A new variable that holds an address of configuration is added here.
 */
export function readPolicy(env: OutboundEnv, { channels, hub, outbound, web }: Settings): OutboundPolicy {
  const memory = parseProviderEnv(env);
  const exec = parseExecEnv(env);
  const access = parseAccessEnv(env);
  const training = parseTrainingEnv(env);
  const addresses = [
    ...listModelAddresses(env),
    ...(exec.ok && exec.value ? [exec.value.baseUrl] : []),
    ...(training.ok && training.value ? [training.value.baseUrl] : []),
    ...(memory.ok && memory.value ? [memory.value.baseUrl] : []),
    ...listSearchAddresses(env, web),
    ...(access.ok && access.value ? [access.value.jwks] : []),
    ...[hub.github, hub.skillsSh, hub.clawhub].flatMap(({ apiBase }) => apiBase ?? []),
    ...Object.values(channels).flatMap(({ apiBase }) => apiBase ?? []),
  ];
  return {
    ports: outbound.ports,
    allow: outbound.allow.flatMap((url) => toOrigin(url) ?? []),
    configured: [...new Set(addresses.flatMap((url) => toOrigin(url) ?? []))],
  };
}
