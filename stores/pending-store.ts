// Changes that wait for a person, over a bucket: an object each, created once and changed by compare-and-swap. Made by the
// Session, the review Worker and the API. Decides nothing.
import { type Result, err, ok } from "../core/errors.ts";
import type { Bucket, Clock, PendingStore, Random } from "../core/ports.ts";
import type { ProfileId } from "../core/schemas/ids.ts";
import { PendingChange } from "../core/schemas/pending.ts";
import { createBackoff } from "./backoff.ts";
import { keyOf, prefixOf } from "./keys.ts";
import { createOnce, getAll, listObjects, parseRecord, readRecord, swapObject } from "./objects.ts";

/** More is nobody's list to decide. */
const MAX_WAITING = 20;
const SWAP_MS = 20_000;

export interface PendingStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  clock: Clock;
  random: Random;
}

export function createPendingStore({ bucket, profile, clock, random }: PendingStoreOptions): PendingStore {
  const keyFor = (id: string) => keyOf("pending", { profile, id });

  async function list(): Promise<PendingChange[]> {
    const keys: string[] = [];
    for await (const { key } of listObjects(bucket, prefixOf("pending", { profile }))) keys.push(key);
    const bodies = await getAll(
      keys,
      (key) => bucket.get(key),
      (object) => object.text(),
    );
    return bodies
      .flatMap((body, at) => (body === null ? [] : [parseRecord(PendingChange, keys[at]!, body)]))
      .sort((a, b) => a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1));
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
      const waiting = (await list()).filter(({ state }) => state === "waiting").length;
      if (waiting >= MAX_WAITING) {
        return err(
          "too_many_pending",
          `${waiting} changes wait for the person already: ask for a decision on those first.`,
        );
      }
      const { body } = await createOnce(bucket, keyFor(change.id), JSON.stringify(PendingChange.parse(change)));
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
        const swapped = await swapObject(bucket, keyFor(id), body, stored.etag);
        if (swapped.outcome === "won") return wanted;
        // A lost answer may have been a write: what is there is read again before anything else is decided.
        if (!(await backoff.wait())) throw new Error(`The pending change ${id} was written by others all the while.`);
      }
    },

    async sweep(before) {
      const old = (await list()).filter(({ state, decidedAt }) => state !== "waiting" && (decidedAt ?? 0) < before);
      if (old.length > 0) await bucket.delete(old.map(({ id }) => keyFor(id)));
      return old.length;
    },
  };
}
