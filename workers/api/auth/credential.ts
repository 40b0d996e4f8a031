// Reads what a request presents to prove who sends it. Checks nothing. Called by authentication.
import type { Context } from "hono";
import { parseSignInCode } from "../../../durable-objects/account-key.ts";
import { AppError } from "../problems.ts";
import { type AccessToken, readAccessToken } from "./browsers/access.ts";
import { readSignInCookie } from "./browsers/cookie.ts";
import type { ApiEnv } from "./principal.ts";

export type Credential = { kind: "bearer"; token: string } | { kind: "cookie"; token: string } | AccessToken;

/** Routes of Anthropic's protocol: its clients send the key as `x-api-key`. */
const ANTHROPIC_ROUTE = /^\/v1\/(?:messages|models)(?:\/|$)/;

const BEARER = /^Bearer +(\S+) *$/i;

/** A key goes before everything that a browser sends by itself: a request with both is judged by the key alone. Throws `key_missing`. */
export function readCredential(c: Context<ApiEnv>): Credential {
  const bearer = readBearer(c);
  if (bearer !== null) return { kind: "bearer", token: bearer };
  const credential = readBrowserCredential(c);
  if (!credential) throw new AppError("key_missing", "Send `Authorization: Bearer <key>`.");
  return credential;
}

/** What a browser sends by itself. `null`: nothing, or the request has a header `Authorization`, whatever it holds. */
export function readBrowserCredential(c: Context<ApiEnv>): Exclude<Credential, { kind: "bearer" }> | null {
  if (c.req.header("authorization") !== undefined) return null;
  const cookie = readSignInCookie(c);
  return cookie === null ? readAccessToken(c) : { kind: "cookie", token: cookie };
}

/** The one-time code of a sign-in link: a credential of `POST /v1/sign-in` alone. `null`: the request has none, or another route. */
export function readSignInCode({ req }: Context): ReturnType<typeof parseSignInCode> {
  if (req.method !== "POST" || req.path !== "/v1/sign-in") return null;
  const [, bearer] = BEARER.exec(req.header("authorization") ?? "") ?? [];
  return bearer === undefined ? null : parseSignInCode(bearer);
}

/** Browsers cannot set headers on a WebSocket, so the key may be one of the offered protocols. */
export function readBearer(c: Context): string | null {
  const isUpgrade = c.req.header("upgrade")?.toLowerCase() === "websocket";
  const protocols = isUpgrade ? splitProtocols(c.req.header("sec-websocket-protocol")) : [];
  const offered = protocols.find((part) => part.startsWith("bearer."))?.replace(".", " ");
  const apiKey = ANTHROPIC_ROUTE.test(c.req.path) ? c.req.header("x-api-key") : undefined;
  const sent = c.req.header("authorization") ?? offered ?? (apiKey && `Bearer ${apiKey}`);
  return BEARER.exec(sent ?? "")?.[1] ?? null;
}

/** The subprotocols that a WebSocket client offers. */
export function splitProtocols(header: string | undefined): string[] {
  return (header ?? "").split(",").flatMap((part) => part.trim() || []);
}
