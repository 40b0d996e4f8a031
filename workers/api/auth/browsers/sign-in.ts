// Checks the cookie of a sign-in, and that a page of our own or of a listed origin has caused the request. Called by authentication, for
// each request and again for open streams.
import type { Context } from "hono";
import type { Result } from "../../../../core/errors.ts";
import { parseSignInToken } from "../../../../durable-objects/account-key.ts";
import type { KnownSignIn } from "../../../../durable-objects/keys/sign-in-rows.ts";
import { AppError, unwrap } from "../../problems.ts";
import { openAccount } from "../../sessions/session-rpc.ts";
import { acceptedKeys } from "../accepted-keys.ts";
import { assertCsrfToken, assertOwnPage, isUnsafe } from "./cookie.ts";
import type { ApiEnv, Principal } from "../principal.ts";

/** Throws `origin_refused`, `csrf_refused`, `sign_in_unknown`. */
export async function checkSignIn(c: Context<ApiEnv>, token: string): Promise<Principal> {
  assertOwnPage(c, { mustSay: true });
  const parsed = parseSignInToken(token);
  if (!parsed) throw new AppError("sign_in_unknown", "The sign-in is not known. Sign in again.");
  assertCsrfToken(c, token);
  const cacheKey = `${isUnsafe(c) ? "write " : ""}${token}`;
  const now = Date.now();
  const known = acceptedKeys.get(cacheKey, now);
  if (known) return known;
  const { profile, id, secret } = parsed;
  const answer = (await openAccount(c.env, profile).checkSignIn(id, secret, isUnsafe(c))) as Result<KnownSignIn>;
  const { key, scopes, settingsRev, end } = unwrap(answer);
  const principal: Principal = { profile, settingsRev, scopes, via: { kind: "cookie", id, key } };
  acceptedKeys.add(cacheKey, principal, now, end);
  return principal;
}
