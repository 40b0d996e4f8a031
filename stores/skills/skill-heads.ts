// Reads and writes the heads of one profile's skills: the one object of a skill that changes. Used by the skill store, which
// decides what is written when.
import type { Bucket, SkillSnapshot } from "../../core/ports.ts";
import type { ProfileId, SkillName } from "../../core/schemas/ids.ts";
import { HeadMirror, SkillHead, toHeadMirror } from "../../core/schemas/skill.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { checkRecord, listObjects, readRecord, swapObject } from "../objects.ts";
import type { SkillBlobs } from "./skill-blobs.ts";

export type SkillHeads = ReturnType<typeof createSkillHeads>;

/** A head as it is stored, with the ETag to swap it against. */
export interface FoundHead {
  value: SkillHead;
  etag: string;
  body: string;
}

export function createSkillHeads(options: { bucket: Bucket; profile: ProfileId; blobs: SkillBlobs }) {
  const { bucket, profile, blobs } = options;

  function read(name: SkillName): Promise<FoundHead | null> {
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
    const hashes = [...new Set(Object.values(head.files).map((file) => file.sha256))];
    const bodies = await blobs.getMany(hashes);
    const missing = hashes.find((sha256) => !bodies.has(sha256));
    if (missing !== undefined) {
      if ((await current(head.name))?.seq !== head.seq) return null;
      throw new Error(`The blob ${missing} of the skill ${head.name} is missing.`);
    }
    const files = Object.entries(head.files).map(([path, file]) => [path, bodies.get(file.sha256)!]);
    return { head, files: Object.fromEntries(files) };
  }

  async function* scan(): AsyncGenerator<{ name: SkillName; mirror: HeadMirror }> {
    for await (const object of listObjects(bucket, prefixOf("head", { profile }), { metadata: true })) {
      const name = slotsOf("head", object.key)!.name;
      yield { name, mirror: checkRecord(HeadMirror, object.key, object.customMetadata) };
    }
  }

  return { read, current, swap, snapshot, scan };
}
