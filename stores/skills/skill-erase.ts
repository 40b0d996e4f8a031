// Deletes a whole skill on a person's order: a tombstone with its name and numbers first, then every object of it. Called by
// the skill store. A crash leaves the tombstone, and the same order, sent again, continues.
import { type Result, err, ok } from "../../core/errors.ts";
import type { Sha256, SkillName } from "../../core/schemas/ids.ts";
import { type SkillHead, lineOf } from "../../core/schemas/skill.ts";
import { DeletedSkill, readDeletedSkill } from "../deleted.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { deleteAll, listObjects } from "../objects.ts";
import { GRACE_MS } from "./purge-lease.ts";
import { type SkillIndexObject, withoutLine } from "./skill-index.ts";
import { type PurgeContext, blobsOf, deleteUnnamed, findOrphans, findPastBlobs } from "./skill-purge.ts";

export interface EraseContext extends PurgeContext {
  index: SkillIndexObject;
}

/**
 * Writes the tombstone: from then on writers of the skill wait or are refused. `orderedAt` identifies the order, so repeating
 * it changes nothing. A skill that a person made after the order has higher numbers.
 */
export async function markSkillDeleted(
  context: EraseContext,
  name: SkillName,
  orderedAt: number,
): Promise<DeletedSkill> {
  const { bucket, profile, heads, clock } = context;
  const before = await readDeletedSkill(bucket, profile, name);
  if (before && before.at >= orderedAt) return before;
  return putTombstone(context, name, await heads.current(name), { before, at: clock.now() });
}

/**
 * `known`: there was something to erase. Also deletes what late writes left, but never a skill that a person has made since.
 */
export async function eraseSkill(
  context: EraseContext,
  name: SkillName,
  orderedAt: number,
): Promise<Result<{ known: boolean }>> {
  const { backoff } = context;
  const tombstone = await markSkillDeleted(context, name, orderedAt);
  let known = false;
  do {
    const done = await tryErase(context, name, tombstone);
    known ||= done.known;
    if (done.whole) return ok({ known });
  } while (await backoff.wait());
  return err("busy", `The skill \`${name}\` could not be deleted in time: send the same request again in a minute.`);
}

/** One attempt at the whole erasure. `whole` is false when a swap or delete was lost and everything must be checked again. */
async function tryErase(context: EraseContext, name: SkillName, tombstone: DeletedSkill) {
  const { heads, clock } = context;
  if (!(await hasAny(context, name))) return { known: false, whole: await eraseContents(context, []) };
  // By then a writer that saw no tombstone has either swapped or will check again.
  await clock.sleep(Math.max(0, tombstone.at + GRACE_MS - clock.now()));
  const head = await heads.current(name);
  if (head && head.createdAt > tombstone.at) {
    // A person has made the skill again since. Only the revisions from before the deletion go.
    await deleteRevisions(context, name, tombstone.rev);
    return { known: false, whole: await eraseContents(context, []) };
  }
  const blobs = await eraseObjects(context, name, { head, tombstone });
  return { known: true, whole: blobs !== null && (await eraseContents(context, blobs)) };
}

/** Deletes every object with the skill's name. Returns the contents they named; null when a swap of the index was lost. */
async function eraseObjects(
  context: EraseContext,
  name: SkillName,
  { head, tombstone }: { head: SkillHead | null; tombstone: DeletedSkill },
): Promise<Sha256[] | null> {
  const { bucket, profile } = context;
  const isAhead = head !== null && head.rev > tombstone.rev;
  if (isAhead) await putTombstone(context, name, head, { before: tombstone, at: tombstone.at });
  const blobs = [...(head ? blobsOf(head) : []), ...(await findPastBlobs(context, name))];
  await deleteAll(bucket, [
    ...(await keysUnder(context, prefixOf("evidence", { profile, name }))),
    ...(await keysUnder(context, prefixOf("publicArchive", { profile, name }))),
    keyOf("stats", { profile, name }),
    keyOf("curationCheck", { profile, name }),
  ]);
  if (!(await dropLine(context, name))) return null;
  await deleteRevisions(context, name, isAhead ? head.rev : tombstone.rev);
  // The head goes last of the named objects, so that a person who creates the name again finds nothing that is still
  // being deleted.
  await bucket.delete(keyOf("head", { profile, name }));
  return blobs;
}

/** Deletes these contents, and any that a late writer put, unless something names them. False when the lease was lost. */
async function eraseContents(context: EraseContext, blobs: Sha256[]): Promise<boolean> {
  const { leases } = context;
  const unnamed = [...new Set([...blobs, ...(await findOrphans(context))])];
  if (unnamed.length === 0) return true;
  const taken = await leases.take(unnamed, null);
  if (!taken) return false;
  const deleted = await deleteUnnamed(context, unnamed, taken);
  if (deleted) await leases.release(taken);
  return deleted !== null;
}

async function putTombstone(
  { bucket, profile }: EraseContext,
  name: SkillName,
  head: SkillHead | null,
  { before, at }: { before: DeletedSkill | null; at: number },
): Promise<DeletedSkill> {
  const tombstone = DeletedSkill.parse({
    v: 1,
    skill: name,
    at,
    rev: Math.max(head?.rev ?? 0, before?.rev ?? 0),
    seq: Math.max(head?.seq ?? 0, before?.seq ?? 0),
  });
  await bucket.put(keyOf("deletedSkill", { profile, name }), JSON.stringify(tombstone));
  return tombstone;
}

async function deleteRevisions(context: EraseContext, name: SkillName, upTo: number): Promise<void> {
  const keys = await keysUnder(context, prefixOf("revision", { profile: context.profile, name }));
  await deleteAll(
    context.bucket,
    keys.filter((key) => Number(slotsOf("revision", key)?.rev) <= upTo),
  );
}

async function dropLine({ index, backoff }: EraseContext, name: SkillName): Promise<boolean> {
  do {
    const seen = await index.read();
    if (!lineOf(seen.index, name)) return true;
    if ((await index.swap(seen, withoutLine(seen.index, name).skills)).outcome === "won") return true;
  } while (await backoff.wait());
  return false;
}

async function hasAny(context: EraseContext, name: SkillName): Promise<boolean> {
  const { bucket, profile, heads } = context;
  if (await heads.current(name)) return true;
  for (const kind of ["revision", "evidence"] as const) {
    const page = await bucket.list({ prefix: prefixOf(kind, { profile, name }), limit: 1 });
    if (page.objects.length > 0) return true;
  }
  return false;
}

async function keysUnder({ bucket }: EraseContext, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, prefix)) keys.push(key);
  return keys;
}
