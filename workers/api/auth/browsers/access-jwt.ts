// Verifies a token of the operator's identity provider with its published keys. Loaded with the first such token only: it holds the
// library for it. Never accepts a token that it could not verify.
import { type JWTPayload, createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import { type Result, err, ok } from "../../../../core/errors.ts";
import type { Outbound } from "../../../../core/outbound/outbound.ts";
import type { AccessConfig } from "../../../../wiring/access.ts";

/** Signatures by a private key only: never `none`, and no secret that the public key could be taken for. Access signs with RS256. */
const ALGORITHMS = ["RS256", "ES256"];
/** [own] Seconds by which the two clocks may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** [own] An unknown key is looked for at most this often: Access rotates keys every six weeks, and publishes a new one before. */
const COOLDOWN_MS = 30_000;
/** [own] How long keys are kept: a key that the provider withdraws is accepted no longer. */
const KEEP_MS = 10 * 60_000;
const TIMEOUT_MS = 5_000;
const MAX_JWKS_BYTES = 256 * 1024;
/** [own] After the keys could not be read, so that a stranger's tokens cannot make a request each. */
const REST_MS = 2_000;

/** One `@`, with something on both sides: the domain of anything else is a guess. */
const ADDRESS = /^[^@\s]+@[^@\s]+$/;

/** A provider's keys, by their address. One isolate serves one deployment, so this holds one. */
const known = new Map<string, ReturnType<typeof createRemoteJWKSet>>();

export interface AccessClaims {
  sub: string;
  /** Lower case. Absent: none, or the provider says that it was not verified. */
  email?: string;
  /** Milliseconds since 1970. */
  end: number;
}

/** Failures: `access_token_invalid`; `access_unavailable`: the provider's keys cannot be read now. */
export async function verifyAccessToken(
  token: string,
  { issuer, audience, jwks }: AccessConfig,
  outbound: Pick<Outbound, "request">,
): Promise<Result<AccessClaims>> {
  const keys = known.get(jwks) ?? createKeys(jwks, outbound);
  known.set(jwks, keys);
  try {
    const checks = { algorithms: ALGORITHMS, issuer, audience, requiredClaims: ["exp"] };
    const { payload } = await jwtVerify(token, keys, { ...checks, clockTolerance: CLOCK_TOLERANCE_SECONDS });
    return ok(toClaims(payload));
  } catch (error) {
    const why = describeInvalid(error);
    if (why !== null) return err("access_token_invalid", `The Access token is not valid: ${why}. Sign in again.`);
    console.error(JSON.stringify({ event: "access_keys_unavailable", error: String(error) }));
    return err("access_unavailable", "The identity provider's keys cannot be read now. Try again in a few seconds.");
  }
}

function createKeys(jwks: string, outbound: Pick<Outbound, "request">): ReturnType<typeof createRemoteJWKSet> {
  let failedAt = -Infinity;
  async function fetchKeys(url: string, { signal }: { signal: AbortSignal }): Promise<Response> {
    if (Date.now() - failedAt < REST_MS) throw new Error("the keys could not be read a moment ago");
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_JWKS_BYTES, maxRedirects: 0 };
    const reply = await outbound.request(url, { signal, configured: true, ...limits });
    const isGood = reply.ok && reply.value.status === 200;
    if (!isGood) failedAt = Date.now();
    if (!reply.ok) throw new Error(reply.failure.code);
    return new Response(reply.value.bytes as BodyInit, { status: reply.value.status });
  }
  return createRemoteJWKSet(new URL(jwks), {
    ...{ cooldownDuration: COOLDOWN_MS, cacheMaxAge: KEEP_MS, timeoutDuration: TIMEOUT_MS },
    [customFetch]: fetchKeys,
  });
}

function toClaims({ sub, email, email_verified: isVerified, exp }: JWTPayload): AccessClaims {
  const isUsable = isVerified === undefined || isVerified === true;
  const hasEmail = isUsable && typeof email === "string" && ADDRESS.test(email);
  return { sub: sub ?? "", ...(hasEmail && { email: email.toLowerCase() }), end: exp! * 1_000 };
}

/** `null`: the token may be good; the keys could not be read. */
function describeInvalid(error: unknown): string | null {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim \`${error.claim}\` is not the expected one`;
  const isOfToken =
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys;
  return isOfToken ? "its signature cannot be verified" : null;
}
