// Purges one past revision: a tombstone in its place, and deletion of the contents that nothing else of the profile names.
// Called by the skill store on a person's order. A crash leaves a tombstone that records what remains to be done.
import { type Result, err, ok } from "../../core/errors.ts";
import type { Bucket, Clock, SkillPurged } from "../../core/ports.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import {
  PastRevision,
  SkillHead,
  type SkillTombstone,
  isPurged,
  mayName,
  findNamedBlobs,
  groupByRef,
} from "../../core/schemas/skill.ts";
import type { Backoff } from "../backoff.ts";
import type { BlobCache } from "./caches/blob-cache.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { deleteAll, listObjects, readRecord } from "../objects.ts";
import { GRACE_MS, type PurgeLeases, type SeenLease } from "./purge-lease.ts";
import type { SkillHeads } from "./skill-heads.ts";
import type { FoundRevision, SkillRevisions } from "./skill-revisions.ts";

export interface PurgeContext {
  bucket: Bucket;
  profile: ProfileId;
  heads: SkillHeads;
  revisions: SkillRevisions;
  leases: PurgeLeases;
  cache: BlobCache;
  clock: Clock;
  backoff: Backoff;
}

export async function purgeRevision(context: PurgeContext, name: SkillName, rev: number): Promise<Result<SkillPurged>> {
  const { heads, revisions, backoff } = context;
  const head = await heads.current(name);
  if (!head) return err("skill_not_found", `This profile has no skill \`${name}\`, so there is nothing to purge.`);
  if (rev === head.rev) {
    return err("revision_current", `Revision ${rev} of \`${name}\` is the present one: restore another first.`);
  }
  const memory: PurgeMemory = { held: null, purged: null };
  do {
    const found = rev < head.rev ? await revisions.readPast(name, rev) : null;
    if (!found) return err("revision_not_found", `The skill \`${name}\` has no revision ${rev}.`);
    const tombstone = await tryPurge(context, found, memory);
    if (tombstone) return ok({ tombstone, ...(memory.purged ?? { deleted: [], kept: [] }) });
  } while (await backoff.wait());
  return err("busy", `Revision ${rev} of \`${name}\` could not be purged in time: try again in a minute.`);
}

/** State that later attempts need from earlier ones. */
interface PurgeMemory {
  held: SeenLease | null;
  purged: Omit<SkillPurged, "tombstone"> | null;
}

/** One attempt at the whole purge, from lease to end; null when something was lost and everything must be checked again. */
async function tryPurge(
  context: PurgeContext,
  found: FoundRevision,
  memory: PurgeMemory,
): Promise<SkillTombstone | null> {
  const tombstone = isFinished(found) ? found.value : await purgeUnderLease(context, found, memory);
  if (tombstone && memory.held) await context.leases.release(memory.held);
  return tombstone;
}

/** Takes the lease, writes the tombstone, deletes the contents, and records in the tombstone that nothing is left to do. */
async function purgeUnderLease(
  context: PurgeContext,
  found: FoundRevision,
  memory: PurgeMemory,
): Promise<SkillTombstone | null> {
  const blobs = blobsOf(found.value);
  const orphans = (await findOrphans(context)).filter((sha256) => !blobs.includes(sha256));
  const taken = await context.leases.take([...blobs, ...orphans], memory.held);
  if (!taken) return null;
  memory.held = taken;
  if (!(await writeTombstone(context, found, blobs))) return null;
  const unnamed = await deleteUnnamed(context, [...blobs, ...orphans], taken, [archiveOf(context, found.value)]);
  memory.purged = unnamed && {
    deleted: unnamed.deleted.filter((sha256) => blobs.includes(sha256)),
    kept: unnamed.kept.filter(({ sha256 }) => blobs.includes(sha256)),
  };
  return memory.purged && completeTombstone(context, found.value);
}

function isFinished(found: FoundRevision): found is FoundRevision & { value: SkillTombstone } {
  return isPurged(found.value) && found.value.blobs === undefined;
}

export function blobsOf(revision: PastRevision | SkillHead): Sha256[] {
  if (isTombstone(revision)) return revision.blobs ?? [];
  return [...new Set(Object.values(revision.files).map((file) => file.sha256))];
}

function isTombstone(revision: PastRevision | SkillHead): revision is SkillTombstone {
  return isPurged(revision as PastRevision);
}

/** From here on the revision cannot be read, whether or not its contents are deleted yet. False when that is uncertain. */
async function writeTombstone(
  { revisions, clock }: PurgeContext,
  found: FoundRevision,
  blobs: Sha256[],
): Promise<boolean> {
  if (isPurged(found.value)) return true;
  const { v, name, rev, text } = found.value;
  const swapped = await revisions.putTombstone(found, { v, name, rev, text, purgedAt: clock.now(), blobs });
  return swapped.outcome === "won";
}

