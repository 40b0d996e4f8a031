// The signatures of Standard Webhooks, symmetric, version 1. Called by channels/webhook.ts. Compares with `PlatformDeps.isSame`.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import type { ChannelRequest, PlatformDeps } from "../../core/channels/platform.ts";
import { concatBytes, hmac, readBase64, toBase64, toBytes } from "./crypto.ts";
import { FRESH_MS, isFresh, readTime } from "./events.ts";

const PREFIX = "whsec_";

/** The headers of a request. `id`: names the message; a repeated one has the same. */
export async function signWebhook(
  secret: string,
  id: string,
  at: number,
  body: Uint8Array,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000));
  const signature = await toSignature(secret, id, timestamp, body);
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}

/** Whether one of the request's signatures is right and its time is fresh. */
export async function isSigned(secret: string, request: ChannelRequest, deps: PlatformDeps): Promise<boolean> {
  const { "webhook-id": id, "webhook-timestamp": timestamp = "", "webhook-signature": given = "" } = request.headers;
  if (!id || !isFresh(deps.clock, readTime(timestamp) * 1_000, FRESH_MS)) return false;
  const expected = await toSignature(secret, id, timestamp, request.body);
  return given.split(" ", 10).filter((signature) => deps.isSame(signature, expected)).length > 0;
}

async function toSignature(secret: string, id: string, timestamp: string, body: Uint8Array): Promise<string> {
  const signed = concatBytes([toBytes(`${id}.${timestamp}.`), body]);
  return `v1,${toBase64(await hmac("SHA-256", toKey(secret), signed))}`;
}

/** Secrets are Base64 after their prefix. One that is not is taken as it is. */
function toKey(secret: string): Uint8Array {
  const key = readBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  return key && key.length > 0 ? key : toBytes(secret);
}
