// Reads and writes the objects of a skill: heads, revisions and blobs of one profile. Used by the skill store, which decides
// what is written when.
import { messageOf } from "../../core/errors.ts";
import type { Bucket, SkillSnapshot } from "../../core/ports.ts";
import type { FileBodies, FileBody } from "../../core/schemas/file-body.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import {
  HeadMirror,
  PastRevision,
  SkillHead,
  type SkillTombstone,
  toHeadMirror,
  toRefs,
  toRevision,
} from "../../core/schemas/skill.ts";
import type { BlobCache } from "./blob-cache.ts";
import { encodeOp, keyOf, prefixOf, slotsOf } from "../keys.ts";
import {
  type SwapOutcome,
  checkRecord,
  createOnce,
  mapObjects,
  listObjects,
  readBody,
  parseRecord,
  readRecord,
  swapObject,
} from "../objects.ts";

export type SkillHeads = ReturnType<typeof createSkillHeads>;

/** [own] Revisions of one page, each an object to read. */
const MAX_REVISIONS = 1_000;

/** A revision's object, with the ETag to swap it against. */
export interface FoundRevision {
  value: PastRevision;
  etag: string;
  customMetadata: Record<string, string> | undefined;
}

export function createSkillHeads(options: { bucket: Bucket; profile: ProfileId; cache: BlobCache }) {
  const { bucket, profile, cache } = options;

  function read(name: SkillName) {
    return readRecord(bucket, SkillHead, keyOf("head", { profile, name }));
  }

  async function current(name: SkillName): Promise<SkillHead | null> {
    return (await read(name))?.value ?? null;
  }

  /** Compare-and-swap, with the metadata that the curator's scan reads; `etag` null creates. */
  function swap(head: SkillHead, etag: string | null) {
    const key = keyOf("head", { profile, name: head.name });
    return swapObject(bucket, key, JSON.stringify(head), etag, toHeadMirror(head));
  }

  /** Head and contents. Null when the head has changed meanwhile and a file of it was purged: read again. */
  async function snapshot(head: SkillHead): Promise<SkillSnapshot | null> {
    const wanted = [...new Set(Object.values(head.files).map((file) => file.sha256))];
    const bodies = new Map(wanted.map((sha256) => [sha256, cache.get(profile, sha256)]));
    const unread = wanted.filter((sha256) => bodies.get(sha256) === undefined);
    const read = await mapObjects(unread, (sha256) => bucket.get(keyOf("blob", { profile, sha256 })), readBody);
    for (const [at, sha256] of unread.entries()) {
      const body = read[at];
      if (body == null) {
        if ((await current(head.name))?.seq !== head.seq) return null;
        throw new Error(`The blob ${sha256} of the skill ${head.name} is missing.`);
      }
      cache.put(profile, sha256, body);
      bodies.set(sha256, body);
    }
    const files = Object.entries(head.files).map(([path, file]) => [path, bodies.get(file.sha256)!]);
    return { head, files: Object.fromEntries(files) };
  }

  async function blob(sha256: Sha256): Promise<FileBody | null> {
    const known = cache.get(profile, sha256);
    if (known !== undefined) return known;
    const found = await bucket.get(keyOf("blob", { profile, sha256 }));
    const body = found && (await readBody(found));
    if (body !== null) cache.put(profile, sha256, body);
    return body;
  }

  /** Create-only put of contents. Rethrows the error of the put when nothing is stored afterwards. */
  async function putBlob(sha256: Sha256, body: FileBody): Promise<void> {
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

  /** Runs six puts at a time, the number of a Worker's connections. No put is in flight when it returns or throws. */
  async function putBlobs(blobs: [Sha256, FileBody][], stored: Set<Sha256>): Promise<void> {
    const missing = blobs.filter(([sha256]) => !stored.has(sha256));
    for (let at = 0; at < missing.length; at += 6) {
      const puts = missing.slice(at, at + 6).map(async ([sha256, body]) => {
        await putBlob(sha256, body);
        stored.add(sha256);
      });
      const failed = (await Promise.allSettled(puts)).find((put) => put.status === "rejected");
      if (failed) throw failed.reason;
    }
  }

  /** The revision after `since`, the present one included, that the operation made; null when there is none. */
  async function revisionOf(head: SkillHead, op: string, since: number): Promise<number | null> {
    if (head.op === op) return head.rev;
    if (head.rev - 1 <= since) return null;
    const { name } = head;
    const prefix = prefixOf("revision", { profile, name });
    const startAfter = keyOf("revision", { profile, name, rev: since });
    for await (const { key, customMetadata } of listObjects(bucket, prefix, { metadata: true, startAfter })) {
      if (customMetadata?.op === encodeOp(op)) return Number(slotsOf("revision", key)?.rev);
    }
    return null;
  }

  /**
   * Stores everything that must exist before a head is swapped: its contents, and the present head as a revision. Returns an
   * error message, or null.
   */
  async function prepare(options: {
    past: SkillHead | null;
    next: SkillHead;
    contents: FileBodies;
    /** Hashes known to be stored; this call adds to it. */
    stored: Set<Sha256>;
  }): Promise<string | null> {
    const { past, next, contents, stored } = options;
    try {
      await putBlobs([...newBlobs(past, next, contents)], stored);
      if (past && past.rev !== next.rev) {
        const key = keyOf("revision", { profile, name: past.name, rev: past.rev });
        await createOnce(bucket, key, JSON.stringify(toRevision(past)), {
          op: encodeOp(past.op),
          ...toRefs(past.files),
        });
      }
      return null;
    } catch (error) {
      // All of these puts are create-only, so the next attempt repeats them safely.
      return messageOf(error);
    }
  }

  /** The object of a past revision, or null. */
  async function readPast(name: SkillName, rev: number): Promise<FoundRevision | null> {
    const key = keyOf("revision", { profile, name, rev });
    const found = await bucket.get(key);
    if (!found) return null;
    const { etag, customMetadata } = found;
    return { value: parseRecord(PastRevision, key, await found.text()), etag, customMetadata };
  }

  /** Replaces a revision by a tombstone. It keeps the operation id, so that the operation is not carried out twice. */
  function putTombstone(found: FoundRevision, tombstone: SkillTombstone): Promise<SwapOutcome> {
    const key = keyOf("revision", { profile, name: tombstone.name, rev: tombstone.rev });
    return swapObject(bucket, key, JSON.stringify(tombstone), found.etag, { ...found.customMetadata, refs: "" });
  }

  async function revision(name: SkillName, rev: number): Promise<PastRevision | null> {
    const head = await current(name);
    if (!head || rev > head.rev) return null;
    return rev === head.rev ? toRevision(head) : ((await readPast(name, rev))?.value ?? null);
  }

  /** A replaced head is stored as a revision first, so every number below the head's exists. */
  async function revisions(name: SkillName, page: { before?: number | undefined; limit?: number } = {}) {
    const head = await current(name);
    if (!head) return [];
    const newest = Math.min(head.rev, (page.before ?? Infinity) - 1);
    const wanted = Array.from(
      { length: Math.max(0, Math.min(page.limit ?? MAX_REVISIONS, newest)) },
      (_, i) => newest - i,
    );
    const keys = wanted.filter((rev) => rev < head.rev).map((rev) => keyOf("revision", { profile, name, rev }));
    const bodies = await mapObjects(
      keys,
      (key) => bucket.get(key),
      (object) => object.text(),
    );
    const past = bodies.flatMap((body, at) => (body === null ? [] : [parseRecord(PastRevision, keys[at]!, body)]));
    return wanted[0] === head.rev ? [toRevision(head), ...past] : past;
  }

  async function* scan(): AsyncGenerator<{ name: SkillName; mirror: HeadMirror }> {
    for await (const object of listObjects(bucket, prefixOf("head", { profile }), { metadata: true })) {
      const name = slotsOf("head", object.key)!.name;
      yield { name, mirror: checkRecord(HeadMirror, object.key, object.customMetadata) };
    }
  }

  return {
    read,
    current,
    swap,
    scan,
    snapshot,
    blob,
    putBlob,
    prepare,
    revisionOf,
    revision,
    revisions,
    readPast,
    putTombstone,
  };
}

/** Contents of a head that the previous head does not name. */
export function newBlobs(past: SkillHead | null, next: SkillHead, contents: FileBodies): Map<Sha256, FileBody> {
  const named = new Set(Object.values(past?.files ?? {}).map((file) => file.sha256));
  const fresh = Object.entries(contents).map(([path, body]) => [next.files[path]!.sha256, body] as const);
  return new Map(fresh.filter(([sha256]) => !named.has(sha256)));
}
