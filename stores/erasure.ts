// Deletes what a removed session or profile leaves in R2 and KV. Called by the profile's Account, immediately and again later,
// since a listing may be stale and a write may be in flight. Every call is repeatable and independent of the others.
import type { Bucket, KeyValue } from "../core/ports.ts";
import type { ProfileId, SessionId, SkillName } from "../core/schemas/ids.ts";
import { shardOf } from "../core/schemas/learning/digest.ts";
import { PendingChange } from "../core/schemas/approvals/pending.ts";
import { createEmailAddresses } from "./email-addresses.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { deleteAll, mapObjects, listFolders, listObjects, parseRecord } from "./objects.ts";

/** `more`: keys remain because the call reached its limit. */
export interface DeletedCount {
  deleted: number;
  more: boolean;
}

interface OfProfile {
  bucket: Bucket;
  profile: ProfileId;
}

/** From now on no store accepts a write for the profile. */
export async function markProfileGone({ bucket, profile }: OfProfile): Promise<void> {
  await bucket.put(keyOf("gone", { profile }), "");
}

export async function markSessionDeleted({ bucket, profile }: OfProfile, session: SessionId): Promise<void> {
  await bucket.put(keyOf("deletedSession", { profile, session }), "");
}

/** [own] Maximum number of changes deleted in one call. All waiting changes are included; the oldest decided ones expire. */
const MAX_PENDING = 2_500;

/** Deletes the session's reviews, its watermark, the evidence of its turns and its pending changes. */
export async function eraseSessionObjects({ bucket, profile }: OfProfile, session: SessionId): Promise<number> {
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, `${prefixOf("reviewJob", { profile })}${session}.`)) keys.push(key);
  for await (const { key } of listObjects(bucket, prefixOf("evidence", { profile }))) {
    const turn = (slotsOf("evidence", key) ?? slotsOf("evidenceAgain", key))?.turn;
    if (turn?.startsWith(`${session}-`)) keys.push(key);
  }
  keys.push(
    ...(await listPendingKeys({ bucket, profile }, (change, body) =>
      change ? change.session === session : body.includes(session),
    )),
  );
  for (const kind of ["reviewed", "busy"] as const) {
    const key = keyOf(kind, { profile, session });
    if (await bucket.get(key)) keys.push(key);
  }
  await deleteAll(bucket, keys);
  return keys.length;
}

/** Deletes pending and decided changes that name the skill. */
export async function erasePendingOfSkill(of: OfProfile, name: SkillName): Promise<number> {
  const keys = await listPendingKeys(of, (change, body) =>
    change ? change.seen?.skill === name || names(change.args, name) : body.includes(name),
  );
  await deleteAll(of.bucket, keys);
  return keys.length;
}

async function listPendingKeys(
  { bucket, profile }: OfProfile,
  isMeant: (change: PendingChange | null, body: string) => boolean,
): Promise<string[]> {
  const found: { key: string; at: number }[] = [];
  for await (const { key, uploaded } of listObjects(bucket, prefixOf("pending", { profile }))) {
    found.push({ key, at: uploaded.getTime() });
  }
  const newest = found.sort((a, b) => b.at - a.at).slice(0, MAX_PENDING);
  const keys = newest.map(({ key }) => key);
  const bodies = await mapObjects(
    keys,
    (key) => bucket.get(key),
    (object) => object.text(),
  );
  return keys.filter((key, at) => bodies[at] != null && isMeant(readChange(key, bodies[at]), bodies[at]));
}

/** `null` for a record that cannot be read, so that it does not block the others. */
function readChange(key: string, body: string): PendingChange | null {
  try {
    return parseRecord(PendingChange, key, body);
  } catch {
    return null; // written by a newer version, or damaged
  }
}

/** A call names its skill at the top level or in each operation. */
function names(value: unknown, name: SkillName): boolean {
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, item]) => (key === "name" && item === name) || names(item, name));
}

/** Deletes every object of the profile except the tombstone, and gives its e-mail addresses back. */
export async function eraseProfileObjects({ bucket, profile }: OfProfile): Promise<number> {
  await createEmailAddresses(bucket).releaseAll(profile);
  const gone = keyOf("gone", { profile });
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, gone.slice(0, -"GONE".length))) if (key !== gone) keys.push(key);
  const shard = shardOf(profile);
  for (const kind of ["due", "sweep"] as const) {
    for await (const day of listFolders(bucket, prefixOf(kind, {}))) {
      const marker = keyOf(kind, { day, shard, profile });
      if (await bucket.get(marker)) keys.push(marker);
    }
  }
  await deleteAll(bucket, keys);
  return keys.length;
}

/** Deletes at most `max` keys, since each is a call. */
export async function eraseProfileMemory(kv: KeyValue, profile: ProfileId, max: number): Promise<DeletedCount> {
  const prefix = prefixOf("memoryAdd", { profile });
  let deleted = 0;
  let cursor: string | undefined;
  do {
    const page = await kv.list({ prefix, cursor });
    for (const { name } of page.keys) {
      if (deleted === max) return { deleted, more: true };
      await kv.delete(name);
      deleted++;
    }
    cursor = page.list_complete ? undefined : page.cursor;
  } while (cursor !== undefined);
  return { deleted, more: false };
}
