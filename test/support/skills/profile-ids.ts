// Creates a new profile id per test, so that tests can share a bucket and a namespace.
import type { ProfileId } from "../../../core/schemas/ids.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export function newProfileId(): ProfileId {
  const bytes = crypto.getRandomValues(new Uint8Array(26));
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}
