// Seals what a tenant gave in confidence, such as a token of another service, so that no table, backup or export holds it in the
// clear. Opened only where it is used. AES-256-GCM; the key is derived per profile from a secret of the deployment.
import { type Result, err, ok } from "../core/errors.ts";
import type { Sealer } from "../core/ports.ts";
import { fromBase64, toBase64 } from "../core/schemas/base64.ts";

export interface SealingEnv {
  /** Absent: derived from the operator's token. */
  TALARIA_SEALING_KEY?: string;
  TALARIA_OPERATOR_TOKEN?: string;
}

const FORM = "v1";
const IV_BYTES = 12;
/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;

/** Failure: `sealing_key_missing`. */
export function readSealingSecret(env: SealingEnv): Result<string> {
  const secret = env.TALARIA_SEALING_KEY?.trim() || env.TALARIA_OPERATOR_TOKEN?.trim();
  if (secret && secret.length >= MIN_SECRET_CHARS) return ok(secret);
  const detail = `Secrets cannot be stored: the operator has set neither TALARIA_SEALING_KEY nor TALARIA_OPERATOR_TOKEN with at least ${MIN_SECRET_CHARS} characters.`;
  return err("sealing_key_missing", detail);
}

/** Failure: `sealing_key_missing`. */
export function openSealer(env: SealingEnv, profile: string): Result<Sealer> {
  const read = readSealingSecret(env);
  if (!read.ok) return read;
  const secret = read.value;
  const additionalData = encode(profile);
  let key: Promise<CryptoKey> | undefined;
  return ok({
    async seal(text) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      key ??= deriveKey(secret, profile);
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, await key, encode(text));
      return [FORM, toBase64(iv), toBase64(new Uint8Array(sealed))].join(".");
    },
    async open(sealed) {
      const [form, iv = "", body = ""] = sealed.split(".");
      if (form !== FORM) return UNREADABLE;
      try {
        key ??= deriveKey(secret, profile);
        const algorithm = { name: "AES-GCM", iv: fromBase64(iv), additionalData };
        return ok(new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, await key, fromBase64(body))));
      } catch {
        return UNREADABLE;
      }
    },
  });
}

const UNREADABLE = err(
  "secret_unreadable",
  "A stored secret cannot be read: it was sealed with another key of the deployment. Enter it again.",
);

async function deriveKey(secret: string, profile: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", encode(secret), "HKDF", false, ["deriveKey"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: encode("talaria sealing"), info: encode(profile) };
  return crypto.subtle.deriveKey(algorithm, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

const encode = (text: string) => new TextEncoder().encode(text);
