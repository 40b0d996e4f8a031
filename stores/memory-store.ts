// The memory of one profile over KV, as an observed-remove set: KV has no compare-and-swap and is eventually consistent. Opened
// for the Session (with an overlay for its own writes), the API and the review Worker. A key never changes its meaning after
// its first write, so replays, stale lists and concurrent writers commute.
import type * as z from "zod";
import { messageOf } from "../core/errors.ts";
import { FIXED } from "../core/limits.ts";
import type { Clock, KeyValue, MemoryStore, MemorySwept, Overlay } from "../core/ports.ts";
import { byteLength } from "../core/schemas/learning/digest.ts";
import type { ProfileId, Sha256 } from "../core/schemas/ids.ts";
import {
  MemoryAdd,
  type MemoryEntry,
  MemoryPurge,
  MemoryRemove,
  MemoryStoreName,
  memoryId,
} from "../core/schemas/memory.ts";
import { profileGone } from "./deleted.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
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

/**
 * How long a removal is kept after its add was deleted. [own] KV promises a minute or more; a day is far beyond anything
 * observed.
 */
const SETTLE_MS = 24 * 60 * 60_000;

/** [cf] Keys of one bulk get, which is one request. */
const KEYS_PER_GET = 100;
/** [cf] One write a second for a key. */
const KEY_REST_MS = 1_100;
const PUT_ATTEMPTS = 3;

/** Keys of one sweep, at five calls each at most, of an invocation's 10,000. The next sweep continues. */
const KEYS_PER_SWEEP = 1_000;

/** Adds of one text. [own] Further ones write nothing, because every list reads all keys. */
const MAX_ADDS = 50;

export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { kv, profile, clock, overlayMs, overlay } = options;

  /** All listed keys under a prefix, with own recent writes. */
  async function collect(prefix: string): Promise<Map<string, ListedKey>> {
    const found = new Map<string, ListedKey>();
    let cursor: string | undefined;
    do {
      const page = await kv.list({ prefix, cursor });
      for (const { name, metadata } of page.keys) found.set(name, { metadata });
      cursor = page.list_complete ? undefined : page.cursor;
    } while (cursor !== undefined);
    if (overlay) mergeOverlay(overlay, prefix, clock.now() - overlayMs, found);
    return found;
  }

  /** The record under a key, from whichever source had it; null when KV lists the key but has no value yet. */
  function read<T>(schema: z.ZodType<T>, key: string, found: ListedKey): T | null {
    if (found.value !== undefined) return parseRecord(schema, key, found.value);
    return found.metadata == null ? null : checkRecord(schema, key, found.metadata);
  }

  /** Fetches the values that a list did not include, a hundred a request. Skips keys that KV lists without a value yet. */
  async function fetchValues(found: Map<string, ListedKey>, keys: string[]): Promise<void> {
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

  async function survey(store: MemoryStoreName) {
    const found = await collect(prefixOf("memoryAdd", { profile, store }));
    const keys = livingAdds(found);
    const marks = [...found.keys()].filter((key) => slotsOf("memoryPurge", key) !== null);
    await fetchValues(found, [...keys.map(({ key }) => key), ...marks]);
    const living = keys.flatMap(({ id, op, key }) => {
      const add = read(MemoryAdd, key, found.get(key)!);
      return add ? [{ id, op, add }] : [];
    });
    living.sort((a, b) => a.add.at - b.add.at || compareText(a.id, b.id) || compareText(a.op, b.op));
    const entries = [...Map.groupBy(living, ({ id }) => id).values()].map((adds) => toEntry(store, adds));
    const purged = marks.map((key) => {
      const at = read(MemoryPurge, key, found.get(key)!)?.at ?? 0;
      return { id: slotsOf("memoryPurge", key)!.hash, at };
    });
    return { entries, purged };
  }

  async function list(store: MemoryStoreName): Promise<MemoryEntry[]> {
    return (await survey(store)).entries;
  }

  async function add(store: MemoryStoreName, op: string, record: MemoryAdd) {
    const id = memoryId(record.text);
    const key = keyOf("memoryAdd", { profile, store, hash: id, op });
    const found = await collect(hashPrefix(profile, store, id));
    if (found.has(keyOf("memoryPurge", { profile, store, hash: id }))) {
      return { id, existed: false, purged: true as const };
    }
    const others = livingAdds(found).filter((other) => other.key !== key);
    // The op was carried out before, perhaps long ago. What it wrote is kept, even if the entry was forgotten since.
    if (!found.has(key) && others.length < MAX_ADDS) await put(key, MemoryAdd.parse(record));
    return { id, existed: others.length > 0 };
  }

  async function remove(store: MemoryStoreName, id: Sha256, by: { op: string; at: number; adds?: string[] }) {
    const adds = by.adds ?? livingAdds(await collect(hashPrefix(profile, store, id))).map(({ op }) => op);
    for (const op of adds) {
      await put(keyOf("memoryRemove", { profile, store, hash: id, op }), { v: 1, at: by.at, by: by.op });
    }
    return adds.length;
  }

  /** The tombstone is written before the first delete, so that the entry cannot reappear in any order in which KV shows them. */
  async function purge(store: MemoryStoreName, id: Sha256, by: { op: string; at: number }): Promise<number | null> {
    const found = await collect(hashPrefix(profile, store, id));
    if (found.size === 0) return null;
    const mark = keyOf("memoryPurge", { profile, store, hash: id });
    if (!found.has(mark)) await put(mark, { v: 1, at: by.at, by: by.op });
    const adds = [...found.keys()].filter((key) => slotsOf("memoryAdd", key));
    for (const key of adds) await erase(key);
    return adds.length;
  }

  /** All keys added under the hash; null when none is listed. */
  async function textOf(store: MemoryStoreName, id: Sha256): Promise<string | null> {
    const found = await collect(hashPrefix(profile, store, id));
    const keys = [...found.keys()].filter((key) => slotsOf("memoryAdd", key) !== null);
    await fetchValues(found, keys);
    for (const key of keys) {
      const add = read(MemoryAdd, key, found.get(key)!);
      if (add) return add.text;
    }
    return null;
  }

  /**
   * Deletes an add first and its removal only after no sweep of a day has seen the add. KV may show two deletes in either
   * order, and a removal that went first would bring the entry back. Adds of a purged text are deleted at once; its tombstone
   * is kept forever.
   */
  async function sweep(before: number): Promise<MemorySwept> {
    const swept: MemorySwept = { deleted: 0, left: null };
    let room = KEYS_PER_SWEEP;
    for (const store of MemoryStoreName.options) {
      const found = await collect(prefixOf("memoryAdd", { profile, store }));
      const keys = [...found.keys()];
      await fetchValues(
        found,
        keys.filter((key) => slotsOf("memoryRemove", key)),
      );
      for (const key of keys) {
        const step = nextStep(key, found, before);
        if (step === "keep") continue;
        if (step === "wait") {
          swept.left ??= "later";
          continue;
        }
        if (room-- === 0) return { ...swept, left: "now" };
        await step.run();
        swept.deleted += step.deletes;
        if (step.stays) swept.left ??= "later";
      }
    }
    return swept;
  }

  /** What a sweep does with a key. `wait`: a removal whose add was seen within the last day. `stays`: the key is kept. */
  function nextStep(
    key: string,
    found: Map<string, ListedKey>,
    before: number,
  ): "keep" | "wait" | { run(): Promise<void>; deletes: number; stays?: true } {
    const add = slotsOf("memoryAdd", key);
    if (add) return found.has(keyOf("memoryPurge", add)) ? { run: () => erase(key), deletes: 1 } : "keep";
    const slots = slotsOf("memoryRemove", key);
    const removed = slots && read(MemoryRemove, key, found.get(key)!);
    if (!removed || removed.at >= before) return "keep";
    const now = clock.now();
    const addKey = keyOf("memoryAdd", slots);
    if (found.has(addKey) || removed.swept === undefined) {
      const hasAdd = found.has(addKey);
      return {
        async run() {
          await put(key, { ...removed, swept: now });
          if (hasAdd) await erase(addKey);
        },
        deletes: hasAdd ? 1 : 0,
        stays: true,
      };
    }
    return removed.swept > now - SETTLE_MS ? "wait" : { run: () => erase(key), deletes: 1 };
  }

  return { list, survey, textOf, add, remove, purge, sweep };
}

