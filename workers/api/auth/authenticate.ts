// Authenticates requests. Default deny: a request needs a credential of its profile, or the operator's token on operator routes,
// unless its route is open. What the credential allows is checked for the matched route (guard-route.ts). Never logs or returns
// a key.
import type { Context, MiddlewareHandler } from "hono";
import { parseKey } from "../../../durable-objects/account-key.ts";
import { AppError } from "../problems.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { acceptedKeys } from "./accepted-keys.ts";
import { checkAccessToken } from "./access.ts";
import { assertOwnPage } from "./cookie.ts";
import { readBearer, readBrowserCredential, readCredential } from "./credential.ts";
import { assertOperator } from "./operator.ts";
import { checkSignIn } from "./sign-in.ts";
import type { ApiEnv, Principal } from "./principal.ts";

const OPEN_ROUTES = new Set(["GET /health", "GET /openapi.json", "GET /docs", "GET /v1/mcp/callback"]);
const DOCS_FILE = /^GET \/docs\//;
/** Published skills, open to everyone. */
const PUBLIC_ROUTE = /^GET (?:\/p\/[^/]+)?\/\.well-known\/(?:agent-skills|skills)\//;
const OPERATOR_ROUTES = new Set(["POST /v1/profiles"]);

/** Allowed for the operator and for a key of the profile itself. The routes tell them apart by `c.var.principal`. */
const OPERATOR_OR_KEY = /^(?:POST \/v1\/keys|DELETE \/v1\/profiles\/[^/]+)$/;

export const authenticate: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const route = `${c.req.method === "HEAD" ? "GET" : c.req.method} ${c.req.path}`;
  if (OPERATOR_ROUTES.has(route)) assertOperator(c);
  else if (OPERATOR_OR_KEY.test(route) && !hasProfile(c)) assertOperator(c);
  else if (!OPEN_ROUTES.has(route) && !DOCS_FILE.test(route) && !PUBLIC_ROUTE.test(route)) await authenticateProfile(c);
  await next();
};

/** Whether the request has the credential of a profile, good or not, rather than the operator's token or nothing. */
function hasProfile(c: Context<ApiEnv>): boolean {
  const bearer = readBearer(c);
  return bearer === null ? readBrowserCredential(c) !== null : parseKey(bearer) !== null;
}

async function checkCredential(c: Context<ApiEnv>): Promise<Principal> {
  const credential = readCredential(c);
  switch (credential.kind) {
    case "bearer":
      return checkKey(c, credential.token);
    case "cookie":
      return checkSignIn(c, credential.token);
    case "access":
      assertOwnPage(c, { mustSay: credential.isCookie });
      return checkAccessToken(c, credential);
  }
}

async function authenticateProfile(c: Context<ApiEnv>): Promise<void> {
  const principal = await checkCredential(c);
  c.set("principal", principal);
  c.set("profile", principal.profile);
  c.set("settingsRev", principal.settingsRev);
}

/** Throws `key_unknown`. Also called for open streams: the credential must still be good. */
async function checkKey(c: Context<ApiEnv>, key: string): Promise<Principal> {
  const parsed = parseKey(key);
  if (!parsed) throw unknownKey();
  const now = Date.now();
  const willWrite = c.req.method !== "GET" && c.req.method !== "HEAD";
  const cacheKey = willWrite ? `write ${key}` : key;
  const known = acceptedKeys.get(cacheKey, now);
  if (known) return known;
  const checked = await openAccount(c.env, parsed.profile).check(parsed.secret, willWrite);
  if (checked === null) throw unknownKey();
  const { id, rotation, scopes, settingsRev, end } = checked;
  const principal: Principal = { profile: parsed.profile, settingsRev, scopes, via: { kind: "key", id, rotation } };
  acceptedKeys.add(cacheKey, principal, now, end);
  return principal;
}

function unknownKey(): AppError {
  return new AppError("key_unknown", "This key is unknown or was revoked. Ask the operator for a new one.");
}
