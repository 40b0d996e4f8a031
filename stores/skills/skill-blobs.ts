// Reads and writes the contents of one profile's skills: blobs named by their SHA-256, in the bucket and in a cache. Used by the
// skill store. A blob never changes; only a purge or an erasure deletes one.
import { MAX_CONNECTIONS } from "../../core/map-limit.ts";
import type { Bucket } from "../../core/ports.ts";
import type { FileBodies, FileBody } from "../../core/schemas/file-body.ts";
import type { ProfileId, Sha256 } from "../../core/schemas/ids.ts";
import type { SkillHead } from "../../core/schemas/skill.ts";
import { keyOf } from "../keys.ts";
import { mapObjects, readBody } from "../objects.ts";
import type { BlobCache } from "./caches/blob-cache.ts";

export type SkillBlobs = ReturnType<typeof createSkillBlobs>;

export function createSkillBlobs(options: { bucket: Bucket; profile: ProfileId; cache: BlobCache }) {
  const { bucket, profile, cache } = options;

  async function get(sha256: Sha256): Promise<FileBody | null> {
    const known = cache.get(profile, sha256);
    if (known !== undefined) return known;
    const found = await bucket.get(keyOf("blob", { profile, sha256 }));
    const body = found && (await readBody(found));
    if (body !== null) cache.put(profile, sha256, body);
    return body;
  }

  /** Leaves out those that are missing. */
  async function getMany(hashes: Sha256[]): Promise<Map<Sha256, FileBody>> {
    const bodies = new Map<Sha256, FileBody>();
    for (const sha256 of hashes) {
      const known = cache.get(profile, sha256);
      if (known !== undefined) bodies.set(sha256, known);
    }
    const unread = hashes.filter((sha256) => !bodies.has(sha256));
    const read = await mapObjects(unread, (sha256) => bucket.get(keyOf("blob", { profile, sha256 })), readBody);
    for (const [at, sha256] of unread.entries()) {
      const body = read[at];
      if (body == null) continue;
      cache.put(profile, sha256, body);
      bodies.set(sha256, body);
    }
    return bodies;
  }

  /** Create-only put of contents. Rethrows the error of the put when nothing is stored afterwards. */
  async function put(sha256: Sha256, body: FileBody): Promise<void> {
    const key = keyOf("blob", { profile, sha256 });
    try {
      await bucket.put(key, body, { ifAbsent: true });
    } catch (error) {
      // A 429 or a lost response.
      const { objects } = await bucket.list({ prefix: key, limit: 1 });
      if (objects[0]?.key !== key) throw error;
    }
    cache.put(profile, sha256, body);
  }

  /** Puts the blobs that are not in `stored`, and adds them to it. When it returns or throws, no put is in flight. */
  async function putMany(blobs: Iterable<[Sha256, FileBody]>, stored: Set<Sha256>): Promise<void> {
    const missing = [...blobs].filter(([sha256]) => !stored.has(sha256));
    for (let at = 0; at < missing.length; at += MAX_CONNECTIONS) {
      const puts = missing.slice(at, at + MAX_CONNECTIONS).map(async ([sha256, body]) => {
        await put(sha256, body);
        stored.add(sha256);
      });
      const failed = (await Promise.allSettled(puts)).find((put) => put.status === "rejected");
      if (failed) throw failed.reason;
    }
  }

  return { get, getMany, put, putMany };
}

/** Contents of a head that the previous head does not name. */
export function newBlobs(past: SkillHead | null, next: SkillHead, contents: FileBodies): Map<Sha256, FileBody> {
  const named = new Set(Object.values(past?.files ?? {}).map((file) => file.sha256));
  const fresh = Object.entries(contents).map(([path, body]) => [next.files[path]!.sha256, body] as const);
  return new Map(fresh.filter(([sha256]) => !named.has(sha256)));
}
