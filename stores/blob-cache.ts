// Contents of blobs that were read or are often read again, up to a number of bytes, oldest use first to go. One an isolate,
// made where things are wired, or one a store. A blob never changes; that it is still there is not told by this.
import type { FileBody } from "../core/schemas/file-body.ts";
import type { ProfileId, Sha256 } from "../core/schemas/ids.ts";

export interface BlobCache {
  get(profile: ProfileId, sha256: Sha256): FileBody | undefined;
  put(profile: ProfileId, sha256: Sha256, body: FileBody): void;
  drop(profile: ProfileId, sha256: Sha256): void;
}

/** A sixteenth of an isolate's 128 MB. */
const MAX_BYTES = 8 << 20;

/** Whoever gets bytes must not change them: they are the cache's own. */
export function createBlobCache(maxBytes = MAX_BYTES): BlobCache {
  // A map keeps the order of insertion, so the first key is the one that was used longest ago.
  const bodies = new Map<string, FileBody>();
  let heldBytes = 0;

  function remove(key: string): void {
    const body = bodies.get(key);
    if (body === undefined) return;
    bodies.delete(key);
    heldBytes -= bytesOf(body);
  }

  return {
    get(profile, sha256) {
      const key = `${profile}/${sha256}`;
      const body = bodies.get(key);
      if (body === undefined) return undefined;
      bodies.delete(key);
      bodies.set(key, body);
      return body;
    },
    put(profile, sha256, body) {
      const key = `${profile}/${sha256}`;
      remove(key);
      if (bytesOf(body) > maxBytes) return;
      bodies.set(key, body);
      heldBytes += bytesOf(body);
      for (const oldest of bodies.keys()) {
        if (heldBytes <= maxBytes) return;
        remove(oldest);
      }
    },
    drop: (profile, sha256) => remove(`${profile}/${sha256}`),
  };
}

/** A string takes two bytes a character at most. */
function bytesOf(body: FileBody): number {
  return typeof body === "string" ? 2 * body.length : body.length;
}
