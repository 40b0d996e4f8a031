// Signs the body of a webhook by the rules of Standard Webhooks (version 1, symmetric). Pure: the secret's random bytes come from
// the caller.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64 } from "../schemas/base64.ts";

/** [Standard Webhooks] 24 to 64 bytes. */
export const SECRET_BYTES = 32;
const PREFIX = "whsec_";

/** `random`: `SECRET_BYTES` of them. */
export function toHookSecret(random: Uint8Array): string {
  return PREFIX + toBase64(random);
}

/** The headers of one attempt. Several secrets, while one replaces another: a receiver accepts any signature that it knows. */
export function signHook(
  { id, body, at }: { id: string; body: string; at: number },
  secrets: string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = utf8ToBytes(`${id}.${timestamp}.${body}`);
  const signatures = secrets.map((secret) => {
    const key = fromBase64(secret.slice(PREFIX.length));
    return `v1,${toBase64(hmac(sha256, key, signed))}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
