// Which profiles have a curation due on a day, and when each was active. Used by the curation store. The Session writes the
// markers of active days.
import type { Bucket, DueMarker } from "../../core/ports.ts";
import type { Day, ProfileId } from "../../core/schemas/ids.ts";
import { shardOf } from "../../core/schemas/learning/digest.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { createOnce, listFolders, listObjects } from "../objects.ts";

export async function* listDueShards(
  bucket: Bucket,
  before: Day,
  marker: DueMarker = "due",
): AsyncGenerator<{ day: Day; shard: string }> {
  for await (const day of listFolders(bucket, prefixOf(marker, {}))) {
    if (day >= before) return;
    for await (const shard of listFolders(bucket, prefixOf(marker, { day }))) yield { day, shard };
  }
}

export interface DuePage {
  cursor?: string;
  marker?: DueMarker;
  /** Most profiles of a page. */
  limit: number;
}

/** The cursor is the last profile of the page, so it stays valid while markers are cleared. */
export async function listDueProfiles(
  bucket: Bucket,
  day: Day,
  shard: string,
  { cursor, marker = "due", limit }: DuePage,
): Promise<{ profiles: ProfileId[]; cursor?: string }> {
  const startAfter = cursor === undefined ? undefined : keyOf(marker, { day, shard, profile: cursor });
  const profiles: ProfileId[] = [];
  for await (const { key } of listObjects(bucket, prefixOf(marker, { day, shard }), { startAfter })) {
    if (profiles.length === limit) return { profiles, cursor: profiles.at(-1)! };
    profiles.push(slotsOf(marker, key)!.profile);
  }
  return { profiles };
}

export async function clearDue(bucket: Bucket, day: Day, profile: ProfileId, marker: DueMarker = "due"): Promise<void> {
  await bucket.delete(keyOf(marker, { day, shard: shardOf(profile), profile }));
}

export async function markSweep(bucket: Bucket, day: Day, profile: ProfileId): Promise<void> {
  await createOnce(bucket, keyOf("sweep", { day, shard: shardOf(profile), profile }), "");
}

export async function readLastActive(
  bucket: Bucket,
  profile: ProfileId,
): Promise<{ last: Day | null; before: Day | null }> {
  let last: Day | null = null;
  let before: Day | null = null;
  for await (const { key } of listObjects(bucket, prefixOf("active", { profile }))) {
    before = last;
    last = slotsOf("active", key)!.day;
  }
  return { last, before };
}
