// Tokens of the operator's identity provider (Cloudflare Access) in place of keys: where a request has one, and which profile the person
// uses. A person whom the operator has not mapped gets nothing.
import type { Context } from "hono";
import { sha256Hex } from "../../../../core/schemas/learning/digest.ts";
import { type AccessConfig, type Person, parseAccessEnv } from "../../../../wiring/access.ts";
import { openOutbound } from "../../../../wiring/outbound.ts";
import { parseEnvSettings } from "../../env.ts";
import { AppError, unwrap } from "../../problems.ts";
import { openAccount } from "../../sessions/session-rpc.ts";
import { acceptedKeys } from "../accepted-keys.ts";
import type { AccessClaims } from "./access-jwt.ts";
import { isUnsafe } from "./cookie.ts";
import { readCookies } from "./cookie-text.ts";
import type { ApiEnv, Principal } from "../principal.ts";

/** [own] A token of Access has about 1,000 characters. */
const MAX_TOKEN_CHARS = 16_384;

export interface AccessToken {
  kind: "access";
  token: string;
  /** The browser has sent it by itself. Access adds the header to each request with the cookie, so the header alone proves nothing else. */
  isCookie: boolean;
}

/** `null`: the request has none, or the operator accepts none. */
export function readAccessToken(c: Context<ApiEnv>): AccessToken | null {
  if (!c.env.TALARIA_ACCESS?.trim()) return null;
  const header = c.req.header("cf-access-jwt-assertion");
  if (header !== undefined) return { kind: "access", token: header, isCookie: false };
  const [cookie, another] = readCookies(c, "CF_Authorization");
  if (another !== undefined)
    throw new AppError("access_token_invalid", "The request has two cookies CF_Authorization. Sign in again.");
  return cookie === undefined ? null : { kind: "access", token: cookie, isCookie: true };
}

/** Throws `access_token_invalid`, `access_not_mapped`, `access_unavailable`, `bad_settings`. */
export async function checkAccessToken(c: Context<ApiEnv>, { token }: AccessToken): Promise<Principal> {
  const config = readConfig(c);
  if (token.length > MAX_TOKEN_CHARS) throw new AppError("access_token_invalid", "The Access token is too long.");
  const cacheKey = `${isUnsafe(c) ? "write " : ""}access ${sha256Hex(token)}`;
  const now = Date.now();
  const known = acceptedKeys.get(cacheKey, now);
  if (known) return known;
  const { verifyAccessToken } = await import("./access-jwt.ts");
  const outbound = openOutbound(c.env, parseEnvSettings(c.env));
  const claims = unwrap(await verifyAccessToken(token, config, outbound));
  const person = findPerson(config, claims);
  const settingsRev = person && (await openAccount(c.env, person.profile).checkProfile(isUnsafe(c)));
  if (!person || settingsRev === null) {
    const detail =
      "You are signed in, but the operator has not given you a profile. Ask them to add you to TALARIA_ACCESS.";
    throw new AppError("access_not_mapped", detail);
  }
  const { profile, scopes } = person;
  const via = { kind: "access", who: claims.email ?? claims.sub, end: claims.end } as const;
  const principal: Principal = { profile, settingsRev, scopes, via };
  acceptedKeys.add(cacheKey, principal, now, claims.end);
  return principal;
}

function readConfig(c: Context<ApiEnv>): AccessConfig {
  const config = parseAccessEnv(c.env);
  if (!config.ok) throw new AppError("bad_settings", config.failure.message);
  if (!config.value) throw new AppError("key_missing", "Send `Authorization: Bearer <key>`.");
  return config.value;
}

/** The closest description counts: the person's id, then the address, then its domain. */
function findPerson({ people }: AccessConfig, { sub, email }: AccessClaims): Person | null {
  const domain = email?.slice(email.lastIndexOf("@") + 1);
  return (
    people.find((person) => person.sub !== undefined && person.sub === sub) ??
    people.find((person) => person.email !== undefined && person.email.toLowerCase() === email) ??
    people.find((person) => person.domain !== undefined && person.domain.toLowerCase() === domain) ??
    null
  );
}
