// The URL policy: decides by the text of a URL whether an outbound request may go there. Called by outbound.ts for the address and
// for each redirect, and by the local stack's outbound proxy. Pure. Never resolves a name.
import { type Result, err, ok } from "../errors.ts";
import { findSpecialRange } from "./addresses.ts";
import { findInsideName } from "./host-names.ts";

/** Ports of the web, and their usual alternatives. */
const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

export interface UrlPolicy {
  /** Ports beside 80, 443, 8080 and 8443. */
  ports: readonly number[];
  /** Exact origins that are excepted from the rules for hosts and ports: `http://localhost:8888`. */
  allow: readonly string[];
}

export interface OutboundPolicy extends UrlPolicy {
  /** Origins that the operator's own variables name, such as a local model server: excepted for configured requests only. */
  configured: readonly string[];
}

/**
 * The parsed URL, if the policy allows it. Failure: `url_refused`, with the fact `reason`: `invalid`, `scheme`, `credentials`, `port`,
 * `address` or `name`. The message never contains the URL, which may hold a secret.
 */
export function judgeUrl(url: string, { ports, allow }: UrlPolicy): Result<URL> {
  const parsed = URL.parse(url);
  if (!parsed) return refuse("invalid", "it is not a valid URL");
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    return refuse("scheme", "only http and https are allowed");
  if (parsed.username || parsed.password) return refuse("credentials", "it contains a user name or password");
  if (allow.includes(parsed.origin)) return ok(parsed);
  const port = parsed.port === "" ? null : Number(parsed.port);
  if (port !== null && !WEB_PORTS.includes(port) && !ports.includes(port)) {
    return refuse("port", `port ${port} is not allowed, only ${[...WEB_PORTS, ...ports].join(", ")}`);
  }
  const range = findSpecialRange(parsed.hostname);
  if (range) return refuse("address", `its host is an address that is not public (${range})`);
  const inside = range === undefined ? findInsideName(parsed.hostname) : null;
  return inside === null ? ok(parsed) : refuse("name", `its host ${inside}`);
}

/** The origin of an http or https URL, as `allow` takes it; `null` for anything else. */
export function toOrigin(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

function refuse(reason: string, because: string): Result<never> {
  const message = `The URL is refused: ${because}. Use a public http or https URL.`;
  return err("url_refused", message, { reason });
}
