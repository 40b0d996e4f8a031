// Caches parsed skill indexes by key and ETag: parsing ten thousand lines takes longer than reading them, and each new session
// would parse them again. Used by skill stores that share one. An ETag is the MD5 of the body, so a cached index is used only
// while the bucket confirms its ETag.
import { LRUCache } from "lru-cache";
import type { SkillIndex } from "../../../core/schemas/skill.ts";

export interface KnownIndex {
  index: SkillIndex;
  etag: string;
}

export type IndexCache = LRUCache<string, KnownIndex>;

/** A line takes about a kilobyte, including the words kept for choosing a prompt's index. */
const MAX_LINES = 30_000;

export function createIndexCache(maxLines = MAX_LINES): IndexCache {
  return new LRUCache({ maxSize: maxLines, sizeCalculation: countLines });
}

/** At least 1: LRUCache refuses a size of 0. */
function countLines({ index }: KnownIndex): number {
  return Math.max(1, Object.keys(index.skills).length);
}