interface LivingKey {
  id: Sha256;
  op: string;
  key: string;
}

interface LivingAdd {
  id: Sha256;
  op: string;
  add: MemoryAdd;
}

/** A listed key: `value` comes from the overlay, `metadata` from a list. */
interface ListedKey {
  value?: string;
  metadata?: unknown;
}

function mergeOverlay(overlay: Overlay, prefix: string, since: number, found: Map<string, ListedKey>): void {
  const recent = new Map(overlay.list(prefix, since).map(({ key, value }) => [key, value]));
  for (const { key } of overlay.list(prefix, Number.MIN_SAFE_INTEGER)) {
    if (found.has(key) || !recent.has(key)) overlay.delete(key);
  }
  for (const [key, value] of recent) {
    const listed = found.get(key);
    found.set(key, { ...listed, value });
  }
}

/** Adds that no removal names, without purged texts. */
function livingAdds(found: Map<string, ListedKey>): LivingKey[] {
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

/** `adds` are of one text, oldest first. The source is a person if any add came from or was approved by one. */
function toEntry(store: MemoryStoreName, adds: LivingAdd[]): MemoryEntry {
  const [first] = adds as [LivingAdd];
  const { id, add } = adds.find((living) => living.add.origin === "user" || living.add.approved) ?? first;
  const { text, origin, session, source, citations, approved } = add;
  return {
    id,
    store,
    text,
    since: first.add.at,
    origin,
    ...(session && { session }),
    ...(source && { source }),
    ...(citations && { citations }),
    ...(approved && { approved }),
    adds: adds.map(({ op }) => op),
  };
}

/** The prefix of all keys of one text. */
function hashPrefix(profile: ProfileId, store: MemoryStoreName, hash: Sha256): string {
  return prefixOf("memoryAdd", { profile, store, hash }).slice(0, -"+".length);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
