// The lock of a profile's skills of the hub: one object in R2, changed by compare-and-swap. Opened by the API. Decides nothing.
import type { Bucket, Clock, HubLockStore, Random } from "../../core/ports.ts";
import { EMPTY_LOCK, HubLock } from "../../core/schemas/hub/lock.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { createBackoff } from "../backoff.ts";
import { keyOf } from "../keys.ts";
import { readRecord, swapObject } from "../objects.ts";

/** How long a lost swap is retried: a person waits. */
const SWAP_MS = 20_000;

export interface LockStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  clock: Clock;
  random: Random;
}

export function createHubLockStore({ bucket, profile, clock, random }: LockStoreOptions): HubLockStore {
  const key = keyOf("hubLock", { profile });
  return {
    async read() {
      return (await readRecord(bucket, HubLock, key))?.value ?? EMPTY_LOCK;
    },
    async change(next) {
      const backoff = createBackoff({ clock, random, withinMs: SWAP_MS });
      for (;;) {
        const stored = await readRecord(bucket, HubLock, key);
        const current = stored?.value ?? EMPTY_LOCK;
        const wanted = next(current);
        if (wanted === null) return current;
        const changed = HubLock.parse({ ...wanted, seq: current.seq + 1 });
        const swapped = await swapObject(bucket, key, JSON.stringify(changed), stored?.etag ?? null);
        if (swapped.outcome === "won") return changed;
        // After a lost response the change may have been written: the next decision is made on what is there.
        if (!(await backoff.wait())) {
          throw new Error("The lock of the hub was changed by other writers on every attempt. Try again.");
        }
      }
    },
  };
}

/** Removes a deleted skill from the lock. Called by an erasure. */
export async function dropFromHubLock(store: HubLockStore, name: string): Promise<void> {
  await store.change((lock) => {
    if (!Object.hasOwn(lock.skills, name)) return null;
    const { [name]: _dropped, ...skills } = lock.skills;
    return { ...lock, skills };
  });
}
