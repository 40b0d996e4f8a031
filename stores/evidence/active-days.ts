// The days on which a profile was active, over a bucket: one empty object a day, and the marker that makes the profile due for a
// curation. Called by evidence-store.ts alone.
import type { Bucket, EvidenceStore } from "../../core/ports.ts";
import { shardOf } from "../../core/schemas/learning/digest.ts";
import type { Day, ProfileId } from "../../core/schemas/ids.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { createOnce, listObjects } from "../objects.ts";

export type ActiveDays = Pick<EvidenceStore, "markActive" | "activeDays">;

export function createActiveDays({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): ActiveDays {
  /** The day's own object is written last: if it exists, the marker was written, and may have been cleared since. */
  async function markActive(day: Day): Promise<void> {
    const active = keyOf("active", { profile, day });
    if (await bucket.get(active)) return;
    await createOnce(bucket, keyOf("due", { day, shard: shardOf(profile), profile }), "");
    await createOnce(bucket, active, "");
  }

  async function activeDays(since: Day): Promise<Day[]> {
    const prefix = prefixOf("active", { profile });
    const days: Day[] = [];
    // A key just below the day's own, because `startAfter` excludes the key it names.
    for await (const { key } of listObjects(bucket, prefix, { startAfter: prefix + since.slice(0, -1) })) {
      const day = slotsOf("active", key)!.day;
      if (day >= since) days.push(day);
    }
    return days;
  }

  return { markActive, activeDays };
}
