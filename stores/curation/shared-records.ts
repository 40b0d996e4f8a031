// The records of a profile that runs and a person change together: its policy, the notes of its last run, its allowance. Used by
// the curation store. Every change is a compare-and-swap.
import type * as z from "zod";
import type { Bucket } from "../../core/ports.ts";
import type { CurationId, Day, ProfileId } from "../../core/schemas/ids.ts";
import { CurationAllowance, CuratorNotes, NO_NOTES, Policy } from "../../core/schemas/learning/curation.ts";
import { keyOf } from "../keys.ts";
import { readRecord, swapObject } from "../objects.ts";

// Few retries suffice: the lease keeps two runs of one profile apart, and a person rarely changes the policy twice in a second.
const SWAP_ATTEMPTS = 5;

const NO_POLICY = Policy.parse({ v: 1 });

export async function readPolicy(bucket: Bucket, profile: ProfileId): Promise<Policy> {
  const stored = await readRecord(bucket, Policy, keyOf("policy", { profile }));
  return stored?.value ?? NO_POLICY;
}

export function changePolicy(bucket: Bucket, profile: ProfileId, next: (policy: Policy) => Policy): Promise<Policy> {
  return changeRecord(bucket, { key: keyOf("policy", { profile }), schema: Policy, absent: NO_POLICY }, next);
}

export async function readNotes(bucket: Bucket, profile: ProfileId): Promise<CuratorNotes> {
  return (await readRecord(bucket, CuratorNotes, keyOf("curatorNotes", { profile })))?.value ?? NO_NOTES;
}

export function changeNotes(
  bucket: Bucket,
  profile: ProfileId,
  next: (notes: CuratorNotes) => CuratorNotes,
): Promise<CuratorNotes> {
  const record = { key: keyOf("curatorNotes", { profile }), schema: CuratorNotes, absent: NO_NOTES };
  return changeRecord(bucket, record, (notes) => {
    const changed = next(notes);
    // An ETag depends on the body alone. A value that was changed and changed back must get a new one, so that a
    // concurrent writer notices.
    return JSON.stringify(changed) === JSON.stringify(notes) ? notes : { ...changed, seq: notes.seq + 1 };
  });
}

export async function takeAllowance(
  bucket: Bucket,
  profile: ProfileId,
  day: Day,
  run: CurationId,
): Promise<CurationAllowance | null> {
  const key = keyOf("curationAllowance", { profile });
  const stored = await readRecord(bucket, CurationAllowance, key);
  if (!stored || stored.value.day !== day) return null;
  const { usedBy } = stored.value;
  if (usedBy !== null) return usedBy === run ? stored.value : null;
  const taken = { ...stored.value, usedBy: run };
  const { outcome } = await swapObject(bucket, key, JSON.stringify(taken), stored.etag);
  return outcome === "won" ? taken : null;
}

/** Reads, changes and swaps until no other writer was faster. An unchanged value is not written. */
async function changeRecord<T>(
  bucket: Bucket,
  { key, schema, absent }: { key: string; schema: z.ZodType<T>; absent: T },
  next: (value: T) => T,
): Promise<T> {
  let last = "";
  for (let attempt = 0; attempt < SWAP_ATTEMPTS; attempt++) {
    const stored = await readRecord(bucket, schema, key);
    const value = schema.parse(next(stored?.value ?? absent));
    const body = JSON.stringify(value);
    if (body === stored?.body) return value;
    const swapped = await swapObject(bucket, key, body, stored?.etag ?? null);
    if (swapped.outcome === "won") return value;
    last = swapped.outcome === "unknown" ? swapped.message : "another writer came first";
  }
  throw new Error(`The object ${key} could not be changed: ${last}`);
}
