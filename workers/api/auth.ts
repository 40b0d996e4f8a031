// Authenticates requests. Default deny: a request needs a key of its profile, or the operator's token on operator routes,
// unless its route is open. Never logs or returns a key.
import type { Context, MiddlewareHandler } from "hono";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { isSameSecret, parseKey } from "../../durable-objects/account-key.ts";
import type { ApiEnv } from "./router.ts";
import { AppError } from "./problems.ts";
import { openAccount } from "./sessions/session-rpc.ts";

const OPEN_ROUTES = new Set(["GET /health", "GET /openapi.json", "GET /v1/mcp/callback"]);
/** Published skills, open to everyone. */
const PUBLIC_ROUTE = /^GET (?:\/p\/[^/]+)?\/\.well-known\/(?:agent-skills|skills)\//;
const OPERATOR_ROUTES = new Set(["POST /v1/profiles", "POST /v1/keys"]);

/** Allowed for the operator and for a key of the profile itself. */
const OWN_PROFILE = /^DELETE \/v1\/profiles\/([^/]+)$/;

/** How long a revoked key may still work, and old settings be in force, in an isolate that has accepted the key. */
const KEEP_ACCEPTED_MS = 30_000;
/** Keys kept in memory by one isolate. */
const MAX_ACCEPTED = 1_000;

/** Keys that this isolate has accepted, for reading or writing. Refusals are not cached, so a new key works at once. */
const acceptedKeys = createAcceptedKeys(KEEP_ACCEPTED_MS, MAX_ACCEPTED);

export const authenticate: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const route = `${c.req.method === "HEAD" ? "GET" : c.req.method} ${c.req.path}`;
  const owned = OWN_PROFILE.exec(route)?.[1];
  if (OPERATOR_ROUTES.has(route)) assertOperator(c);
  else if (owned !== undefined) await assertMayDelete(c, owned);
  else if (!OPEN_ROUTES.has(route) && !PUBLIC_ROUTE.test(route)) await authenticateProfile(c);
  await next();
};

/** Also registered on each operator route, so that no spelling of a path lets a profile's key through. */
export const operatorOnly: MiddlewareHandler<ApiEnv> = async (c, next) => {
  assertOperator(c);
  await next();
};

/**
 * Called after a key was revoked or the profile's settings changed, so that at least this isolate refuses the key or knows the
 * new settings at once.
 */
export function forgetAcceptedKeys(profile: ProfileId): void {
  acceptedKeys.forget(profile);
}

interface AcceptedKey {
  profile: ProfileId;
  /** Revision of the profile's settings when the key was checked. */
  settingsRev: number;
}

export function createAcceptedKeys(keepMs: number, max: number) {
  const untilByKey = new Map<string, { profile: ProfileId; settingsRev: number; until: number }>();
  return {
    add(key: string, { profile, settingsRev }: AcceptedKey, now: number): void {
      const oldest = untilByKey.keys().next();
      if (untilByKey.size >= max && !oldest.done) untilByKey.delete(oldest.value);
      untilByKey.set(key, { profile, settingsRev, until: now + keepMs });
    },
    get(key: string, now: number): AcceptedKey | null {
      const entry = untilByKey.get(key);
      return entry && entry.until > now ? entry : null;
    },
    forget(profile: ProfileId): void {
      for (const [key, entry] of untilByKey) if (entry.profile === profile) untilByKey.delete(key);
    },
  };
}

async function authenticateProfile(c: Context<ApiEnv>): Promise<ProfileId> {
  const key = readBearerKey(c);
  const parsed = parseKey(key);
  if (!parsed) throw unknownKey();
  const now = Date.now();
  const willWrite = c.req.method !== "GET" && c.req.method !== "HEAD";
  const cacheKey = willWrite ? `write ${key}` : key;
  let accepted = acceptedKeys.get(cacheKey, now);
  if (!accepted) {
    const settingsRev = await openAccount(c.env, parsed.profile).check(parsed.secret, willWrite);
    if (settingsRev === null) throw unknownKey();
    accepted = { profile: parsed.profile, settingsRev };
    acceptedKeys.add(cacheKey, accepted, now);
  }
  c.set("profile", accepted.profile);
  c.set("settingsRev", accepted.settingsRev);
  return accepted.profile;
}

/** A key of another profile gets the same refusal whether or not this profile exists. */
async function assertMayDelete(c: Context<ApiEnv>, profile: string): Promise<void> {
  if (!parseKey(readBearerKey(c))) return assertOperator(c);
  const own = await authenticateProfile(c);
  if (own !== profile)
    throw new AppError(
      "operator_required",
      "This key belongs to another profile. Use a key of the profile to delete, or the operator's token.",
    );
}

function assertOperator(c: Context<ApiEnv>): void {
  const expected = c.env.TALARIA_OPERATOR_TOKEN;
  if (!expected) {
    const detail =
      "No operator token is configured, so profiles and keys cannot be created. Set the secret TALARIA_OPERATOR_TOKEN.";
    throw new AppError("operator_token_missing", detail);
  }
  const token = readBearerKey(c);
  if (isSameSecret(token, expected)) return;
  if (parseKey(token))
    throw new AppError("operator_required", "This route needs the operator's token, not a profile's key.");
  throw new AppError(
    "operator_token_unknown",
    "The token is not the operator's. Send the value of TALARIA_OPERATOR_TOKEN.",
  );
}

/** The subprotocols that a WebSocket client offers. */
export function splitProtocols(header: string | undefined): string[] {
  return (header ?? "").split(",").flatMap((part) => part.trim() || []);
}

/** Browsers cannot set headers on a WebSocket, so the key may be one of the offered protocols. */
function readBearerKey(c: Context): string {
  const isUpgrade = c.req.header("upgrade")?.toLowerCase() === "websocket";
  const protocols = isUpgrade ? splitProtocols(c.req.header("sec-websocket-protocol")) : [];
  const offered = protocols.find((part) => part.startsWith("bearer."))?.replace(".", " ");
  const match = /^Bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? offered ?? "");
  if (!match) throw new AppError("key_missing", "Send `Authorization: Bearer <key>`.");
  return match[1]!;
}

function unknownKey(): AppError {
  return new AppError("key_unknown", "This key is unknown or was revoked. Ask the operator for a new one.");
}
