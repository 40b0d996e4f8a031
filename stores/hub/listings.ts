// Lists of skills as sources answered them, kept so that a search does not ask again and again. A list that cannot be read is as good as none.
// Used by core/hub/sources through wiring/hub.ts.
import { DeletedError } from "../../core/errors.ts";
import { CachedListing, type ListingCache } from "../../core/hub/source.ts";
import type { Bucket } from "../../core/ports.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { keyOf, prefixOf } from "../keys.ts";
import { deleteAll, listObjects, readRecord } from "../objects.ts";

/** [own] A profile has at most 50 taps; the others are of places that a person looked at once. */
const MAX_KEPT = 100;

export function createListingCache({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): ListingCache {
  const toKey = (place: string) => keyOf("hubListing", { profile, sha256: sha256Hex(place) });
  return {
    async get(place) {
      try {
        return (await readRecord(bucket, CachedListing, toKey(place)))?.value ?? null;
      } catch {
        return null; // damaged, of a newer version, or R2 does not answer: the source is asked
      }
    },
    async put(place, listing) {
      try {
        await bucket.put(toKey(place), JSON.stringify(listing));
        await dropOldest(bucket, prefixOf("hubListing", { profile }));
      } catch (error) {
        if (error instanceof DeletedError) throw error;
        // R2 does not answer: the next search asks the source again
      }
    },
  };
}

async function dropOldest(bucket: Bucket, prefix: string): Promise<void> {
  const kept: { key: string; at: number }[] = [];
  for await (const { key, uploaded } of listObjects(bucket, prefix)) kept.push({ key, at: uploaded.getTime() });
  const old = kept.sort((a, b) => b.at - a.at).slice(MAX_KEPT);
  if (old.length > 0)
    await deleteAll(
      bucket,
      old.map(({ key }) => key),
    );
}
