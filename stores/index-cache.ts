// Indexes of skills that an isolate has parsed, by key and ETag: ten thousand lines take longer to parse than to read, and each
// new session would do it again. Used by the index object of skill stores that share one. An ETag is the MD5 of the body, so
// what is found here is what the bucket holds, or is asked for again.
import type { SkillIndex } from "../core/schemas/skill.ts";

export interface KnownIndex {
  index: SkillIndex;
  etag: string;
}

export interface IndexCache {
  get(key: string): KnownIndex | null;
  set(key: string, known: KnownIndex): void;
}

/** A line takes about a kilobyte, with the words that a prompt's choice keeps of it. */
const MAX_LINES = 30_000;

/** Least recently used first out. */
export function createIndexCache(maxLines = MAX_LINES): IndexCache {
  const kept = new Map<string, KnownIndex & { lines: number }>();
  let lines = 0;
  const drop = (key: string) => {
    lines -= kept.get(key)?.lines ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const known = kept.get(key);
      if (!known) return null;
      kept.delete(key);
      kept.set(key, known);
      return known;
    },
    set(key, { index, etag }) {
      drop(key);
      const count = Object.keys(index.skills).length;
      if (count > maxLines) return;
      kept.set(key, { index, etag, lines: count });
      lines += count;
      for (const oldest of kept.keys()) {
        if (lines <= maxLines) return;
        drop(oldest);
      }
    },
  };
}
