// Creates, parses and compares profile ids and API keys. Used by the Account and by the API's authentication. Keys are never
// stored, only the hashes of their secrets.
import { sha256Hex } from "../core/schemas/learning/digest.ts";
import type { ProfileId } from "../core/schemas/ids.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const PROFILE_CHARS = 26;
const SECRET_CHARS = 52; // 260 bits

const KEY = new RegExp(`^tal_([${ALPHABET}]{${PROFILE_CHARS}})_([${ALPHABET}]{${SECRET_CHARS}})$`);

const SIGN_IN_TOKEN = new RegExp(
  `^(sin_[${ALPHABET}]{12})_([${ALPHABET}]{${PROFILE_CHARS}})_([${ALPHABET}]{${SECRET_CHARS}})$`,
);

const SIGN_IN_CODE = new RegExp(`^tlink_([${ALPHABET}]{${PROFILE_CHARS}})_([${ALPHABET}]{${SECRET_CHARS}})$`);

const LIBRARY_CODE = new RegExp(`^tlib_([${ALPHABET}]{${PROFILE_CHARS}})_([${ALPHABET}]{${SECRET_CHARS}})$`);

export function createProfileId(): ProfileId {
  return randomBase32(PROFILE_CHARS);
}

export function createSecret(): string {
  return randomBase32(SECRET_CHARS);
}

export function createKeyId(): string {
  return `key_${randomBase32(12)}`;
}

export function createHookId(): string {
  return `hook_${randomBase32(12)}`;
}

export function createTrainingJobId(): string {
  return `trn_${randomBase32(12)}`;
}

export function createSignInId(): string {
  return `sin_${randomBase32(12)}`;
}

/** What the cookie of a sign-in holds. Its own form, so that it is never taken for a key. */
export function toSignInToken(profile: ProfileId, id: string, secret: string): string {
  return `${id}_${profile}_${secret}`;
}

/** `null` if the text does not have the form of such a token. */
export function parseSignInToken(token: string): { profile: ProfileId; id: string; secret: string } | null {
  const match = SIGN_IN_TOKEN.exec(token);
  return match ? { id: match[1]!, profile: match[2]!, secret: match[3]! } : null;
}

/** The code of a sign-in link. Its own form, so that it is taken for neither a key nor a cookie; core/redact.ts knows it. */
export function toSignInCode(profile: ProfileId, secret: string): string {
  return `tlink_${profile}_${secret}`;
}

/** `null` if the text does not have the form of such a code. */
export function parseSignInCode(code: string): { profile: ProfileId; secret: string } | null {
  const match = SIGN_IN_CODE.exec(code);
  return match ? { profile: match[1]!, secret: match[2]! } : null;
}

/** The code of an invitation to a profile's library; core/redact.ts knows it. */
export function toLibraryCode(profile: ProfileId, secret: string): string {
  return `tlib_${profile}_${secret}`;
}

/** `null` if the text does not have the form of such a code. */
export function parseLibraryCode(code: string): { profile: ProfileId; secret: string } | null {
  const match = LIBRARY_CODE.exec(code);
  return match ? { profile: match[1]!, secret: match[2]! } : null;
}

export function createInvitationId(): string {
  return `inv_${randomBase32(12)}`;
}

export function toKey(profile: ProfileId, secret: string): string {
  return `tal_${profile}_${secret}`;
}

/** `null` if the text does not have the form of a key. */
export function parseKey(key: string): { profile: ProfileId; secret: string } | null {
  const match = KEY.exec(key);
  return match ? { profile: match[1]!, secret: match[2]! } : null;
}

/** Constant time, wherever the two differ. Hashes first, so that their lengths do not show either. */
export function isSameSecret(a: string, b: string): boolean {
  return isSameHash(sha256Hex(a), sha256Hex(b));
}

export function isSameHash(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  return a.length === b.length && crypto.subtle.timingSafeEqual(encoder.encode(a), encoder.encode(b));
}

/** Lower-case Crockford base32. 256 is a multiple of 32, so no character is likelier than another. */
function randomBase32(chars: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(chars));
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}
