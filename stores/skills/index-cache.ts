// Caches parsed skill indexes by key and ETag: parsing ten thousand lines takes longer than reading them, and each new session
// would parse them again. Used by skill stores that share one. An ETag is the MD5 of the body, so a cached index is used only
// while the bucket confirms its ETag.
import type { SkillIndex } from "../../core/schemas/skill.ts";
import { type RecentlyUsed, createRecentlyUsed } from "../recently-used.ts";

export interface KnownIndex {
  index: SkillIndex;
  etag: string;
}

export type IndexCache = RecentlyUsed<KnownIndex>;

/** A line takes about a kilobyte, including the words kept for choosing a prompt's index. */
const MAX_LINES = 30_000;

export function createIndexCache(maxLines = MAX_LINES): IndexCache {
  return createRecentlyUsed({ maxWeight: maxLines, weigh: ({ index }) => Object.keys(index.skills).length });
}
