// Stores the zip archives of public skills in a bucket, one for each text of a skill. The API writes one when a skill is published,
// or first requested with a new text. A cache: a missing archive is packed again.
import type { Bucket } from "../../core/ports.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { deleteAll, listObjects } from "../objects.ts";

export interface PublicArchives {
  /** The SHA-256 of each archive, by `<name>/<text>`. */
  digests(): Promise<Map<string, string>>;
  get(name: SkillName, text: Sha256): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Returns the archive's SHA-256. */
  put(name: SkillName, text: Sha256, zip: Uint8Array): Promise<string>;
  /** Deletes the archives of a skill, except the one with the text `except`. */
  drop(name: SkillName, except?: Sha256): Promise<void>;
}

export function createPublicArchives({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): PublicArchives {
  return {
    async digests() {
      const found = new Map<string, string>();
      for await (const object of listObjects(bucket, prefixOf("publicArchive", { profile }), { metadata: true })) {
        const { name, text } = slotsOf("publicArchive", object.key)!;
        const digest = object.customMetadata?.digest;
        if (digest !== undefined) found.set(`${name}/${text}`, digest);
      }
      return found;
    },
    async get(name, text) {
      const found = await bucket.get(keyOf("publicArchive", { profile, name, text }));
      return found && new Uint8Array(await found.arrayBuffer());
    },
    async put(name, text, zip) {
      const digest = sha256Hex(zip);
      // Equal files pack to equal bytes, so concurrent writers agree.
      await bucket.put(keyOf("publicArchive", { profile, name, text }), zip, {
        ifAbsent: true,
        customMetadata: { digest },
      });
      return digest;
    },
    async drop(name, except) {
      const keys: string[] = [];
      for await (const { key } of listObjects(bucket, prefixOf("publicArchive", { profile, name }))) {
        if (slotsOf("publicArchive", key)?.text !== except) keys.push(key);
      }
      if (keys.length > 0) await deleteAll(bucket, keys);
    },
  };
}
