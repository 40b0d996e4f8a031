// Which pages may use the API from a browser: those of its own origin, and of the origins that the operator lists
// (`browsers.origins`). Called by CORS and by the checks of credentials that a browser sends by itself.
import type { Context } from "hono";
import { type Env, parseEnvSettings } from "../../env.ts";
import type { ApiEnv } from "../principal.ts";

/** `null`: the text is not an origin, such as the `null` of a sandboxed page. */
function toOrigin(text: string): string | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href ? url.origin : null;
}

export function listOrigins(env: Env): string[] {
  return parseEnvSettings(env).browsers.origins.flatMap((origin) => toOrigin(origin) ?? []);
}

/**
 * Whether a page of the origin is served by this host, or listed. The scheme may be `https` where this Worker sees `http`: a proxy in front
 * of it ends TLS. Never the other way round.
 */
export function isTrustedOrigin(c: Context<ApiEnv>, text: string): boolean {
  const origin = toOrigin(text);
  if (origin === null) return false;
  const own = new URL(c.req.url);
  const from = new URL(origin);
  const isOwn = from.host === own.host && (c.req.header("host") ?? own.host) === own.host;
  if (isOwn && (from.protocol === own.protocol || from.protocol === "https:")) return true;
  return listOrigins(c.env).includes(origin);
}
