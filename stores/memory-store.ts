// The memory of one profile over KV: an observed-remove set, because KV has no compare-and-swap and answers late. Made by
// the Session (with an overlay, to read its own writes) and by the review Worker. Never overwrites a key with something
// else, so replays, stale lists and two writers commute.
import type * as z from "zod";
import { FIXED } from "../core/limits.ts";
import type { Clock, KeyValue, MemoryStore, Overlay } from "../core/ports.ts";
import { byteLength } from "../core/schemas/digest.ts";
import type { ProfileId, Sha256 } from "../core/schemas/ids.ts";
import { MemoryAdd, type MemoryEntry, MemoryRemove, MemoryStoreName, memoryId } from "../core/schemas/memory.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { checkRecord, parseRecord } from "./objects.ts";

export interface MemoryStoreOptions {
  kv: KeyValue;
  profile: ProfileId;
  clock: Clock;
  /** How long an own write is remembered while no list shows it. */
  overlayMs: number;
  overlay?: Overlay;
}

export function createMemoryStore({ kv, profile, clock, overlayMs, overlay }: MemoryStoreOptions): MemoryStore {
  /** What is listed under a prefix, own recent writes included, by key. */
  async function collect(prefix: string): Promise<Map<string, Found>> {
    const found = new Map<string, Found>();
    let cursor: string | undefined;
    do {
      const page = await kv.list({ prefix, cursor });
      for (const { name, metadata } of page.keys) found.set(name, { metadata });
      cursor = page.list_complete ? undefined : page.cursor;
    } while (cursor !== undefined);
    if (overlay) mergeOverlay(overlay, prefix, clock.now() - overlayMs, found);
    return found;
  }

  /** The record under a key, from wherever it came with; null when KV lists the key but does not yet give its value. */
  async function load<T>(schema: z.ZodType<T>, key: string, found: Found): Promise<T | null> {
    if (found.value !== undefined) return parseRecord(schema, key, found.value);
    if (found.metadata != null) return checkRecord(schema, key, found.metadata);
    const value = await kv.get(key);
    return value === null ? null : parseRecord(schema, key, value);
  }

  async function put(key: string, record: MemoryAdd | MemoryRemove): Promise<void> {
    const value = JSON.stringify(record);
    // A list brings metadata along and no values: what fits in it needs no get.
    await kv.put(key, value, byteLength(value) <= FIXED.kvMetadataBytes ? { metadata: record } : {});
    overlay?.put(key, value, clock.now());
  }

  async function list(store: MemoryStoreName): Promise<MemoryEntry[]> {
    const found = await collect(prefixOf("memoryAdd", { profile, store }));
    const loaded = livingAdds(found).map(async ({ id, op, key }) => {
      return { id, op, add: await load(MemoryAdd, key, found.get(key)!) };
    });
    const living = (await Promise.all(loaded)).flatMap(({ add, ...rest }) => (add ? [{ ...rest, add }] : []));
    living.sort((a, b) => a.add.at - b.add.at || compareText(a.id, b.id) || compareText(a.op, b.op));
    const entries = new Map<Sha256, MemoryEntry>();
    for (const { id, op, add } of living) {
      const entry = entries.get(id);
      if (entry) entry.adds.push(op);
      else entries.set(id, toEntry(id, store, op, add));
    }
    return [...entries.values()];
  }

  async function add(store: MemoryStoreName, op: string, record: MemoryAdd) {
    const id = memoryId(record.text);
    const key = keyOf("memoryAdd", { profile, store, hash: id, op });
    const found = await collect(hashPrefix(profile, store, id));
    // The same op again, perhaps long after a person forgot the entry: what it wrote stands, dead or alive.
    if (found.has(key)) return { id, existed: false };
    if (livingAdds(found).length > 0) return { id, existed: true };
    await put(key, MemoryAdd.parse(record));
    return { id, existed: false };
  }

  async function remove(store: MemoryStoreName, id: Sha256, by: { op: string; at: number }): Promise<number> {
    const adds = livingAdds(await collect(hashPrefix(profile, store, id)));
    for (const { op } of adds) {
      await put(keyOf("memoryRemove", { profile, store, hash: id, op }), { v: 1, at: by.at, by: by.op });
    }
    return adds.length;
  }

  /**
   * An add goes in one sweep, its remove in a later one that no longer sees the add: KV may show two deletes in either
   * order, and a remove that went first would bring the entry back.
   */
  async function sweep(before: number): Promise<number> {
    let deleted = 0;
    for (const store of MemoryStoreName.options) {
      const found = await collect(prefixOf("memoryAdd", { profile, store }));
      for (const [key, at] of found) {
        const slots = slotsOf("memoryRemove", key);
        if (!slots) continue;
        const removed = await load(MemoryRemove, key, at);
        if (!removed || removed.at >= before) continue;
        const addKey = keyOf("memoryAdd", { profile, store, hash: slots.hash, op: slots.op });
        const goes = found.has(addKey) ? addKey : key;
        await kv.delete(goes);
        overlay?.delete(goes);
        deleted++;
      }
    }
    return deleted;
  }

  return { list, add, remove, sweep };
}

/** A key that was seen: `value` from the overlay, `metadata` from a list. */
interface Found {
  value?: string;
  metadata?: unknown;
}

function mergeOverlay(overlay: Overlay, prefix: string, since: number, found: Map<string, Found>): void {
  const recent = new Map(overlay.list(prefix, since).map(({ key, value }) => [key, value]));
  for (const { key } of overlay.list(prefix, Number.MIN_SAFE_INTEGER)) {
    if (found.has(key) || !recent.has(key)) overlay.delete(key);
  }
  for (const [key, value] of recent) {
    const listed = found.get(key);
    found.set(key, { ...listed, value });
  }
}

/** The adds that no remove names. */
function livingAdds(found: Map<string, Found>): { id: Sha256; op: string; key: string }[] {
  const living: { id: Sha256; op: string; key: string }[] = [];
  for (const key of found.keys()) {
    const add = slotsOf("memoryAdd", key);
    if (!add && !slotsOf("memoryRemove", key)) throw new Error(`The key ${key} is neither an add nor a remove.`);
    if (add && !found.has(keyOf("memoryRemove", add))) living.push({ id: add.hash, op: add.op, key });
  }
  return living;
}

function toEntry(id: Sha256, store: MemoryStoreName, op: string, add: MemoryAdd): MemoryEntry {
  const { text, at: since, origin, session } = add;
  return { id, store, text, since, origin, ...(session ? { session } : {}), adds: [op] };
}

/** Adds and removes of one entry. */
function hashPrefix(profile: ProfileId, store: MemoryStoreName, hash: Sha256): string {
  return prefixOf("memoryAdd", { profile, store, hash }).slice(0, -"+".length);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
