// The memory of one profile over KV, as an observed-remove set: KV has no compare-and-swap and is eventually consistent. Opened
// for the Session (with an overlay for its own writes), the API and the review Worker. A key never changes its meaning after
// its first write, so replays, stale lists and concurrent writers commute.
import type { MemoryStore } from "../core/ports.ts";
import type { ProfileId, Sha256 } from "../core/schemas/ids.ts";
import {
  MemoryAdd,
  type MemoryEntry,
  MemoryPurge,
  MemoryRemove,
  type MemoryStoreName,
  memoryId,
} from "../core/schemas/memory.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { type MemoryStoreOptions, createMemoryKeys, livingAdds, readFound } from "./memory-keys.ts";
import { sweepMemory } from "./memory-sweep.ts";

/** Adds of one text. [own] Further ones write nothing, because every list reads all keys. */
const MAX_ADDS = 50;

export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { profile, clock } = options;
  const memory = createMemoryKeys(options);

  async function survey(store: MemoryStoreName) {
    const found = await memory.collect(prefixOf("memoryAdd", { profile, store }));
    const keys = livingAdds(found);
    const marks = [...found.keys()].filter((key) => slotsOf("memoryPurge", key) !== null);
    await memory.fetchValues(found, [...keys.map(({ key }) => key), ...marks]);
    const living = keys.flatMap(({ id, op, key }) => {
      const add = readFound(MemoryAdd, key, found.get(key)!);
      return add ? [{ id, op, add }] : [];
    });
    living.sort((a, b) => a.add.at - b.add.at || compareText(a.id, b.id) || compareText(a.op, b.op));
    const entries = [...Map.groupBy(living, ({ id }) => id).values()].map((adds) => toEntry(store, adds));
    const purged = marks.map((key) => {
      const at = readFound(MemoryPurge, key, found.get(key)!)?.at ?? 0;
      return { id: slotsOf("memoryPurge", key)!.hash, at };
    });
    return { entries, purged };
  }

  async function removed(store: MemoryStoreName) {
    const found = await memory.collect(prefixOf("memoryAdd", { profile, store }));
    const living = new Set(livingAdds(found).map(({ id }) => id));
    const keys = [...found.keys()].flatMap((key) => {
      const slots = slotsOf("memoryRemove", key);
      const add = slots && keyOf("memoryAdd", slots);
      const isWhole = add && found.has(add) && !found.has(keyOf("memoryPurge", slots));
      return isWhole && !living.has(slots.hash) ? [{ id: slots.hash, key, add }] : [];
    });
    await memory.fetchValues(
      found,
      keys.flatMap(({ key, add }) => [key, add]),
    );
    const last = new Map<Sha256, { id: Sha256; text: string; at: number; by: string }>();
    for (const { id, key, add } of keys) {
      const [removal, fact] = [
        readFound(MemoryRemove, key, found.get(key)!),
        readFound(MemoryAdd, add, found.get(add)!),
      ];
      if (!removal || !fact || (last.get(id)?.at ?? -1) >= removal.at) continue;
      last.set(id, { id, text: fact.text, at: removal.at, by: removal.by });
    }
    return [...last.values()];
  }

  async function list(store: MemoryStoreName): Promise<MemoryEntry[]> {
    return (await survey(store)).entries;
  }

  async function add(store: MemoryStoreName, op: string, record: MemoryAdd) {
    const id = memoryId(record.text);
    const key = keyOf("memoryAdd", { profile, store, hash: id, op });
    const found = await memory.collect(hashPrefix(profile, store, id));
    if (found.has(keyOf("memoryPurge", { profile, store, hash: id }))) {
      return { id, existed: false, purged: true as const };
    }
    const others = livingAdds(found).filter((other) => other.key !== key);
    // The op was carried out before, perhaps long ago. What it wrote is kept, even if the entry was forgotten since.
    if (!found.has(key) && others.length < MAX_ADDS) await memory.put(key, MemoryAdd.parse(record));
    return { id, existed: others.length > 0, ...(found.has(key) && { repeated: true as const }) };
  }

  async function remove(store: MemoryStoreName, id: Sha256, by: { op: string; at: number; adds?: string[] }) {
    const adds = by.adds ?? livingAdds(await memory.collect(hashPrefix(profile, store, id))).map(({ op }) => op);
    for (const op of adds) {
      await memory.put(keyOf("memoryRemove", { profile, store, hash: id, op }), { v: 1, at: by.at, by: by.op });
    }
    return adds.length;
  }

  /** The tombstone is written before the first delete, so that the entry cannot reappear in any order in which KV shows them. */
  async function purge(store: MemoryStoreName, id: Sha256, by: { op: string; at: number }): Promise<number | null> {
    const found = await memory.collect(hashPrefix(profile, store, id));
    if (found.size === 0) return null;
    const mark = keyOf("memoryPurge", { profile, store, hash: id });
    if (!found.has(mark)) await memory.put(mark, { v: 1, at: by.at, by: by.op });
    const adds = [...found.keys()].filter((key) => slotsOf("memoryAdd", key));
    for (const key of adds) await memory.erase(key);
    return adds.length;
  }

  /** The text added under the hash; null when no add is listed. */
  async function textOf(store: MemoryStoreName, id: Sha256): Promise<string | null> {
    const found = await memory.collect(hashPrefix(profile, store, id));
    const keys = [...found.keys()].filter((key) => slotsOf("memoryAdd", key) !== null);
    await memory.fetchValues(found, keys);
    for (const key of keys) {
      const add = readFound(MemoryAdd, key, found.get(key)!);
      if (add) return add.text;
    }
    return null;
  }

  return {
    list,
    survey,
    removed,
    textOf,
    add,
    remove,
    purge,
    sweep: (before) => sweepMemory({ profile, clock, memory }, before),
  };
}

interface LivingAdd {
  id: Sha256;
  op: string;
  add: MemoryAdd;
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
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
