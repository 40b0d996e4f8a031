// Which profile an e-mail address belongs to, over R2. Written when a channel is set up or removed, read for each e-mail that has no profile in its
// address. An address belongs to the profile that named it first, until that removes it.
import { assertKnownVersion } from "../core/errors.ts";
import type { Bucket } from "../core/ports.ts";
import { EmailAddressOwner } from "../core/schemas/channels/email-address.ts";
import { sha256Hex } from "../core/schemas/learning/digest.ts";
import { keyOf } from "./keys.ts";

export interface EmailAddresses {
  find(address: string): Promise<string | null>;
  /** False: another profile has it. Idempotent. */
  claim(address: string, profile: string): Promise<boolean>;
  /** Leaves it if it is another profile's. Idempotent. */
  release(address: string, profile: string): Promise<void>;
}

/** Addresses are in lower case. */
export function createEmailAddresses(bucket: Bucket): EmailAddresses {
  async function find(address: string): Promise<string | null> {
    const key = toKey(address);
    const object = await bucket.get(key);
    if (!object) return null;
    const raw: unknown = JSON.parse(await object.text());
    const owner = EmailAddressOwner.safeParse(raw);
    if (!owner.success) assertKnownVersion(key, raw, owner.error);
    return owner.success ? owner.data.profile : null;
  }
  return {
    find,
    async claim(address, profile) {
      const owner = JSON.stringify({ v: 1, address, profile });
      const created = await bucket.put(toKey(address), owner, { ifAbsent: true });
      return created !== null || (await find(address)) === profile;
    },
    async release(address, profile) {
      if ((await find(address)) === profile) await bucket.delete(toKey(address));
    },
  };
}

function toKey(address: string): string {
  return keyOf("emailAddress", { hash: sha256Hex(address) });
}
