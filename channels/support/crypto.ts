// Keyed and plain hashes, AES and encodings for the platforms' signatures, over the runtime's Web Crypto. Called by channels/<platform>.ts.
// Never compares a signature: that is `PlatformDeps.isSame`.
import { fromBase64 } from "../../core/schemas/base64.ts";

export { toBase64 } from "../../core/schemas/base64.ts";

export type Hash = "SHA-1" | "SHA-256" | "SHA-512";
type Bytes = Uint8Array<ArrayBuffer>;

/** `key` is not empty: Web Crypto refuses such keys. */
export async function hmac(hash: Hash, key: string | Uint8Array, data: string | Uint8Array): Promise<Bytes> {
  const imported = await crypto.subtle.importKey("raw", toBytes(key), { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, toBytes(data)));
}

export async function digest(hash: Hash, data: string | Uint8Array): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest(hash, toBytes(data)));
}

/**
 * The plain text of AES-256-CBC with its padding left on. `null`: the key has not 32 bytes, or the data are no blocks of 16.
 * Web Crypto insists on PKCS#7 with blocks of 16, which not every platform uses. So a block of valid padding is added and taken off.
 */
export async function decryptBlocks(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Promise<Bytes | null> {
  if (key.length !== 32 || iv.length !== 16 || data.length === 0 || data.length % 16 !== 0) return null;
  const imported = await importAesKey(key);
  const last = toBytes(data.subarray(data.length - 16));
  const padding = await crypto.subtle.encrypt({ name: "AES-CBC", iv: last }, imported, new Uint8Array());
  const padded = concatBytes([data, new Uint8Array(padding)]);
  return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CBC", iv: toBytes(iv) }, imported, padded));
}

/** Takes PKCS#7 padding of blocks of `blockSize` off. `null`: it is not well formed. */
export function removePadding(plain: Uint8Array, blockSize: number): Uint8Array | null {
  const count = plain.at(-1) ?? 0;
  if (count < 1 || count > blockSize || count > plain.length) return null;
  const padding = plain.subarray(plain.length - count);
  return padding.every((byte) => byte === count) ? plain.subarray(0, plain.length - count) : null;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `null`: it is not hexadecimal. */
export function readHex(text: string): Bytes | null {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return null;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(at * 2, at * 2 + 2), 16));
}

/** `null`: it is not Base64. */
export function readBase64(text: string): Bytes | null {
  try {
    return fromBase64(text);
  } catch {
    return null; // not Base64
  }
}

export function toBytes(data: string | Uint8Array): Bytes {
  return (typeof data === "string" ? new TextEncoder().encode(data) : data) as Bytes; // never over shared memory
}

/** Bytes that are not UTF-8 become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function concatBytes(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function importAesKey(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", toBytes(key), "AES-CBC", false, ["encrypt", "decrypt"]);
}
