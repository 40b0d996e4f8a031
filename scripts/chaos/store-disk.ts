// The contents of R2 and KV after a kill, read from the stack's files: the figures must not depend on what a restarted Worker
// reports about itself. Called by reviews.ts while the stack is stopped. Reads copies and changes nothing.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTable } from "../stack/state-tables.ts";

export interface StoredThings {
  /** R2 object bodies, by key. */
  objects: Map<string, string>;
  /** KV keys. */
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
    // While the stack runs, a listed file may be deleted before it is read.
    if (file === null || existsSync(file)) objects.set(String(key), file ? readFileSync(file, "utf8") : "");
  }
  const entries = readTable(join(data, "kv", "miniflare-KVNamespaceObject"), "_mf_entries", "key");
  return { objects, keys: entries.map(({ key }) => String(key)) };
}

/** Outbox jobs for the review Worker that are not done yet, by the session's file. */
export function readOwed(stateDir: string): string[] {
  const folder = join(stateDir, "data", "v3", "do", "talaria-api-Session");
  return readTable(folder, "job", "id").map(({ id }) => String(id));
}
