// Verifies a platform's signed tokens (JWT) with the keys that it publishes. Called by channels/<platform>.ts. Never accepts a token that it
// could not verify, and never asks for the keys more often than REFRESH_MS because of strangers' tokens.
import { type JWK, type JWTPayload, decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import type { PlatformDeps } from "../../core/channels/platform.ts";
import { type Result, ok } from "../../core/errors.ts";
import { isObject, toObject } from "../../core/unknown-object.ts";
import { callApi } from "./call.ts";

/** A private key's signature only: never `none`, nor a secret that the public key could be taken for. */
const ALGORITHM = "RS256";
/** [own] How long keys are used: one that the platform withdraws is accepted no longer. */
const KEEP_MS = 6 * 60 * 60_000;
/** [own] An unknown key id asks for the keys again at most this often. */
const REFRESH_MS = 3 * 60_000;
/** [own] After the keys could not be read. */
const REST_MS = 5_000;
/** [own] By which the two clocks may differ. */
const TOLERANCE_SECONDS = 300;

export interface ExpectedToken {
  /** Where the key set is. */
  keys: string;
  issuer: string | string[];
  audience: string;
}

interface KeySet {
  keys: JWK[];
  readAt: number;
}

/** What the token says, and its key. `null`: it proves nothing. */
export async function verifyToken(
  deps: PlatformDeps,
  token: string,
  expected: ExpectedToken,
): Promise<{ claims: JWTPayload; key: JWK } | null> {
  const kid = readKeyId(token);
  const key = kid === null ? null : await findKey(deps, expected.keys, kid);
  if (!key) return null;
  try {
    const { payload } = await jwtVerify(token, await importJWK(key, ALGORITHM), {
      algorithms: [ALGORITHM],
      issuer: expected.issuer,
      audience: expected.audience,
      requiredClaims: ["exp"],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(deps.clock.now()),
    });
    return { claims: payload, key };
  } catch {
    return null; // another signature, time, issuer or audience
  }
}

/** The token of `Authorization: Bearer …`. `null`: there is none. */
export function readBearer(header: string | undefined): string | null {
  const token = /^Bearer ([\w.-]{20,8192})$/i.exec(header ?? "")?.[1];
  return token ?? null;
}

function readKeyId(token: string): string | null {
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    return alg === ALGORITHM && typeof kid === "string" ? kid : null;
  } catch {
    return null; // not a JWT
  }
}

async function findKey(deps: PlatformDeps, url: string, kid: string): Promise<JWK | null> {
  const known = await readKeys(deps, url);
  const found = known?.keys.find((key) => key.kid === kid);
  if (found || !known || deps.clock.now() - known.readAt < REFRESH_MS) return found ?? null;
  deps.forget(`keys ${url}`);
  const fresh = await readKeys(deps, url);
  return fresh?.keys.find((key) => key.kid === kid) ?? null;
}

async function readKeys(deps: PlatformDeps, url: string): Promise<KeySet | null> {
  const read = await deps.cached<KeySet | null>(`keys ${url}`, async () => {
    const reply = await callApi(deps, url, { timeoutMs: 5_000, maxBytes: 1_000_000 });
    const now = deps.clock.now();
    const keys = reply.ok ? toKeys(reply.value.json) : [];
    if (keys.length === 0) return ok({ value: null, expiresAt: now + REST_MS });
    return ok({ value: { keys, readAt: now }, expiresAt: now + KEEP_MS });
  });
  return read.ok ? read.value : null;
}

function toKeys(json: unknown): JWK[] {
  const { keys } = toObject(json);
  return Array.isArray(keys) ? keys.filter((key): key is JWK => isObject(key) && key["kty"] === "RSA") : [];
}

/** An access token of the bot's, asked for once until shortly before it expires. */
export function cachedToken(
  deps: PlatformDeps,
  name: string,
  ask: () => Promise<Result<unknown>>,
  refuse: () => Result<never>,
): Promise<Result<string>> {
  return deps.cached<string>(name, async () => {
    const reply = await ask();
    if (!reply.ok) return reply;
    const { access_token: value, expires_in: seconds } = toObject(reply.value);
    if (typeof value !== "string" || value === "") return refuse();
    const lifeMs = (typeof seconds === "number" && seconds > 0 ? seconds : 300) * 1_000;
    // [own] A tenth of its life, at most a minute, is left for the way.
    return ok({ value, expiresAt: deps.clock.now() + lifeMs - Math.min(lifeMs / 10, 60_000) });
  });
}
