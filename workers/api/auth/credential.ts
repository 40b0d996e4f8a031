// Reads what a request presents to prove who sends it. Checks nothing. Called by authentication.
import type { Context } from "hono";
import { AppError } from "../problems.ts";

export type Credential = { kind: "bearer"; token: string };

/** Routes of Anthropic's protocol: its clients send the key as `x-api-key`. */
const ANTHROPIC_ROUTE = /^\/v1\/(?:messages|models)(?:\/|$)/;

/** Throws `key_missing`. */
export function readCredential(c: Context): Credential {
  const token = readBearer(c);
  if (token === null) throw new AppError("key_missing", "Send `Authorization: Bearer <key>`.");
  return { kind: "bearer", token };
}

/** Browsers cannot set headers on a WebSocket, so the key may be one of the offered protocols. */
export function readBearer(c: Context): string | null {
  const isUpgrade = c.req.header("upgrade")?.toLowerCase() === "websocket";
  const protocols = isUpgrade ? splitProtocols(c.req.header("sec-websocket-protocol")) : [];
  const offered = protocols.find((part) => part.startsWith("bearer."))?.replace(".", " ");
  const apiKey = ANTHROPIC_ROUTE.test(c.req.path) ? c.req.header("x-api-key") : undefined;
  const sent = c.req.header("authorization") ?? offered ?? (apiKey && `Bearer ${apiKey}`);
  return /^Bearer +(\S+) *$/i.exec(sent ?? "")?.[1] ?? null;
}

/** The subprotocols that a WebSocket client offers. */
export function splitProtocols(header: string | undefined): string[] {
  return (header ?? "").split(",").flatMap((part) => part.trim() || []);
}
