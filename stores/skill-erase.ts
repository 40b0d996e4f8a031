// Takes a whole skill away for good, on a person's order: a tombstone with its name and numbers first, then every object of
// it. Called by the skill store. A crash anywhere leaves a tombstone; the same order, sent again, goes on from there.
import { type Result, err, ok } from "../core/errors.ts";
import type { SkillName } from "../core/schemas/ids.ts";
import { DeletedSkill, readDeletedSkill } from "./deleted.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { deleteAll, listObjects } from "./objects.ts";
import { GRACE_MS } from "./purge-lease.ts";
import { type SkillIndexObject, lineOf, withoutLine } from "./skill-index.ts";
import { type PurgeContext, blobsOf, deleteUnnamed, findOrphans, findPastBlobs } from "./skill-purge.ts";

export interface EraseContext extends PurgeContext {
  index: SkillIndexObject;
}

/** `known`: there was something to erase. */
export async function eraseSkill(context: EraseContext, name: SkillName): Promise<Result<{ known: boolean }>> {
  const { backoff } = context;
  if (!(await hasAny(context, name))) return ok({ known: false });
  do {
    if (await tryErase(context, name)) return ok({ known: true });
  } while (await backoff.wait());
  return err("busy", `The skill \`${name}\` could not be deleted in time: send the same request again in a minute.`);
}

/** What late writes left of a deleted skill. A skill that a person has made since has higher numbers, and is left alone. */
export async function eraseLateWrites(context: EraseContext, name: SkillName): Promise<Result<{ known: boolean }>> {
  const { bucket, profile, heads } = context;
  const tombstone = await readDeletedSkill(bucket, profile, name);
  if (!tombstone) return ok({ known: false });
  const head = await heads.current(name);
  if (!head || head.rev <= tombstone.rev) return eraseSkill(context, name);
  await deleteRevisions(context, name, tombstone.rev);
  return ok({ known: false });
}

/** The whole erasure once; false when something was lost and all is to be looked at again. */
async function tryErase(context: EraseContext, name: SkillName): Promise<boolean> {
  const { bucket, profile, heads, leases, clock } = context;
  const [head, before] = [await heads.current(name), await readDeletedSkill(bucket, profile, name)];
  const past = await findPastBlobs(context, name);
  const blobs = new Set([...(head ? blobsOf(head) : []), ...past, ...(await findOrphans(context))]);
  const taken = await leases.take([...blobs], null);
  if (!taken) return false;
  const tombstone: DeletedSkill = {
    ...{ v: 1, skill: name, at: clock.now() },
    rev: Math.max(head?.rev ?? 0, before?.rev ?? 0),
    seq: Math.max(head?.seq ?? 0, before?.seq ?? 0),
  };
  await bucket.put(keyOf("deletedSkill", { profile, name }), JSON.stringify(DeletedSkill.parse(tombstone)));
  // A writer that saw no tombstone has swapped by then, or looks again.
  await clock.sleep(GRACE_MS);
  await bucket.delete(keyOf("head", { profile, name }));
  await deleteRevisions(context, name, Infinity);
  await deleteAll(bucket, [
    ...(await keysUnder(context, prefixOf("evidence", { profile, name }))),
    ...(await keysUnder(context, prefixOf("publicArchive", { profile, name }))),
    keyOf("stats", { profile, name }),
    keyOf("curationCheck", { profile, name }),
  ]);
  if (!(await dropLine(context, name))) return false;
  const deleted = await deleteUnnamed(context, [...blobs], taken);
  if (deleted) await leases.release(taken);
  return deleted !== null;
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
