// The operations that every store uses on a bucket: read and parse, create once, swap, list to the end. Knows no keys and no
// record types. Tolerates a 429 or a lost response where reading again shows what was written.
import { MAX_CONNECTIONS, mapLimit } from "../core/map-limit.ts";
import type * as z from "zod";
import { DeletedError, StateNewerError, messageOf, assertKnownVersion } from "../core/errors.ts";
import type { Bucket, StoredBody, StoredObject } from "../core/ports.ts";
import { type FileBody, toFileBody } from "../core/schemas/file-body.ts";

/** Throws on a record that does not parse: stored data is damaged. */
export function parseRecord<T>(schema: z.ZodType<T>, key: string, body: string): T {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    throw new Error(`The record ${key} is not JSON.`);
  }
  return checkRecord(schema, key, raw);
}

export function checkRecord<T>(schema: z.ZodType<T>, key: string, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  assertKnownVersion(`The record ${key}`, raw, parsed.error);
  const issue = parsed.error.issues[0];
  throw new Error(`The record ${key} does not parse: ${issue?.path.join(".") || "value"}: ${issue?.message}`);
}

export async function readRecord<T>(
  bucket: Bucket,
  schema: z.ZodType<T>,
  key: string,
): Promise<{ value: T; etag: string; body: string } | null> {
  const found = await bucket.get(key);
  if (!found) return null;
  const body = await found.text();
  return { value: parseRecord(schema, key, body), etag: found.etag, body };
}

/** Whether a conditional get returned a body, because the object has changed. */
export function hasBody(found: StoredBody | StoredObject): found is StoredBody {
  return "text" in found;
}

/**
 * A create-only put that tolerates a 429 or a lost response: what is stored afterwards decides. `won`: the stored body is the
 * given one. Rethrows the error of the put when nothing is stored.
 */
export async function createOnce(
  bucket: Bucket,
  key: string,
  body: string,
  customMetadata?: Record<string, string>,
): Promise<{ body: string; won: boolean }> {
  let thrown: unknown;
  try {
    if (await bucket.put(key, body, { ifAbsent: true, customMetadata })) return { body, won: true };
  } catch (error) {
    if (error instanceof DeletedError) throw error;
    thrown = error;
  }
  const found = await bucket.get(key);
  if (!found) throw thrown ?? new Error(`The object ${key} vanished while it was being created.`);
  const stored = await found.text();
  return { body: stored, won: thrown !== undefined && stored === body };
}

export type SwapOutcome = { outcome: "won" } | { outcome: "lost" } | { outcome: "unknown"; message: string };

/** Compare-and-swap; `etag` null creates. After a throw the write may or may not have happened: read again. */
export async function swapObject(
  bucket: Bucket,
  key: string,
  body: string,
  etag: string | null,
  customMetadata?: Record<string, string>,
): Promise<SwapOutcome> {
  const condition = etag === null ? { ifAbsent: true } : { ifMatch: etag };
  try {
    return { outcome: (await bucket.put(key, body, { ...condition, customMetadata })) ? "won" : "lost" };
  } catch (error) {
    if (error instanceof DeletedError || error instanceof StateNewerError) throw error;
    return { outcome: "unknown", message: messageOf(error) };
  }
}

/** Every object under a prefix, in key order. Pages may be short; only `truncated` marks the end. */
export async function* listObjects(
  bucket: Bucket,
  prefix: string,
  options: { metadata?: boolean; startAfter?: string } = {},
): AsyncGenerator<StoredObject> {
  let cursor: string | undefined;
  do {
    const { startAfter, metadata } = options;
    const page = await bucket.list({ prefix, metadata, ...(cursor ? { cursor } : { startAfter }) });
    yield* page.objects;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}

/** The folders directly under a prefix that ends with a slash, in order. */
export async function* listFolders(bucket: Bucket, prefix: string): AsyncGenerator<string> {
  let cursor: string | undefined;
  let last = "";
  do {
    const page = await bucket.list({ prefix, delimiter: "/", cursor });
    for (const folder of page.delimitedPrefixes.toSorted()) {
      // Two pages may both list a folder that spans them.
      if (folder <= last) continue;
      last = folder;
      yield folder.slice(prefix.length, -1);
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}

/** The content of a blob. */
export async function readBody(object: StoredBody): Promise<FileBody> {
  return toFileBody(new Uint8Array(await object.arrayBuffer()));
}

/** Reads many objects. Few at a time, since each body waits in memory. */
export async function mapObjects<Key, Body>(
  keys: Key[],
  get: (key: Key) => Promise<StoredBody | null>,
  read: (object: StoredBody) => Promise<Body>,
): Promise<(Body | null)[]> {
  return mapLimit(keys, MAX_CONNECTIONS, async (key) => {
    const object = await get(key);
    return object && read(object);
  });
}

/** [cf] R2 deletes a thousand keys a call. */
export async function deleteAll(bucket: Bucket, keys: string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += 1_000) await bucket.delete(keys.slice(at, at + 1_000));
}
