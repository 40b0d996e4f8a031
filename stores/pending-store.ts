// Changes that wait for a person, over a bucket: one object each, created once and changed by compare-and-swap. Opened for the
// Session, the review Worker and the API. Makes no decisions.
import { type Result, err, ok } from "../core/errors.ts";
import type { Bucket, Clock, PendingStore, Random } from "../core/ports.ts";
import type { ProfileId } from "../core/schemas/ids.ts";
import { PendingChange, PendingInfo } from "../core/schemas/approvals/pending.ts";
import { createBackoff } from "./backoff.ts";
import { keyOf, prefixOf } from "./keys.ts";
import { createOnce, deleteAll, mapObjects, listObjects, parseRecord, readRecord, swapObject } from "./objects.ts";

/** [own] Longer lists are not useful to a person. */
const MAX_WAITING = 20;
/** How long a lost swap is retried. */
const SWAP_MS = 20_000;
/** [own] How many decided changes are listed; each is an object to read. */
const MAX_DECIDED = 100;

export interface PendingStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  clock: Clock;
  random: Random;
}

export function createPendingStore({ bucket, profile, clock, random }: PendingStoreOptions): PendingStore {
  const keyFor = (id: string) => keyOf("pending", { profile, id });

  /** Open changes, and the time of decision of settled ones, by key. Objects whose metadata says so are not read. */
  async function survey(): Promise<{ open: string[]; waiting: number; settled: { key: string; at: number }[] }> {
    const open: string[] = [];
    const settled: { key: string; at: number }[] = [];
    let waiting = 0;
    for await (const { key, customMetadata } of listObjects(bucket, prefixOf("pending", { profile }), {
      metadata: true,
    })) {
      const known = customMetadata?.state ? customMetadata : await readMetadata(key);
      if (!known) continue;
      if (known.state === "waiting") waiting++;
      if (known.settledAt) settled.push({ key, at: Number(known.settledAt) });
      else open.push(key);
    }
    return { open, waiting, settled };
  }

  /** For an object written before this metadata existed. */
  async function readMetadata(key: string): Promise<Record<string, string> | null> {
    const stored = await readRecord(bucket, PendingChange, key);
    return stored && toPendingMetadata(stored.value);
  }

  /** Keeps only what a list needs: a change may hold a whole skill, and six are in memory at a time. */
  async function list(): Promise<PendingInfo[]> {
    const { open, settled } = await survey();
    const newest = settled.toSorted((a, b) => b.at - a.at).slice(0, MAX_DECIDED);
    const keys = [...open, ...newest.map(({ key }) => key)];
    const found = await mapObjects(
      keys,
      (key) => bucket.get(key),
      async (object) => PendingInfo.parse(parseRecord(PendingChange, object.key, await object.text())),
    );
    return found.filter((change) => change !== null).sort((a, b) => a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1));
  }

  async function get(id: string): Promise<PendingChange | null> {
    return (await readRecord(bucket, PendingChange, keyFor(id)))?.value ?? null;
  }

  return {
    list,
    get,

    async park(change): Promise<Result<PendingChange>> {
      const known = await get(change.id);
      if (known) return ok(known);
      const { waiting } = await survey();
      if (waiting >= MAX_WAITING) {
        return err(
          "too_many_pending",
          `${waiting} changes wait for the person already: ask for a decision on those first.`,
        );
      }
      const wanted = JSON.stringify(PendingChange.parse(change));
      const { body } = await createOnce(bucket, keyFor(change.id), wanted, toPendingMetadata(change));
      return ok(parseRecord(PendingChange, keyFor(change.id), body));
    },

    async update(id, next) {
      const backoff = createBackoff({ clock, random, withinMs: SWAP_MS });
      for (;;) {
        const stored = await readRecord(bucket, PendingChange, keyFor(id));
        if (!stored) return null;
        const wanted = next(stored.value);
        if (wanted === null) return stored.value;
        const body = JSON.stringify(PendingChange.parse(wanted));
        const swapped = await swapObject(bucket, keyFor(id), body, stored.etag, toPendingMetadata(wanted));
        if (swapped.outcome === "won") return wanted;
        // After a lost response the change may have been written, so it is read again before the next decision.
        if (!(await backoff.wait()))
          throw new Error(`The pending change ${id} was changed by other writers on every attempt. Try again.`);
      }
    },

    async newest() {
      const { settled } = await survey();
      return settled.length === 0 ? null : Math.max(...settled.map(({ at }) => at));
    },

    async sweep(before) {
      const old = (await survey()).settled.filter(({ at }) => at < before);
      await deleteAll(
        bucket,
        old.map(({ key }) => key),
      );
      return old.length;
    },
  };
}

/** Metadata for lists. An approved change that is not carried out yet counts as open, like one that waits. */
function toPendingMetadata({ state, decidedAt, outcome }: PendingChange): Record<string, string> {
  const isOpen = state === "waiting" || (state === "approved" && outcome === null);
  return { state, ...(!isOpen && { settledAt: String(decidedAt ?? 0) }) };
}
