// The cookie of a sign-in, and what protects a credential that a browser sends by itself: the request must come from a page of our own
// or of a listed origin, and one that changes something must hold the CSRF token. Reads and checks only; stores nothing.
import type { Context } from "hono";
import { sha256Hex } from "../../../../core/schemas/learning/digest.ts";
import { isSameSecret } from "../../../../durable-objects/account-key.ts";
import { AppError } from "../../problems.ts";
import { nameSignInCookie, readCookies } from "./cookie-text.ts";
import { isTrustedOrigin } from "./origins.ts";
import type { ApiEnv } from "../principal.ts";

/** The value of the sign-in's cookie; `null`: there is none. Two of them are refused: one may be another page's. */
export function readSignInCookie(c: Context): string | null {
  const values = readCookies(c, nameSignInCookie(c));
  if (values.length > 1) throw new AppError("sign_in_unknown", "The request has two sign-in cookies. Sign in again.");
  return values[0] ?? null;
}

/** Of the sign-in, so that it holds in every tab, and no page that cannot read our responses knows it. */
export function toCsrfToken(signInToken: string): string {
  return sha256Hex(`csrf ${signInToken}`);
}

export function isUnsafe({ req: { method } }: Context): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

/** Throws `csrf_refused` unless the request is safe or has the token. */
export function assertCsrfToken(c: Context, signInToken: string): void {
  if (!isUnsafe(c)) return;
  const sent = c.req.header("x-csrf-token");
  if (sent !== undefined && isSameSecret(sent, toCsrfToken(signInToken))) return;
  const what = sent === undefined ? "has no" : "has another";
  const detail = `The request ${what} CSRF token. Send the \`csrf\` of GET /v1/sign-in as the header X-CSRF-Token.`;
  throw new AppError("csrf_refused", detail);
}

/**
 * Throws `origin_refused` for a request that a page of another origin has caused, as far as the browser says. Browsers name the origin
 * with every WebSocket and every unsafe method, and may leave it out for a GET of their own page. `mustSay`: such a request without an
 * origin is refused, since the browser, and not the program, chose the credential.
 */
export function assertOwnPage(c: Context<ApiEnv>, { mustSay }: { mustSay: boolean }): void {
  const origin = c.req.header("origin");
  const site = c.req.header("sec-fetch-site");
  const isUpgrade = c.req.header("upgrade") !== undefined;
  if (origin !== undefined && isTrustedOrigin(c, origin)) return;
  const isOwnSite = site === "same-origin" || site === "none";
  if (origin === undefined && !isUpgrade && isOwnSite) return;
  if (origin === undefined && site === undefined && !(mustSay && (isUpgrade || isUnsafe(c)))) return;
  const detail =
    "Pages of this origin may not use a sign-in of this API. Have the operator add it to `browsers.origins`, or send a key.";
  throw new AppError("origin_refused", detail);
}
