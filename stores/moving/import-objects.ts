// The objects of a profile in R2 and KV on their way in: checks that a line is what its key says and names no other profile, and writes
// it. Objects that exist stay as they are. Called by workers/api, with a bucket that does not look for tombstones before each write.
import type * as z from "zod";
import { MEMORY_FATES, OBJECT_FATES } from "../../core/moving/stored.ts";
import { type Result, err, messageOf, ok } from "../../core/errors.ts";
import { FIXED } from "../../core/limits.ts";
import type { Bucket, Clock, KeyValue } from "../../core/ports.ts";
import { fromBase64 } from "../../core/schemas/base64.ts";
import { byteLength, sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { MemoryAdd, MemoryPurge, MemoryRemove } from "../../core/schemas/memory.ts";
import type { MemoryLine, ObjectLine } from "../../core/schemas/moving/lines.ts";
import { type UnknownObject, isObject } from "../../core/unknown-object.ts";
import { MEMORY_KEYS, OBJECT_KEYS, keyOf, slotsOf } from "../keys.ts";

type ObjectKind = keyof typeof OBJECT_KEYS;

/** Kinds whose record names its profile. */
const WITH_PROFILE: readonly ObjectKind[] = ["reviewJob", "curationPlan", "curationRun"];
/** Kinds that are not JSON. */
const RAW: readonly ObjectKind[] = ["blob", "curationReport", "active", "deletedSession"];
/** Of the keys that travel. */
const MEMORY_FORMS: Partial<Record<keyof typeof MEMORY_KEYS, z.ZodType>> = {
  memoryAdd: MemoryAdd,
  memoryRemove: MemoryRemove,
  memoryPurge: MemoryPurge,
};
/** [cf] Metadata of an object. */
const MAX_META_BYTES = 2_000;
/** [cf] One write a second for a key. */
const KEY_REST_MS = 1_100;

export interface PlacedObject {
  kind: ObjectKind;
  key: string;
  body: string | Uint8Array;
  meta: Record<string, string> | undefined;
}

/** `from`: the profile that the archive is of; `to`: the one that takes it. Failures: `archive_invalid`, `archive_foreign`. */
export function placeObject(line: ObjectLine, { from, to }: { from: ProfileId; to: ProfileId }): Result<PlacedObject> {
  const key = `p/${to}/${line.key}`;
  const kind = (Object.keys(OBJECT_KEYS) as ObjectKind[]).find((one) => isKeyOf(one, key));
  const shown = JSON.stringify(line.key.slice(0, 80));
  if (!kind || OBJECT_FATES[OBJECT_KEYS[kind]] !== "exported")
    return invalid(`${shown} is not the key of an object that travels.`);
  if (byteLength(JSON.stringify(line.meta ?? {})) > MAX_META_BYTES)
    return invalid(`The metadata of ${shown} is too large.`);
  const body = typeof line.body === "string" ? line.body : fromBase64(line.body.base64);
  if (kind === "blob" && slotsOf("blob", key)!.sha256 !== sha256Hex(body)) {
    return invalid(`The contents of ${shown} have another SHA-256.`);
  }
  if (RAW.includes(kind)) return ok({ kind, key, body, meta: line.meta });
  const record = parseObject(body);
  if (!record) return invalid(`The object ${shown} is not a JSON object.`);
  // Jobs do not travel, so nothing would ever take their skills out again.
  if (kind === "policy") return ok({ kind, key, body: JSON.stringify({ ...record, keepSkills: [] }), meta: line.meta });
  if (!WITH_PROFILE.includes(kind)) return ok({ kind, key, body, meta: line.meta });
  if (record.profile !== from)
    return err("archive_foreign", `The object ${shown} belongs to another profile than the archive.`);
  return ok({ kind, key, body: JSON.stringify({ ...record, profile: to }), meta: line.meta });
}

export async function putPlaced(bucket: Bucket, { key, body, meta }: PlacedObject): Promise<void> {
  try {
    await bucket.put(key, body, { ifAbsent: true, ...(meta && { customMetadata: meta }) });
  } catch (error) {
    // The answer may be lost after the write.
    if (!(await bucket.get(key))) throw error;
  }
}

/** Failure: `archive_invalid`. */
export function placeMemory(line: MemoryLine, to: ProfileId): Result<{ kind: keyof typeof MEMORY_KEYS; key: string }> {
  const key = `p/${to}/${line.key}`;
  const kind = (Object.keys(MEMORY_KEYS) as (keyof typeof MEMORY_KEYS)[]).find((one) => isKeyOf(one, key));
  const shown = JSON.stringify(line.key.slice(0, 80));
  if (!kind || MEMORY_FATES[MEMORY_KEYS[kind]] !== "exported") return invalid(`${shown} is not the key of a fact.`);
  const record = parseObject(line.value);
  if (!record || !MEMORY_FORMS[kind]?.safeParse(record).success) return invalid(`The value of ${shown} is not a fact.`);
  return ok({ kind, key });
}

/** As the memory store writes it: what fits is in the metadata too. */
export async function putMemory(kv: KeyValue, clock: Clock, key: string, value: string): Promise<void> {
  const options = byteLength(value) <= FIXED.kvMetadataBytes ? { metadata: JSON.parse(value) as unknown } : {};
  try {
    await kv.put(key, value, options);
  } catch (error) {
    if (!/\b429\b/.test(messageOf(error))) throw error;
    await clock.sleep(KEY_REST_MS);
    await kv.put(key, value, options);
  }
}

/** Whether the key has exactly the form that the stores write. Keys keep tenants apart, so nothing else is taken. */
function isKeyOf(kind: ObjectKind | keyof typeof MEMORY_KEYS, key: string): boolean {
  const slots = slotsOf(kind, key);
  if (!slots) return false;
  try {
    return keyOf(kind, slots as never) === key;
  } catch {
    return false; // a slot of another form
  }
}

function parseObject(body: string | Uint8Array): UnknownObject | null {
  if (typeof body !== "string") return null;
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function invalid(message: string) {
  return err("archive_invalid", message);
}
