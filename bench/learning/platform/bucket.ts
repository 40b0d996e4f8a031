// The Bucket port in memory for runs of thousands of reviews. Unlike the tests' double it injects no faults and keeps its keys
// sorted, because listing would otherwise take most of the time. Passes test/conformance/bucket.ts.
import type { Bucket, Clock, StoredBody, StoredObject } from "../../../core/ports.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { toBytes } from "../../../core/schemas/file-body.ts";

export interface BenchBucket extends Bucket {
  /** Sorted. */
  keys(prefix: string): string[];
}

interface StoredEntry extends StoredObject {
  body: string | Uint8Array;
}

const PAGE = 1_000;

export function createBenchBucket(clock: Pick<Clock, "now">): BenchBucket {
  const objects = new Map<string, StoredEntry>();
  const order: string[] = [];

  function put(key: string, body: string | Uint8Array, customMetadata: Record<string, string>): StoredEntry {
    const etag = sha256Hex(typeof body === "string" ? body : toBytes(body)).slice(0, 32);
    const stored = { key, etag, uploaded: new Date(clock.now()), customMetadata: { ...customMetadata }, body };
    if (!objects.has(key)) order.splice(findInsertIndex(order, key), 0, key);
    objects.set(key, stored);
    return stored;
  }

  return {
    keys: (prefix) => keysWithPrefix(order, prefix),
    async get(key) {
      const stored = objects.get(key);
      return stored ? toBody(stored) : null;
    },
    async getUnless(key, unless) {
      const stored = objects.get(key);
      if (!stored) return null;
      return stored.etag === unless ? toObject(stored) : toBody(stored);
    },
    async put(key, body, { ifMatch, ifAbsent, customMetadata = {} } = {}) {
      const there = objects.get(key);
      if ((ifAbsent && there) || (ifMatch !== undefined && there?.etag !== ifMatch)) return null;
      return toObject(put(key, body, customMetadata));
    },
    async list({ prefix, delimiter, metadata = false, limit = PAGE, cursor, startAfter }) {
      const most = Math.min(limit, PAGE);
      const after = cursor ?? startAfter ?? "";
      const page: { objects: StoredObject[]; delimitedPrefixes: string[] } = { objects: [], delimitedPrefixes: [] };
      let last = "";
      for (let at = findInsertIndex(order, after > prefix ? after : prefix); at < order.length; at++) {
        const key = order[at]!;
        if (!key.startsWith(prefix)) break;
        if (key <= after) continue;
        const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
        const folder = end < 0 ? null : key.slice(0, end + delimiter!.length);
        if (folder !== null && (after.startsWith(folder) || page.delimitedPrefixes.at(-1) === folder)) {
          last = key;
          continue;
        }
        if (page.objects.length + page.delimitedPrefixes.length === most)
          return { ...page, truncated: true, cursor: last };
        if (folder === null) page.objects.push(toObject(objects.get(key)!, metadata));
        else page.delimitedPrefixes.push(folder);
        last = key;
      }
      return { ...page, truncated: false };
    },
    async delete(keys) {
      for (const key of [keys].flat()) {
        if (!objects.delete(key)) continue;
        order.splice(findInsertIndex(order, key), 1);
      }
    },
  };
}

/** The index of the first key that is not less than `key`. */
function findInsertIndex(order: readonly string[], key: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keysWithPrefix(order: readonly string[], prefix: string): string[] {
  const found: string[] = [];
  for (let at = findInsertIndex(order, prefix); at < order.length && order[at]!.startsWith(prefix); at++)
    found.push(order[at]!);
  return found;
}

function toObject({ key, etag, uploaded, customMetadata }: StoredEntry, metadata = true): StoredObject {
  return { key, etag, uploaded, customMetadata: metadata ? { ...customMetadata } : undefined };
}

function toBody(stored: StoredEntry): StoredBody {
  return {
    ...toObject(stored),
    text: async () => (typeof stored.body === "string" ? stored.body : new TextDecoder().decode(stored.body)),
    arrayBuffer: async () => new Uint8Array(toBytes(stored.body)).buffer,
  };
}
