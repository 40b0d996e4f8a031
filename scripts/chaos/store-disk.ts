// What a killed stack holds in R2 and KV, read from its files, so that no figure rests on what a restarted Worker says of
// itself. Called by reviews.ts while nothing runs. Works on copies and changes nothing.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTable } from "../stack/state-tables.ts";

export interface StoredThings {
  /** Bodies by key, of R2. */
  objects: Map<string, string>;
  /** Keys of KV. */
  keys: string[];
}

const BUCKET = "talaria-skills";

export function readStores(stateDir: string): StoredThings {
  const data = join(stateDir, "data", "v3");
  const blobs = join(data, "r2", BUCKET, "blobs");
  const objects = new Map<string, string>();
  const rows = readTable(join(data, "r2", "miniflare-R2BucketObject"), "_mf_objects", "key, blob_id");
  for (const { key, blob_id: blob } of rows) {
    const file = blob ? join(blobs, String(blob)) : null;
    // While something runs, one that was listed may be gone.
    if (file === null || existsSync(file)) objects.set(String(key), file ? readFileSync(file, "utf8") : "");
  }
  const entries = readTable(join(data, "kv", "miniflare-KVNamespaceObject"), "_mf_entries", "key");
  return { objects, keys: entries.map(({ key }) => String(key)) };
}

/** Sessions that still owe something to the review Worker: jobs of their outbox, by file. */
export function readOwed(stateDir: string): string[] {
  const folder = join(stateDir, "data", "v3", "do", "talaria-api-Session");
  return readTable(folder, "job", "id").map(({ id }) => String(id));
}
