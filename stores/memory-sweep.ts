// Deletes what the memory of a profile no longer needs: adds that were removed long ago, their removals, and adds of purged texts.
// Called by the memory store. Bounded: the next sweep continues.
import type { Clock, MemorySwept } from "../core/ports.ts";
import type { ProfileId } from "../core/schemas/ids.ts";
import { MemoryRemove, MemoryStoreName } from "../core/schemas/memory.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { type FoundKey, type MemoryKeys, readFound } from "./memory-keys.ts";

/**
 * How long a removal is kept after its add was deleted. [own] KV promises a minute or more; a day is far beyond anything
 * observed.
 */
const SETTLE_MS = 24 * 60 * 60_000;

/** Keys of one sweep, at five calls each at most, of an invocation's 10,000. The next sweep continues. */
const KEYS_PER_SWEEP = 1_000;

export interface SweepContext {
  profile: ProfileId;
  clock: Clock;
  memory: MemoryKeys;
}

/**
 * Deletes an add first and its removal only after no sweep of a day has seen the add. KV may show two deletes in either
 * order, and a removal that went first would bring the entry back. Adds of a purged text are deleted at once; its tombstone
 * is kept forever.
 */
export async function sweepMemory(context: SweepContext, before: number): Promise<MemorySwept> {
  const { profile, memory } = context;
  const swept: MemorySwept = { deleted: 0, left: null };
  let room = KEYS_PER_SWEEP;
  for (const store of MemoryStoreName.options) {
    const found = await memory.collect(prefixOf("memoryAdd", { profile, store }));
    const keys = [...found.keys()];
    await memory.fetchValues(
      found,
      keys.filter((key) => slotsOf("memoryRemove", key)),
    );
    for (const key of keys) {
      const step = nextStep(context, key, found, before);
      if (step === "keep") continue;
      if (step === "wait") {
        swept.left ??= "later";
        continue;
      }
      if (room === 0) return { ...swept, left: "now" };
      room -= 1;
      await step.run();
      swept.deleted += step.deletes;
      if (step.stays) swept.left ??= "later";
    }
  }
  return swept;
}

/** What a sweep does with a key. `wait`: a removal whose add was seen within the last day. `stays`: the key is kept. */
function nextStep(
  { clock, memory }: SweepContext,
  key: string,
  found: Map<string, FoundKey>,
  before: number,
): "keep" | "wait" | { run(): Promise<void>; deletes: number; stays?: true } {
  const add = slotsOf("memoryAdd", key);
  if (add) return found.has(keyOf("memoryPurge", add)) ? { run: () => memory.erase(key), deletes: 1 } : "keep";
  const slots = slotsOf("memoryRemove", key);
  const removed = slots && readFound(MemoryRemove, key, found.get(key)!);
  if (!removed || removed.at >= before) return "keep";
  const now = clock.now();
  const addKey = keyOf("memoryAdd", slots);
  if (found.has(addKey) || removed.swept === undefined) {
    const hasAdd = found.has(addKey);
    return {
      async run() {
        await memory.put(key, { ...removed, swept: now });
        if (hasAdd) await memory.erase(addKey);
      },
      deletes: hasAdd ? 1 : 0,
      stays: true,
    };
  }
  return removed.swept > now - SETTLE_MS ? "wait" : { run: () => memory.erase(key), deletes: 1 };
}
