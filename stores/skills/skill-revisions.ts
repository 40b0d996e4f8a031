// Reads and writes the revisions of one profile's skills: each head that was replaced, or the tombstone of a purged one. Used by
// the skill store. Create-only, except that a purge replaces a revision by its tombstone.
import type { Bucket, ListedRevision } from "../../core/ports.ts";
import type { ProfileId, SkillName } from "../../core/schemas/ids.ts";
import { PastRevision, type SkillHead, type SkillTombstone, toRefs, toRevision } from "../../core/schemas/skill.ts";
import { encodeOp, keyOf, prefixOf, slotsOf } from "../keys.ts";
import { type SwapOutcome, createOnce, mapObjects, listObjects, parseRecord, swapObject } from "../objects.ts";
import type { SkillHeads } from "./skill-heads.ts";

export type SkillRevisions = ReturnType<typeof createSkillRevisions>;

/** [own] Revisions of one page, each an object to read. */
const MAX_REVISIONS = 1_000;

/** A past revision as it is stored, with the ETag to swap it against. */
export interface FoundRevision {
  value: PastRevision;
  etag: string;
  customMetadata: Record<string, string> | undefined;
}

export function createSkillRevisions(options: { bucket: Bucket; profile: ProfileId; heads: SkillHeads }) {
  const { bucket, profile, heads } = options;

  async function get(name: SkillName, rev: number): Promise<PastRevision | null> {
    const head = await heads.current(name);
    if (!head || rev > head.rev) return null;
    return rev === head.rev ? toRevision(head) : ((await readPast(name, rev))?.value ?? null);
  }

  /** A replaced head is stored as a revision first, so every number below the head's exists. */
  async function list(name: SkillName, page: { before?: number | undefined; limit?: number } = {}) {
    const head = await heads.current(name);
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

  /** The revision after `since`, the present one included, that the operation made; null when there is none. */
  async function findByOp(head: SkillHead, op: string, since: number): Promise<number | null> {
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

  /** One listing of a thousand keys a request. */
  async function* listAll(): AsyncGenerator<ListedRevision> {
    const prefix = prefixOf("revision", { profile });
    for await (const { key, uploaded, customMetadata = {} } of listObjects(bucket, prefix, { metadata: true })) {
      const { name, rev } = slotsOf("revision", key)!;
      const { op = "", at, refs } = customMetadata;
      yield {
        ...{ name, rev: Number(rev), at: at === undefined ? null : Number(at), replacedAt: uploaded.getTime() },
        op: op.startsWith("~") ? op : decodeURIComponent(op),
        ...(refs !== undefined && { refs }),
      };
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

  /** Stores a head as a past revision. Call before the head is replaced. */
  async function putPast(head: SkillHead): Promise<void> {
    const key = keyOf("revision", { profile, name: head.name, rev: head.rev });
    const metadata = { op: encodeOp(head.op), at: String(head.revisedAt), ...toRefs(head.files) };
    await createOnce(bucket, key, JSON.stringify(toRevision(head)), metadata);
  }

  /** Replaces a revision by a tombstone. It keeps the operation id, so that the operation is not carried out twice. */
  function putTombstone(found: FoundRevision, tombstone: SkillTombstone): Promise<SwapOutcome> {
    const key = keyOf("revision", { profile, name: tombstone.name, rev: tombstone.rev });
    return swapObject(bucket, key, JSON.stringify(tombstone), found.etag, { ...found.customMetadata, refs: "" });
  }

  return { get, list, listAll, findByOp, readPast, putPast, putTombstone };
}
