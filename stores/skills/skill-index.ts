// The index object of a profile: one line per skill, updated by compare-and-swap after each head. Used by the skill store
// alone. A line never replaces a newer one.
import type { Bucket } from "../../core/ports.ts";
import type { SkillName } from "../../core/schemas/ids.ts";
import {
  type IndexLine,
  EMPTY_INDEX,
  type SkillHead,
  SkillIndex,
  type SkillUse,
  lineOf,
  toIndexLine,
} from "../../core/schemas/skill.ts";
import type { Backoff } from "../backoff.ts";
import type { IndexCache } from "./caches/index-cache.ts";
import { keyOf } from "../keys.ts";
import { type SwapOutcome, hasBody, parseRecord, swapObject } from "../objects.ts";

/** The index and the ETag it was read with; null when there is none yet. */
export interface SeenIndex {
  index: SkillIndex;
  etag: string | null;
}

export interface SkillIndexObject {
  /** One conditional GET; the body is read and parsed only when it has changed. */
  read(): Promise<SeenIndex>;
  /** Replaces the lines if the index is still the one that was read. Each line keeps what is known of the skill's use. */
  swap(seen: SeenIndex, skills: SkillIndex["skills"]): Promise<SwapOutcome>;
  /** Makes a skill's line at least as new as its head. False when the time is up; a later reader then updates it. */
  bringUp(head: SkillHead, fresh: () => Promise<SkillHead | null>, backoff: Backoff): Promise<boolean>;
  /** Stores the use of skills in their lines and skips skills without a line. False when the time is up. */
  noteUse(use: Record<SkillName, SkillUse>, backoff: Backoff): Promise<boolean>;
}

export function createSkillIndex(options: { bucket: Bucket; profile: string; cache?: IndexCache }): SkillIndexObject {
  const { bucket, profile, cache } = options;
  const key = keyOf("index", { profile });
  let cached = cache?.get(key) ?? null;

  async function read(): Promise<SeenIndex> {
    const found = cached ? await bucket.getUnless(key, cached.etag) : await bucket.get(key);
    if (!found) {
      cached = null;
      return { index: EMPTY_INDEX, etag: null };
    }
    if (hasBody(found)) {
      cached = { index: parseRecord(SkillIndex, key, await found.text()), etag: found.etag };
      cache?.set(key, cached);
    }
    return cached!;
  }

  async function swap(seen: SeenIndex, skills: SkillIndex["skills"]): Promise<SwapOutcome> {
    const next: SkillIndex = { v: 1, seq: seen.index.seq + 1, skills: sortByName(keepUse(skills, seen.index)) };
    return swapObject(bucket, key, JSON.stringify(next), seen.etag);
  }

  async function bringUp(head: SkillHead, fresh: () => Promise<SkillHead | null>, backoff: Backoff): Promise<boolean> {
    for (let newest: SkillHead | null = head; newest; newest = await fresh()) {
      const seen = await read();
      const line = lineOf(seen.index, newest.name);
      if (line && line.seq >= newest.seq) return true;
      const swapped = await swap(seen, { ...seen.index.skills, [newest.name]: toIndexLine(newest) });
      if (swapped.outcome === "won") return true;
      if (!(await backoff.wait())) return false;
    }
    return true;
  }

  async function noteUse(use: Record<SkillName, SkillUse>, backoff: Backoff): Promise<boolean> {
    do {
      const seen = await read();
      const skills = { ...seen.index.skills };
      for (const [name, line] of Object.entries(skills)) {
        const known = Object.hasOwn(use, name) ? use[name] : undefined;
        if (known && JSON.stringify(known) !== JSON.stringify(line.use)) skills[name] = { ...line, use: known };
      }
      if (Object.entries(skills).every(([name, line]) => line === lineOf(seen.index, name))) return true;
      if ((await swap(seen, skills)).outcome === "won") return true;
    } while (await backoff.wait());
    return false;
  }

  return { read, swap, bringUp, noteUse };
}

/** A line built from its head has no use counts; they are carried over. */
function keepUse(skills: SkillIndex["skills"], before: SkillIndex): SkillIndex["skills"] {
  const entries = Object.entries(skills).map(([name, line]) => {
    const use = line.use ?? lineOf(before, name)?.use;
    return [name, use && !line.use ? { ...line, use } : line] as const;
  });
  return Object.fromEntries(entries);
}

export function withoutLine(index: SkillIndex, name: SkillName): SkillIndex {
  const { [name]: _own, ...skills } = index.skills;
  return { ...index, skills };
}

function sortByName(skills: Record<string, IndexLine>): Record<string, IndexLine> {
  return Object.fromEntries(Object.entries(skills).sort(([a], [b]) => (a < b ? -1 : 1)));
}
