// Caches contents of blobs, least recently used first to go, up to a number of bytes. Shared by an isolate or owned by one
// store. A blob never changes, but a cached one may have been deleted from the bucket.
import { LRUCache } from "lru-cache";
import type { FileBody } from "../../../core/schemas/file-body.ts";
import type { ProfileId, Sha256 } from "../../../core/schemas/ids.ts";

export interface BlobCache {
  get(profile: ProfileId, sha256: Sha256): FileBody | undefined;
  put(profile: ProfileId, sha256: Sha256, body: FileBody): void;
  drop(profile: ProfileId, sha256: Sha256): void;
}

/** [own] A sixteenth of an isolate's 128 MB. */
const MAX_BYTES = 8 << 20;

/** Treat returned bytes as read-only: they are the cache's own. */
export function createBlobCache(maxBytes = MAX_BYTES): BlobCache {
  const bodies = new LRUCache<string, FileBody>({ maxSize: maxBytes, sizeCalculation: bytesOf });
  return {
    get: (profile, sha256) => bodies.get(`${profile}/${sha256}`),
    put: (profile, sha256, body) => void bodies.set(`${profile}/${sha256}`, body),
    drop: (profile, sha256) => void bodies.delete(`${profile}/${sha256}`),
  };
}

/** A string takes at most two bytes a character. At least 1: LRUCache refuses a size of 0. */
function bytesOf(body: FileBody): number {
  return Math.max(1, typeof body === "string" ? 2 * body.length : body.length);
}
