// Reads and writes the keys of one profile's memory in KV, together with the session's own writes that KV does not list yet. Used
// by the memory store and its sweep. Refuses to write for a deleted profile.
import type * as z from "zod";
import { messageOf } from "../core/errors.ts";
import { FIXED } from "../core/limits.ts";
import type { Clock, KeyValue, Overlay } from "../core/ports.ts";
import { byteLength } from "../core/schemas/learning/digest.ts";
import type { ProfileId, Sha256 } from "../core/schemas/ids.ts";
import type { MemoryAdd, MemoryPurge, MemoryRemove } from "../core/schemas/memory.ts";
import { profileGone } from "./deleted.ts";
import { keyOf, slotsOf } from "./keys.ts";
import { checkRecord, parseRecord } from "./objects.ts";

export interface MemoryStoreOptions {
  kv: KeyValue;
  profile: ProfileId;
  clock: Clock;
  /** How long an own write is remembered while lists do not show it yet. */
  overlayMs: number;
  overlay?: Overlay;
  /** Whether the profile was deleted; checked before each write. R2 holds that mark, because KV is eventually consistent. */
  isDeleted?(): Promise<boolean>;
}

/** [cf] Keys of one bulk get, which is one request. */
const KEYS_PER_GET = 100;
/** [cf] One write a second for a key. */
const KEY_REST_MS = 1_100;
const PUT_ATTEMPTS = 3;

/** A listed key: `value` comes from the overlay, `metadata` from a list. */
export interface FoundKey {
  value?: string;
  metadata?: unknown;
}

export type MemoryKeys = ReturnType<typeof createMemoryKeys>;

export function createMemoryKeys(options: MemoryStoreOptions) {
  const { kv, clock, overlayMs, overlay } = options;

  /** All listed keys under a prefix, with own recent writes. */
  async function collect(prefix: string): Promise<Map<string, FoundKey>> {
    const found = new Map<string, FoundKey>();
    let cursor: string | undefined;
    do {
      const page = await kv.list({ prefix, cursor });
      for (const { name, metadata } of page.keys) found.set(name, { metadata });
      cursor = page.list_complete ? undefined : page.cursor;
    } while (cursor !== undefined);
    if (overlay) mergeOverlay(overlay, prefix, clock.now() - overlayMs, found);
    return found;
  }

  /** Fetches the values that a list did not include, a hundred a request. Skips keys that KV lists without a value yet. */
  async function fetchValues(found: Map<string, FoundKey>, keys: string[]): Promise<void> {
    const unread = keys.filter((key) => found.get(key)!.value === undefined && found.get(key)!.metadata == null);
    for (let at = 0; at < unread.length; at += KEYS_PER_GET) {
      for (const [key, value] of await kv.getMany(unread.slice(at, at + KEYS_PER_GET))) {
        if (value !== null) found.set(key, { ...found.get(key), value });
      }
    }
  }

  async function put(key: string, record: MemoryAdd | MemoryRemove | MemoryPurge): Promise<void> {
    if (await options.isDeleted?.()) throw profileGone();
    const value = JSON.stringify(record);
    // A list returns metadata but no values. A record that fits in the metadata needs no get.
    const withMetadata = byteLength(value) <= FIXED.kvMetadataBytes ? { metadata: record } : {};
    for (let attempt = 1; ; attempt++) {
      try {
        await kv.put(key, value, withMetadata);
        break;
      } catch (error) {
        // KV accepts one write a second for a key. Forgetting a fact twice quickly is not an error.
        if (attempt === PUT_ATTEMPTS || !/\b429\b/.test(messageOf(error))) throw error;
        await clock.sleep(KEY_REST_MS);
      }
    }
    overlay?.put(key, value, clock.now());
  }

  async function erase(key: string): Promise<void> {
    await kv.delete(key);
    overlay?.delete(key);
  }

  return { collect, fetchValues, put, erase };
}

/** The record under a key, from whichever source had it; null when KV lists the key but has no value yet. */
export function readFound<T>(schema: z.ZodType<T>, key: string, found: FoundKey): T | null {
  if (found.value !== undefined) return parseRecord(schema, key, found.value);
  return found.metadata == null ? null : checkRecord(schema, key, found.metadata);
}

export interface LivingKey {
  id: Sha256;
  op: string;
  key: string;
}

/** Adds that no removal names, without purged texts. */
export function livingAdds(found: Map<string, FoundKey>): LivingKey[] {
  const living: LivingKey[] = [];
  for (const key of found.keys()) {
    const add = slotsOf("memoryAdd", key);
    if (add && !found.has(keyOf("memoryRemove", add)) && !found.has(keyOf("memoryPurge", add))) {
      living.push({ id: add.hash, op: add.op, key });
    }
    if (!add && !slotsOf("memoryRemove", key) && !slotsOf("memoryPurge", key)) {
      throw new Error(`The key ${key} is not an add, a removal or a purge.`);
    }
  }
  return living;
}

function mergeOverlay(overlay: Overlay, prefix: string, since: number, found: Map<string, FoundKey>): void {
  const recent = new Map(overlay.list(prefix, since).map(({ key, value }) => [key, value]));
  for (const { key } of overlay.list(prefix, Number.MIN_SAFE_INTEGER)) {
    if (found.has(key) || !recent.has(key)) overlay.delete(key);
  }
  for (const [key, value] of recent) {
    const listed = found.get(key);
    found.set(key, { ...listed, value });
  }
}