async function completeTombstone(
  { revisions }: PurgeContext,
  { name, rev }: PastRevision,
): Promise<SkillTombstone | null> {
  const found = await revisions.readPast(name, rev);
  if (!found || !isPurged(found.value)) return null;
  const { blobs: _done, ...tombstone } = found.value;
  return (await revisions.putTombstone(found, tombstone)).outcome === "won" ? tombstone : null;
}

/**
 * Contents that no head and no revision names, left by a write that lost its swap and was then refused. A writer still in
 * progress reads the lease and puts them again.
 */
export async function findOrphans(context: BlobFolder): Promise<Sha256[]> {
  const { profile } = context;
  const blobs = await listBlobs(context);
  const byBeginning = groupByRef(blobs);
  for (const kind of ["head", "revision"] as const) {
    if (blobs.size === 0) break;
    for await (const sha256 of namedUnder(context, kind, prefixOf(kind, { profile }), byBeginning))
      blobs.delete(sha256);
  }
  return [...blobs];
}

/** Contents named by any revision of the skill, whether or not it has a head. */
export async function findPastBlobs(context: BlobFolder, name: SkillName): Promise<Set<Sha256>> {
  const { profile } = context;
  const byBeginning = groupByRef(await listBlobs(context));
  const found = new Set<Sha256>();
  for await (const sha256 of namedUnder(context, "revision", prefixOf("revision", { profile, name }), byBeginning)) {
    found.add(sha256);
  }
  return found;
}

type BlobFolder = Pick<PurgeContext, "bucket" | "profile">;

async function listBlobs({ bucket, profile }: BlobFolder): Promise<Set<Sha256>> {
  const blobs = new Set<Sha256>();
  for await (const { key } of listObjects(bucket, prefixOf("blob", { profile }))) {
    blobs.add(slotsOf("blob", key)!.sha256);
  }
  return blobs;
}

/** The first characters of the hashes nearly always decide without a read; a collision yields one name too many. */
async function* namedUnder(
  { bucket }: BlobFolder,
  kind: "head" | "revision",
  prefix: string,
  byBeginning: Map<string, Sha256[]>,
): AsyncGenerator<Sha256> {
  for await (const { key, customMetadata } of listObjects(bucket, prefix, { metadata: true })) {
    const refs = customMetadata?.refs;
    if (refs !== undefined) {
      yield* findNamedBlobs(refs, byBeginning);
      continue;
    }
    const schema = kind === "head" ? SkillHead : PastRevision;
    const record = (await readRecord<SkillHead | PastRevision>(bucket, schema, key))?.value;
    for (const { sha256 } of Object.values(record?.files ?? {})) yield sha256;
  }
}

/** The archive in which the revision was published. */
function archiveOf({ profile }: PurgeContext, { name, text }: PastRevision): string {
  return keyOf("publicArchive", { profile, name, text });
}

/** `also`: other keys to delete with them. Null when the lease ran out or a call failed; starting over loses nothing. */
export async function deleteUnnamed(context: PurgeContext, blobs: Sha256[], held: SeenLease, also: string[] = []) {
  const { bucket, profile, leases, cache, clock } = context;
  // Writers that checked before the lease was taken have swapped their heads by now, or never will.
  await clock.sleep(GRACE_MS);
  const kept = await findHolders(context, blobs);
  const named = new Set(kept.map(({ sha256 }) => sha256));
  const deleted = blobs.filter((sha256) => !named.has(sha256));
  if (!leases.mayDelete(held)) return null;
  try {
    const blobKeys = deleted.map((sha256) => keyOf("blob", { profile, sha256 }));
    await deleteAll(bucket, [...blobKeys, ...also]);
  } catch {
    // The bucket failed. Deletes that went through are final; the next attempt does the rest.
    return null;
  }
  for (const sha256 of deleted) cache.drop(profile, sha256);
  return { deleted, kept };
}

/**
 * One place that names each blob. Heads are read first: a head that is replaced meanwhile becomes a revision before that, and
 * revisions are read afterwards.
 */
async function findHolders(
  { bucket, profile, revisions }: PurgeContext,
  blobs: Sha256[],
): Promise<SkillPurged["kept"]> {
  const left = new Set(blobs);
  const kept: SkillPurged["kept"] = [];
  const note = (record: SkillHead | PastRevision | undefined): void => {
    for (const { sha256 } of Object.values(record?.files ?? {})) {
      if (left.delete(sha256)) kept.push({ sha256, name: record!.name, rev: record!.rev });
    }
  };
  for await (const { key, customMetadata } of listObjects(bucket, prefixOf("head", { profile }), { metadata: true })) {
    if (mayName(customMetadata?.refs, left)) note((await readRecord(bucket, SkillHead, key))?.value);
    if (left.size === 0) return kept;
  }
  for await (const { key, customMetadata } of listObjects(bucket, prefixOf("revision", { profile }), {
    metadata: true,
  })) {
    if (!mayName(customMetadata?.refs, left)) continue;
    const { name, rev } = slotsOf("revision", key)!;
    note((await revisions.readPast(name, Number(rev)))?.value);
    if (left.size === 0) return kept;
  }
  return kept;
}
