// The URL policy of the local stack's outbound proxy. Read by stack.ts, in the process that has loaded the product's settings already:
// loading them once more beside the Workers would delay every start.
import { DEFAULTS, parseSettings } from "../../../core/limits.ts";
import type { OutboundPolicy } from "../../../core/outbound/judge-url.ts";
import { type OutboundEnv, readPolicy } from "../../../wiring/outbound.ts";

/** The policy that the Workers read from the same variables. Bad settings, which they report themselves, except nothing. */
export function readProxyPolicy(vars: OutboundEnv & { TALARIA_SETTINGS?: string }): OutboundPolicy {
  const settings = parseSettings(vars.TALARIA_SETTINGS);
  return readPolicy(vars, settings.ok ? settings.value : DEFAULTS);
}
