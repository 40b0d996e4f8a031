// Authenticates requests. Default deny: a request needs a credential of its profile, or the operator's token on operator routes,
// unless its route is open. What the credential allows is checked for the matched route (guard-route.ts). Never logs or returns
// a key.
import type { Context, MiddlewareHandler } from "hono";
import type { Result } from "../../../core/errors.ts";
import { parseKey } from "../../../durable-objects/account-key.ts";
import type { KnownKey } from "../../../durable-objects/keys/key-rows.ts";
import { AppError, PROBLEMS, unwrap } from "../problems.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { acceptedKeys } from "./accepted-keys.ts";
import { checkAccessToken } from "./browsers/access.ts";
import { assertOwnPage } from "./browsers/cookie.ts";
import { readBearer, readBrowserCredential, readCredential, readSignInCode } from "./credential.ts";
import { endWithCredential } from "./end-with-credential.ts";
import { assertOperator } from "./operator.ts";
import { checkSignIn } from "./browsers/sign-in.ts";
import type { ApiEnv, Principal } from "./principal.ts";

const OPEN_ROUTES = new Set(["GET /", "GET /health", "GET /openapi.json", "GET /docs", "GET /v1/mcp/callback"]);
const DOCS_FILE = /^GET \/docs\//;
/** Files of the page that do not exist: a 404 needs no credential. */
const PAGE_FILE = /^GET \/assets\//;
/** Published skills, open to everyone. */
const PUBLIC_ROUTE = /^GET (?:\/p\/[^/]+)?\/\.well-known\/(?:agent-skills|skills)\//;
/** Each platform proves its requests itself. */
const CHANNEL_ROUTE = /^[A-Z]+ \/channels\/[^/]+\/[^/]/;
/** The same for senders of webhooks. */
const WEBHOOK_ROUTE = /^POST \/hooks\/[^/]+\/[^/]+$/;
const OPEN_PATHS = [DOCS_FILE, PAGE_FILE, PUBLIC_ROUTE, CHANNEL_ROUTE, WEBHOOK_ROUTE];
const OPERATOR_ROUTES = new Set(["POST /v1/profiles"]);

/** Allowed for the operator and for a key of the profile itself. The routes tell them apart by `c.var.principal`. */
const OPERATOR_OR_KEY =
  /^(?:POST \/v1\/(?:keys|doctor)|DELETE \/v1\/profiles\/[^/]+|(?:GET|PUT) \/v1\/profiles\/[^/]+\/quota)$/;

export const authenticate: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const route = `${c.req.method === "HEAD" ? "GET" : c.req.method} ${c.req.path}`;
  if (OPERATOR_ROUTES.has(route)) assertOperator(c);
  else if (OPERATOR_OR_KEY.test(route) && !hasProfile(c)) assertOperator(c);
  else if (!OPEN_ROUTES.has(route) && !OPEN_PATHS.some((path) => path.test(route))) await authenticateProfile(c);
  await next();
  if (!c.var.principal) return;
  endStream(c);
  keepPrivate(c);
};

/** What a credential may read is kept by no cache, of a proxy or of a browser, unless its route says otherwise. */
function keepPrivate(c: Context<ApiEnv>): void {
  if (c.res.status === 101 || c.res.headers.has("cache-control")) return;
  try {
    c.res.headers.set("cache-control", "no-store");
  } catch {
    // A response of a Durable Object has headers that cannot be changed.
    const headers = new Headers(c.res.headers);
    headers.set("cache-control", "no-store");
    c.res = new Response(c.res.body, { status: c.res.status, headers });
  }
}

/** Whether the request has the credential of a profile, good or not, rather than the operator's token or nothing. */
function hasProfile(c: Context<ApiEnv>): boolean {
  const bearer = readBearer(c);
  return bearer === null ? readBrowserCredential(c) !== null : parseKey(bearer) !== null;
}

async function checkCredential(c: Context<ApiEnv>): Promise<Principal> {
  const code = readSignInCode(c);
  if (code) return checkSignInCode(c, code);
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

/** What is streamed ends with the credential that asked for it. */
function endStream(c: Context<ApiEnv>): void {
  const { body, headers } = c.res;
  if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) return;
  const isGood = () => checkCredential(c).then(() => true, isRefusal);
  c.res = new Response(endWithCredential(body, isGood), c.res);
}

/** False for a credential that is no longer good. Throws what says nothing of it. */
function isRefusal(error: unknown): false {
  if (error instanceof AppError && PROBLEMS[error.code][0] === 401) return false;
  throw error;
}

async function authenticateProfile(c: Context<ApiEnv>): Promise<void> {
  const principal = await checkCredential(c);
  c.set("principal", principal);
  c.set("profile", principal.profile);
  c.set("settingsRev", principal.settingsRev);
}

/** Throws `key_unknown`, `key_expired`. Also called for open streams: the credential must still be good. */
async function checkKey(c: Context<ApiEnv>, key: string): Promise<Principal> {
  const parsed = parseKey(key);
  if (!parsed) throw unknownKey();
  const now = Date.now();
  const willWrite = c.req.method !== "GET" && c.req.method !== "HEAD";
  const cacheKey = willWrite ? `write ${key}` : key;
  const known = acceptedKeys.get(cacheKey, now);
  if (known) return known;
  const answer = (await openAccount(c.env, parsed.profile).check(parsed.secret, willWrite)) as Result<KnownKey>;
  const { id, rotation, scopes, settingsRev, end } = unwrap(answer);
  const principal: Principal = { profile: parsed.profile, settingsRev, scopes, via: { kind: "key", id, rotation } };
  acceptedKeys.add(cacheKey, principal, now, end);
  return principal;
}

/** Who makes the request is the key that made the code. The route spends the code. Throws `sign_in_code_unknown`. */
async function checkSignInCode(
  c: Context<ApiEnv>,
  { profile, secret }: { profile: string; secret: string },
): Promise<Principal> {
  const answer = (await openAccount(c.env, profile).checkSignInCode(secret)) as Result<KnownKey>;
  const { id, rotation, scopes, settingsRev } = unwrap(answer);
  return { profile, settingsRev, scopes, via: { kind: "key", id, rotation } };
}

function unknownKey(): AppError {
  return new AppError("key_unknown", "This key is unknown or was revoked. Ask the operator for a new one.");
}
