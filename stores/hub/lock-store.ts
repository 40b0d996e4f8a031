// The lock of a profile's skills of the hub: one object in R2, changed by compare-and-swap. Opened by the API. Decides nothing.
import type { Bucket, Clock, HubLockStore, Random } from "../../core/ports.ts";
import { StateNewerError } from "../../core/errors.ts";
import { EMPTY_LOCK, HubLock, LockedSkill } from "../../core/schemas/hub/lock.ts";
import { type ProfileId, SkillName } from "../../core/schemas/ids.ts";
import { toObject } from "../../core/unknown-object.ts";
import { createBackoff } from "../backoff.ts";
import { keyOf } from "../keys.ts";
import { parseRecord, swapObject } from "../objects.ts";

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

  async function readStored(): Promise<{ value: HubLock; etag: string } | null> {
    const found = await bucket.get(key);
    return found && { value: parseLock(key, await found.text()), etag: found.etag };
  }

  return {
    async read() {
      return (await readStored())?.value ?? EMPTY_LOCK;
    },
    async change(next) {
      const backoff = createBackoff({ clock, random, withinMs: SWAP_MS });
      for (;;) {
        const stored = await readStored();
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

/** Of a damaged lock the lines that can be read; the others are made again from the skills. Throws for one of a newer version. */
function parseLock(key: string, body: string): HubLock {
  try {
    return parseRecord(HubLock, key, body);
  } catch (error) {
    if (error instanceof StateNewerError) throw error;
    const skills = Object.entries(toObject(toObject(readJson(body)).skills)).flatMap(([name, line]) => {
      const [own, locked] = [SkillName.safeParse(name), LockedSkill.safeParse(line)];
      return own.success && locked.success ? [[own.data, locked.data] as const] : [];
    });
    return { ...EMPTY_LOCK, skills: Object.fromEntries(skills) };
  }
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null; // nothing of it can be read
  }
}

/** Removes a deleted skill from the lock. Called by an erasure. */
export async function dropFromHubLock(store: HubLockStore, name: string): Promise<void> {
  await store.change((lock) => {
    if (!Object.hasOwn(lock.skills, name)) return null;
    const { [name]: _dropped, ...skills } = lock.skills;
    return { ...lock, skills };
  });
}
