// What reviews keep of each session over a bucket: how far it is reviewed, and whether a turn of it uses one of the operator's own
// servers. Called by review-store.ts alone.
import * as z from "zod";
import type { Bucket, ReviewStore } from "../../core/ports.ts";
import type { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import { keyOf, prefixOf } from "../keys.ts";
import { deleteAll, listObjects, readRecord, swapObject } from "../objects.ts";

export type ReviewSessions = Pick<ReviewStore, "watermark" | "raiseWatermark" | "markBusy" | "isBusy">;

/** `reviewed/<session>`: a finished review covers the entries up to this one. */
const Watermark = z.object({ v: z.literal(1), entry: z.int().min(0) });

// Few retries suffice: only two deliveries of one review raise a watermark at the same time, and to the same entry.
const RAISE_ATTEMPTS = 5;

export function createReviewSessions({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): ReviewSessions {
  async function readWatermark(session: SessionId) {
    return readRecord(bucket, Watermark, keyOf("reviewed", { profile, session }));
  }

  async function watermark(session: SessionId): Promise<number> {
    return (await readWatermark(session))?.value.entry ?? 0;
  }

  async function raiseWatermark(session: SessionId, entry: number): Promise<void> {
    const key = keyOf("reviewed", { profile, session });
    let last = "";
    for (let attempt = 0; attempt < RAISE_ATTEMPTS; attempt++) {
      const stored = await readWatermark(session);
      if (stored && stored.value.entry >= entry) return;
      const swapped = await swapObject(bucket, key, JSON.stringify({ v: 1, entry }), stored?.etag ?? null);
      if (swapped.outcome === "won") return;
      last = swapped.outcome === "unknown" ? swapped.message : "another writer came first";
    }
    throw new Error(`The watermark of the session ${session} could not be raised: ${last}`);
  }

  async function markBusy(session: SessionId, server: string | null): Promise<void> {
    const key = keyOf("busy", { profile, session });
    if (server === null) return deleteAll(bucket, [key]);
    await bucket.put(key, "", { customMetadata: { server } });
  }

  async function isBusy(server: string, since: number): Promise<boolean> {
    const prefix = prefixOf("busy", { profile });
    for await (const { uploaded, customMetadata } of listObjects(bucket, prefix, { metadata: true })) {
      if (customMetadata?.server === server && uploaded.getTime() >= since) return true;
    }
    return false;
  }

  return { watermark, raiseWatermark, markBusy, isBusy };
}
