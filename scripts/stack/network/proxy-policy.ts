// The URL policy of the local stack's outbound proxy, and the origins that its door lets through. Read by stack.ts, in the process that has loaded the product's settings already:
// loading them once more beside the Workers would delay every start.
import { DEFAULTS, parseSettings } from "../../../core/limits.ts";
import type { OutboundPolicy } from "../../../core/outbound/judge-url.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { type OutboundEnv, readPolicy } from "../../../wiring/outbound.ts";

/** The policy that the Workers read from the same variables. Bad settings, which they report themselves, except nothing. */
export function readProxyPolicy(vars: OutboundEnv & { TALARIA_SETTINGS?: string }): OutboundPolicy {
  return readPolicy(vars, readSettings(vars));
}

/** The origins of pages that the operator lets use the API, in the form in which browsers send them. */
export function readListedOrigins(vars: { TALARIA_SETTINGS?: string }): string[] {
  return readSettings(vars).browsers.origins.flatMap((origin) => URL.parse(origin)?.origin ?? []);
}

function readSettings(vars: { TALARIA_SETTINGS?: string }): Settings {
  const settings = parseSettings(vars.TALARIA_SETTINGS);
  return settings.ok ? settings.value : DEFAULTS;
}
