// The index object of a profile: one line a skill, changed by compare-and-swap after each head. Used by the skill store
// alone. Never puts a line that is older than the one that is there.
import type { Bucket } from "../core/ports.ts";
import type { SkillName } from "../core/schemas/ids.ts";
import { type IndexLine, EMPTY_INDEX, type SkillHead, SkillIndex, toIndexLine } from "../core/schemas/skill.ts";
import type { Backoff } from "./backoff.ts";
import { keyOf } from "./keys.ts";
import { type Swapped, hasBody, parseRecord, swapObject } from "./objects.ts";

/** The index and the ETag it was read under; null when there is none yet. */
export interface SeenIndex {
  index: SkillIndex;
  etag: string | null;
}

export interface SkillIndexObject {
  /** One conditional GET; the body is read and parsed only when it has changed. */
  read(): Promise<SeenIndex>;
  /** Replaces the lines, if the index is still the one that was seen. */
  swap(seen: SeenIndex, skills: SkillIndex["skills"]): Promise<Swapped>;
  /** Makes the line of a skill at least as new as its head. False when the time ran out; a reader brings it up then. */
  bringUp(head: SkillHead, fresh: () => Promise<SkillHead | null>, backoff: Backoff): Promise<boolean>;
}

export function createSkillIndex({ bucket, profile }: { bucket: Bucket; profile: string }): SkillIndexObject {
  const key = keyOf("index", { profile });
  let cached: { index: SkillIndex; etag: string } | null = null;

  async function read(): Promise<SeenIndex> {
    const found = cached ? await bucket.getUnless(key, cached.etag) : await bucket.get(key);
    if (!found) {
      cached = null;
      return { index: EMPTY_INDEX, etag: null };
    }
    if (hasBody(found)) cached = { index: parseRecord(SkillIndex, key, await found.text()), etag: found.etag };
    return cached!;
  }

  async function swap(seen: SeenIndex, skills: SkillIndex["skills"]): Promise<Swapped> {
    const next: SkillIndex = { v: 1, seq: seen.index.seq + 1, skills: sortByName(skills) };
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

  return { read, swap, bringUp };
}

/** A skill may be called `constructor`. */
export function lineOf(index: SkillIndex, name: SkillName): IndexLine | undefined {
  return Object.hasOwn(index.skills, name) ? index.skills[name] : undefined;
}

export function withoutLine(index: SkillIndex, name: SkillName): SkillIndex {
  const { [name]: _own, ...skills } = index.skills;
  return { ...index, skills };
}

function sortByName(skills: Record<string, IndexLine>): Record<string, IndexLine> {
  return Object.fromEntries(Object.entries(skills).sort(([a], [b]) => (a < b ? -1 : 1)));
}
