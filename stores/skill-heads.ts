// Heads, revisions and blobs of one profile: the objects of a skill and how they are read and put. Used by the skill
// store, which decides what is put when.
import { messageOf } from "../core/errors.ts";
import type { Bucket, SkillSnapshot } from "../core/ports.ts";
import type { FileBodies, FileBody } from "../core/schemas/file-body.ts";
import type { ProfileId, Sha256, SkillName } from "../core/schemas/ids.ts";
import { HeadMirror, SkillHead, SkillRevision, toHeadMirror, toRevision } from "../core/schemas/skill.ts";
import { encodeOp, keyOf, prefixOf, slotsOf } from "./keys.ts";
import {
  checkRecord,
  createOnce,
  getAll,
  listObjects,
  readBody,
  parseRecord,
  readRecord,
  swapObject,
} from "./objects.ts";

export type SkillHeads = ReturnType<typeof createSkillHeads>;

export function createSkillHeads({ bucket, profile }: { bucket: Bucket; profile: ProfileId }) {
  function read(name: SkillName) {
    return readRecord(bucket, SkillHead, keyOf("head", { profile, name }));
  }

  async function current(name: SkillName): Promise<SkillHead | null> {
    return (await read(name))?.value ?? null;
  }

  /** Compare-and-swap with the mirror that the curator's scan reads; `etag` null creates. */
  function swap(head: SkillHead, etag: string | null) {
    const key = keyOf("head", { profile, name: head.name });
    return swapObject(bucket, key, JSON.stringify(head), etag, toHeadMirror(head));
  }

  /** Head and contents. `known` saves what an earlier attempt has read. */
  async function snapshot(head: SkillHead, known: Map<Sha256, FileBody>): Promise<SkillSnapshot> {
    const wanted = [...new Set(Object.values(head.files).map((file) => file.sha256))].filter((sha) => !known.has(sha));
    const bodies = await getAll(wanted, (sha256) => bucket.get(keyOf("blob", { profile, sha256 })), readBody);
    for (const [at, sha256] of wanted.entries()) {
      const body = bodies[at];
      if (body == null) throw new Error(`The blob ${sha256} of the skill ${head.name} is missing.`);
      known.set(sha256, body);
    }
    const files = Object.entries(head.files).map(([path, file]) => [path, known.get(file.sha256)!]);
    return { head, files: Object.fromEntries(files) };
  }

  /** The revision after `since`, or the present one, that an operation made; null when it has made none. */
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
   * What must be there before a head is swapped: its contents, and the head it replaces among the revisions. Returns
   * what went wrong, null for nothing.
   */
  async function prepare(options: {
    past: SkillHead | null;
    next: SkillHead;
    contents: FileBodies | undefined;
    /** Hashes that are known to be there; grows. */
    stored: Set<Sha256>;
  }): Promise<string | null> {
    const { past, next, contents = {}, stored } = options;
    for (const file of Object.values(past?.files ?? {})) stored.add(file.sha256);
    try {
      for (const [path, body] of Object.entries(contents)) {
        const { sha256 } = next.files[path]!;
        if (stored.has(sha256)) continue;
        await bucket.put(keyOf("blob", { profile, sha256 }), body, { ifAbsent: true });
        stored.add(sha256);
      }
      if (past && past.rev !== next.rev) {
        const key = keyOf("revision", { profile, name: past.name, rev: past.rev });
        await createOnce(bucket, key, JSON.stringify(toRevision(past)), { op: encodeOp(past.op) });
      }
      return null;
    } catch (error) {
      // A 429, or an answer that was lost: all of these are create-only, so the next attempt puts them again.
      return messageOf(error);
    }
  }

  async function revisions(name: SkillName): Promise<SkillRevision[]> {
    const head = await current(name);
    if (!head) return [];
    const keys: string[] = [];
    for await (const { key } of listObjects(bucket, prefixOf("revision", { profile, name }))) {
      // A crash before a swap leaves the present head among the past ones.
      if (Number(slotsOf("revision", key)?.rev) < head.rev) keys.unshift(key);
    }
    const bodies = await getAll(
      keys,
      (key) => bucket.get(key),
      (object) => object.text(),
    );
    const past = bodies.flatMap((body, at) => (body === null ? [] : [parseRecord(SkillRevision, keys[at]!, body)]));
    return [toRevision(head), ...past];
  }

  async function* scan(): AsyncGenerator<{ name: SkillName; mirror: HeadMirror }> {
    for await (const object of listObjects(bucket, prefixOf("head", { profile }), { metadata: true })) {
      const name = slotsOf("head", object.key)!.name;
      yield { name, mirror: checkRecord(HeadMirror, object.key, object.customMetadata) };
    }
  }

  return { read, current, swap, snapshot, revisionOf, prepare, revisions, scan };
}
