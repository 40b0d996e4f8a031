// Keeps two runs of one profile apart, and stops a check that never ends from running again. Used by the curation store. Never
// deletes a lease: another run may have taken it over.
import * as z from "zod";
import type { Bucket } from "../../core/ports.ts";
import { CurationId, type ProfileId, Sha256, type SkillName } from "../../core/schemas/ids.ts";
import { WorkId } from "../../core/schemas/learning/curation.ts";
import { keyOf } from "../keys.ts";
import { readRecord, swapObject } from "../objects.ts";

/** `curation/lease`: `until` in milliseconds since 1970. An expired lease is ignored. */
const Lease = z.object({ v: z.literal(1), run: CurationId, work: WorkId.optional(), until: z.int().min(0) });
type Lease = z.infer<typeof Lease>;

/** `checking/<name>`: a check run of a text that has started. One that never ended means its Worker was stopped by it. */
const Checking = z.object({ v: z.literal(1), text: Sha256, at: z.int() });

/** A run of a profile; `work`: one piece of its work for a model. */
export interface LeaseHolder {
  profile: ProfileId;
  run: CurationId;
  work?: WorkId | undefined;
}

/** Takes or renews the lease until `until`. False while another run, or another piece of work of this run, holds it. */
export async function takeLease(
  bucket: Bucket,
  { profile, run, work }: LeaseHolder,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const key = keyOf("curationLease", { profile });
  const held = await readRecord(bucket, Lease, key);
  // A lease that the run holds for itself passes to the first piece of its work that asks.
  const isOurs = held?.value.run === run && (held.value.work ?? work) === work;
  if (held && !isOurs && held.value.until > now) return false;
  const body = JSON.stringify({ v: 1, run, work, until } satisfies Lease);
  const swapped = await swapObject(bucket, key, body, held?.etag ?? null);
  if (swapped.outcome === "won") return true;
  // The swap was lost or its result is unknown; the lease that is stored now decides.
  const after = await readRecord(bucket, Lease, key);
  return after?.body === body;
}

export async function releaseLease(bucket: Bucket, { profile, run, work }: LeaseHolder): Promise<void> {
  const key = keyOf("curationLease", { profile });
  const held = await readRecord(bucket, Lease, key);
  if (held?.value.run !== run || held.value.work !== work) return;
  // Not a delete: deletes are unconditional and would end the lease of a run that has taken it over. If this swap fails,
  // the lease expires.
  await swapObject(bucket, key, JSON.stringify({ v: 1, run, work, until: 0 } satisfies Lease), held.etag);
}

/** False when checks of the same text started at or after `since` and never ended. */
export async function beginCheck(
  bucket: Bucket,
  { profile, skill }: { profile: ProfileId; skill: SkillName },
  { text, now: at, since }: { text: Sha256; now: number; since: number },
): Promise<boolean> {
  const key = keyOf("curationCheck", { profile, name: skill });
  const begun = await readRecord(bucket, Checking, key);
  if (begun?.value.text === text && begun.value.at >= since) return false;
  await bucket.put(key, JSON.stringify({ v: 1, text, at } satisfies z.infer<typeof Checking>));
  return true;
}
