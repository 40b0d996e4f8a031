// Keeps writers and purges of the same contents apart. A purge records what it is about to delete; a writer checks that record
// before it puts contents and again right before its swap. Used by skill-store.ts and skill-purge.ts. Deletes nothing itself.
import type { Bucket, Clock, Random } from "../../core/ports.ts";
import type { ProfileId, Sha256 } from "../../core/schemas/ids.ts";
import { PurgeLease } from "../../core/schemas/skill.ts";
import { keyOf } from "../keys.ts";
import { readRecord, swapObject } from "../objects.ts";

/** The longest time between a writer's last check and its swap; a slower writer starts over. */
export const HOLD_MS = 1_000;
/** How long a purge waits before it looks for blobs in use: every swap that passed its check has arrived by then. */
export const GRACE_MS = 2_000;
/** The longest time that a crashed purge blocks writers of the same contents. */
const LEASE_MS = 60_000;
/** In the last part of its lease, this long, a purge starts no more deletes. */
const STOP_MS = 20_000;

/** The lease and the ETag it was read with; both null before the first purge. */
export interface SeenLease {
  lease: PurgeLease | null;
  etag: string | null;
}

export interface PurgeLeases {
  read(): Promise<SeenLease>;
  /** Takes or renews the lease; null while another purge holds it, or when the put was lost. */
  take(blobs: Sha256[], held: SeenLease | null): Promise<SeenLease | null>;
  /** If release fails, the lease expires. */
  release(held: SeenLease): Promise<void>;
  mayDelete(held: SeenLease): boolean;
  /** Whether an active purge is about to delete one of these. */
  blocks(seen: SeenLease, blobs: Sha256[]): boolean;
}

export function createPurgeLeases(options: {
  bucket: Bucket;
  profile: ProfileId;
  clock: Clock;
  random: Random;
}): PurgeLeases {
  const { bucket, profile, clock, random } = options;
  const key = keyOf("purge", { profile });

  async function read(): Promise<SeenLease> {
    const found = await readRecord(bucket, PurgeLease, key);
    return found ? { lease: found.value, etag: found.etag } : { lease: null, etag: null };
  }

  function isLive({ lease }: SeenLease): boolean {
    return lease !== null && lease.blobs.length > 0 && clock.now() < lease.until;
  }

  async function put(seen: SeenLease, blobs: Sha256[], until: number): Promise<SeenLease | null> {
    const token = Math.floor(random() * 2 ** 32);
    const lease: PurgeLease = { v: 1, seq: (seen.lease?.seq ?? 0) + 1, token, blobs, until };
    const swapped = await swapObject(bucket, key, JSON.stringify(lease), seen.etag);
    if (swapped.outcome === "lost") return null;
    const now = await read();
    return JSON.stringify(now.lease) === JSON.stringify(lease) ? now : null;
  }

  return {
    read,
    async take(blobs, held) {
      const seen = await read();
      if (isLive(seen) && seen.etag !== held?.etag) return null;
      return put(seen, blobs, clock.now() + LEASE_MS);
    },
    async release(held) {
      await put(held, [], 0);
    },
    mayDelete: ({ lease }) => lease !== null && clock.now() < lease.until - STOP_MS,
    blocks: (seen, blobs) => isLive(seen) && seen.lease!.blobs.some((sha256) => blobs.includes(sha256)),
  };
}
