// Indexes of skills that an isolate has parsed, by key and ETag: ten thousand lines take longer to parse than to read, and each
// new session would do it again. Used by the index object of skill stores that share one. An ETag is the MD5 of the body, so
// what is found here is what the bucket holds, or is asked for again.
import type { SkillIndex } from "../../core/schemas/skill.ts";
import { type RecentlyUsed, createRecentlyUsed } from "../recently-used.ts";

export interface KnownIndex {
  index: SkillIndex;
  etag: string;
}

export type IndexCache = RecentlyUsed<KnownIndex>;

/** A line takes about a kilobyte, with the words that a prompt's choice keeps of it. */
const MAX_LINES = 30_000;

export function createIndexCache(maxLines = MAX_LINES): IndexCache {
  return createRecentlyUsed({ maxWeight: maxLines, weigh: ({ index }) => Object.keys(index.skills).length });
}
