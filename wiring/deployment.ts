// The identity of a deployment towards others: an Ed25519 key that signs the manifests of exported profiles, and a MAC for what only this
// deployment reads again. Both are derived from the secret that seals (wiring/sealing.ts), so that there is no further secret to keep.
import { type Result, ok } from "../core/errors.ts";
import { fromBase64, toBase64 } from "../core/schemas/base64.ts";
import { type SealingEnv, readSealingSecret } from "./sealing.ts";

export interface Deployment {
  /** The public key, base64url. */
  id: string;
  /** Base64. */
  sign(text: string): Promise<string>;
  /** Base64. */
  mac(text: string): Promise<string>;
  /** In constant time. */
  isMac(text: string, mac: string): Promise<boolean>;
}

/** What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Uint8Array.from([
  ...[0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20],
]);
const SEED_BYTES = 32;

const opened = new Map<string, Promise<Deployment>>();

/** Failure: `sealing_key_missing`. */
export async function openDeployment(env: SealingEnv): Promise<Result<Deployment>> {
  const secret = readSealingSecret(env);
  if (!secret.ok) return secret;
  const known = opened.get(secret.value) ?? derive(secret.value);
  opened.set(secret.value, known);
  return ok(await known);
}

/** Whether the deployment of this id has signed the text. False for an id or a signature of another form. */
export async function isSignedBy(deployment: string, text: string, signature: string): Promise<boolean> {
  try {
    const raw = fromBase64(deployment.replaceAll("-", "+").replaceAll("_", "/"));
    const key = await crypto.subtle.importKey("raw", raw, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, fromBase64(signature), encode(text));
  } catch {
    return false; // not a key, or not Base64
  }
}

async function derive(secret: string): Promise<Deployment> {
  const base = await crypto.subtle.importKey("raw", encode(secret), "HKDF", false, ["deriveBits"]);
  const bits = (info: string) =>
    crypto.subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt: encode("talaria deployment"), info: encode(info) },
      base,
      SEED_BYTES * 8,
    );
  const seed = new Uint8Array(await bits("signature"));
  const pkcs8 = new Uint8Array(PKCS8_PREFIX.length + SEED_BYTES);
  pkcs8.set(PKCS8_PREFIX);
  pkcs8.set(seed, PKCS8_PREFIX.length);
  const signing = await crypto.subtle.importKey("pkcs8", pkcs8, { name: "Ed25519" }, true, ["sign"]);
  const jwk = (await crypto.subtle.exportKey("jwk", signing)) as JsonWebKey;
  const macKey = await crypto.subtle.importKey("raw", await bits("mac"), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
  return {
    id: jwk.x!,
    sign: async (text) =>
      toBase64(new Uint8Array(await crypto.subtle.sign({ name: "Ed25519" }, signing, encode(text)))),
    mac: async (text) => toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", macKey, encode(text)))),
    async isMac(text, mac) {
      try {
        return await crypto.subtle.verify("HMAC", macKey, fromBase64(mac), encode(text));
      } catch {
        return false; // not Base64
      }
    },
  };
}

const encode = (text: string) => new TextEncoder().encode(text);
