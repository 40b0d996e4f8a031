// The Bucket port in memory, with the behaviour of R2 that fakes often omit: ETags computed from the body, short pages, 429 for a
// second write of a key within a second, and responses lost after the write. Passes test/conformance/bucket.ts.
import type { Bucket, Clock, StoredBody, StoredObject } from "../../../core/ports.ts";
import { byteLength } from "../../../core/schemas/learning/digest.ts";
import { toBytes } from "../../../core/schemas/file-body.ts";
import { createSeededRandom } from "../seeded-random.ts";

/** Every fault can be switched while the bucket is in use. */
export interface BucketFaults {
  /** 429 for a second write of a key within a second. */
  isRateLimited?: boolean;
  /** One in this many puts writes and then throws. */
  loseAnswerOneIn?: number;
  /** One in this many puts throws and writes nothing. */
  failOneIn?: number;
  /** Maximum page size. Half of it if metadata is requested. */
  pageSize?: number;
  seed?: number;
}

export interface MemoryBucket extends Bucket {
  faults: BucketFaults;
  keys(): string[];
  /** Called after each write and each delete. Whatever a killed process did, the bucket is as one of these moments left it. */
  onChange?: (() => void) | undefined;
  /** A bucket with the same contents, without faults. Later writes to one do not show in the other. */
  copy(clock: Pick<Clock, "now">): MemoryBucket;
}

interface StoredEntry extends StoredObject {
  body: Uint8Array;
}

const MAX_KEY_BYTES = 1_024;
const MAX_METADATA_BYTES = 8_192;

export function createMemoryBucket(
  options: { clock?: Pick<Clock, "now">; faults?: BucketFaults; contents?: Iterable<[string, StoredEntry]> } = {},
): MemoryBucket {
  const { clock = Date, faults = {}, contents } = options;
  const random = createSeededRandom(faults.seed ?? 1);
  const objects = new Map<string, StoredEntry>(contents);
  const writtenAt = new Map<string, number>();
  let sortedKeys: string[] | null = null;

  function inOrder(): string[] {
    return (sortedKeys ??= [...objects.keys()].sort());
  }

  /** Index of the first key that is not less than `from`. */
  function findInsertIndex(from: string): number {
    const keys = inOrder();
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keys[middle]! < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Lets calls overlap in any order, as over a network. */
  async function travel(): Promise<void> {
    for (let hops = 1 + Math.floor(random() * 4); hops > 0; hops--) await Promise.resolve();
  }

  function limitRate(key: string): void {
    if (!faults.isRateLimited) return;
    const last = writtenAt.get(key);
    if (last !== undefined && clock.now() - last < 1_000) {
      throw new Error("put: Reduce your concurrent request rate for the same object. (10058)");
    }
    writtenAt.set(key, clock.now());
  }

  async function put(
    key: string,
    content: string | Uint8Array,
    { ifMatch, ifAbsent, customMetadata }: Parameters<Bucket["put"]>[2] = {},
  ): Promise<StoredObject | null> {
    await travel();
    if (byteLength(key) > MAX_KEY_BYTES) throw new Error("put: The specified object name is not valid. (10020)");
    const metadataBytes = byteLength(
      Object.entries(customMetadata ?? {})
        .flat()
        .join(""),
    );
    if (metadataBytes > MAX_METADATA_BYTES) throw new Error("put: Your metadata headers exceed the limit. (10012)");
    if (isOneIn(faults.failOneIn)) throw new Error("put: We encountered an internal error. Please try again. (10001)");
    limitRate(key);
    const there = objects.get(key);
    if ((ifAbsent && there) || (ifMatch !== undefined && there?.etag !== ifMatch)) return null;
    const body = toBytes(content);
    const etag = hashBody(body);
    const stored: StoredEntry = {
      key,
      etag,
      uploaded: new Date(clock.now()),
      customMetadata: { ...customMetadata },
      body,
    };
    if (!there) sortedKeys?.splice(findInsertIndex(key), 0, key);
    objects.set(key, stored);
    bucket.onChange?.();
    await travel();
    if (isOneIn(faults.loseAnswerOneIn)) throw new Error("put: Network connection lost.");
    return toObject(stored);
  }

  async function list(options: Parameters<Bucket["list"]>[0]) {
    await travel();
    const { prefix, delimiter, metadata = false } = options;
    const most = Math.min(options.limit ?? 1_000, faults.pageSize ?? 1_000, 1_000);
    const limit = metadata ? Math.max(1, Math.ceil(most / 2)) : most;
    const after = options.cursor ?? options.startAfter ?? "";
    const page: { objects: StoredObject[]; delimitedPrefixes: string[] } = { objects: [], delimitedPrefixes: [] };
    let last = "";
    const keys = inOrder();
    for (let at = findInsertIndex(after > prefix ? after : prefix); at < keys.length; at++) {
      const key = keys[at]!;
      if (!key.startsWith(prefix)) break;
      const folder = delimiter ? findFolder(key, prefix, delimiter) : null;
      if (key <= after || (folder !== null && after.startsWith(folder))) continue;
      if (folder !== null && page.delimitedPrefixes.at(-1) === folder) {
        last = key;
        continue;
      }
      if (page.objects.length + page.delimitedPrefixes.length === limit) {
        return { ...page, truncated: true, cursor: last };
      }
      if (folder === null) page.objects.push(toObject(objects.get(key)!, metadata));
      else page.delimitedPrefixes.push(folder);
      last = key;
    }
    return { ...page, truncated: false };
  }

  function isOneIn(n: number | undefined): boolean {
    return n !== undefined && random() < 1 / n;
  }

  const bucket: MemoryBucket = {
    faults,
    keys: () => [...inOrder()],
    copy: (of) => createMemoryBucket({ clock: of, contents: objects }),
    async get(key) {
      await travel();
      const stored = objects.get(key);
      return stored ? toBody(stored) : null;
    },
    async getUnless(key, unless) {
      await travel();
      const stored = objects.get(key);
      if (!stored) return null;
      return stored.etag === unless ? toObject(stored) : toBody(stored);
    },
    put,
    list,
    async delete(keys) {
      await travel();
      for (const key of [keys].flat()) objects.delete(key);
      sortedKeys = null;
      bucket.onChange?.();
    },
  };
  return bucket;
}

/** Depends only on the body, as in R2. FNV-1a twice, because tests write libraries of ten thousand skills and a real hash is slow. */
function hashBody(body: Uint8Array): string {
  let [a, b] = [0x811c9dc5, 0x1234abcd ^ body.length];
  for (const byte of body) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x01000193);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

function toObject({ key, etag, uploaded, customMetadata }: StoredEntry, metadata = true): StoredObject {
  return { key, etag, uploaded, customMetadata: metadata ? { ...customMetadata } : undefined };
}

function toBody(stored: StoredEntry): StoredBody {
  return {
    ...toObject(stored),
    text: async () => new TextDecoder().decode(stored.body),
    arrayBuffer: async () => new Uint8Array(stored.body).buffer,
  };
}

function findFolder(key: string, prefix: string, delimiter: string): string | null {
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? null : key.slice(0, end + delimiter.length);
}
