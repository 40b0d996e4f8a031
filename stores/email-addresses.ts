// Which profile an e-mail address belongs to, over R2. Written when a channel is set up or removed, read for each e-mail that has no profile in its
// address. An address belongs to the profile that named it first, until that removes it. A mark of the profile's own, without the address, names each
// of its claims, so that they are found when nobody can say the address any more: its field is sealed.
import { assertKnownVersion } from "../core/errors.ts";
import type { Bucket } from "../core/ports.ts";
import { EmailAddressOwner } from "../core/schemas/channels/email-address.ts";
import { sha256Hex } from "../core/schemas/learning/digest.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { listObjects } from "./objects.ts";

export interface EmailAddresses {
  find(address: string): Promise<string | null>;
  /** False: another profile has it. Idempotent. */
  claim(address: string, profile: string): Promise<boolean>;
  /** All of the profile's, except that of the address `kept`. Idempotent. */
  releaseAll(profile: string, kept?: string): Promise<void>;
}

/** Addresses are in lower case. */
export function createEmailAddresses(bucket: Bucket): EmailAddresses {
  async function readOwner(hash: string): Promise<string | null> {
    const key = keyOf("emailAddress", { hash });
    const object = await bucket.get(key);
    if (!object) return null;
    const raw: unknown = JSON.parse(await object.text());
    const owner = EmailAddressOwner.safeParse(raw);
    if (!owner.success) assertKnownVersion(key, raw, owner.error);
    return owner.success ? owner.data.profile : null;
  }

  /** Leaves it if it is another profile's. The mark goes last: a call that was cut off is repeated by it. */
  async function releaseHash(hash: string, profile: string): Promise<void> {
    if ((await readOwner(hash)) === profile) await bucket.delete(keyOf("emailAddress", { hash }));
    await bucket.delete(keyOf("emailMark", { profile, hash }));
  }

  return {
    find: (address) => readOwner(sha256Hex(address)),
    async claim(address, profile) {
      const hash = sha256Hex(address);
      const owner = JSON.stringify({ v: 1, address, profile });
      const mark = keyOf("emailMark", { profile, hash });
      await bucket.put(mark, "");
      const created = await bucket.put(keyOf("emailAddress", { hash }), owner, { ifAbsent: true });
      if (created !== null || (await readOwner(hash)) === profile) return true;
      await bucket.delete(mark);
      return false;
    },
    async releaseAll(profile, kept) {
      const keptHash = kept === undefined ? null : sha256Hex(kept);
      for await (const { key } of listObjects(bucket, prefixOf("emailMark", { profile }))) {
        const hash = slotsOf("emailMark", key)?.hash;
        if (hash !== undefined && hash !== keptHash) await releaseHash(hash, profile);
      }
    },
  };
}
