// What a deleted session or profile leaves in R2 and KV, taken away. Called by the profile's Account, now and again later,
// because a listing may be old and a write may still be under way. Each call may be repeated; none needs the others.
import type { Bucket, KeyValue } from "../core/ports.ts";
import type { ProfileId, SessionId, SkillName } from "../core/schemas/ids.ts";
import { shardOf } from "../core/schemas/learning/digest.ts";
import { PendingChange } from "../core/schemas/pending.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { deleteAll, getAll, listFolders, listObjects, parseRecord } from "./objects.ts";

/** `more`: something is left, because the call had no room for it. */
export interface Swept {
  deleted: number;
  more: boolean;
}

interface OfProfile {
  bucket: Bucket;
  profile: ProfileId;
}

/** From here on no store takes anything of the profile. */
export async function markProfileGone({ bucket, profile }: OfProfile): Promise<void> {
  await bucket.put(keyOf("gone", { profile }), "");
}

export async function markSessionDeleted({ bucket, profile }: OfProfile, session: SessionId): Promise<void> {
  await bucket.put(keyOf("deletedSession", { profile, session }), "");
}

/** Each is a call. What waits is among them; of what was decided the oldest expires by itself. */
const MAX_PENDING = 2_500;

/** Reviews of the session, how far they had come, evidence of its turns, and changes it waits for. */
export async function eraseSessionObjects({ bucket, profile }: OfProfile, session: SessionId): Promise<number> {
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, `${prefixOf("reviewJob", { profile })}${session}.`)) keys.push(key);
  for await (const { key } of listObjects(bucket, prefixOf("evidence", { profile }))) {
    const turn = (slotsOf("evidence", key) ?? slotsOf("evidenceAgain", key))?.turn;
    if (turn?.startsWith(`${session}-`)) keys.push(key);
  }
  keys.push(
    ...(await pendingOf({ bucket, profile }, (change, body) =>
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

/** Changes that wait for a person, or waited, and name the skill. */
export async function erasePendingOfSkill(of: OfProfile, name: SkillName): Promise<number> {
  const keys = await pendingOf(of, (change, body) =>
    change ? change.seen?.skill === name || names(change.args, name) : body.includes(name),
  );
  await deleteAll(of.bucket, keys);
  return keys.length;
}

async function pendingOf(
  { bucket, profile }: OfProfile,
  isMeant: (change: PendingChange | null, body: string) => boolean,
): Promise<string[]> {
  const found: { key: string; at: number }[] = [];
  for await (const { key, uploaded } of listObjects(bucket, prefixOf("pending", { profile }))) {
    found.push({ key, at: uploaded.getTime() });
  }
  const newest = found.sort((a, b) => b.at - a.at).slice(0, MAX_PENDING);
  const keys = newest.map(({ key }) => key);
  const bodies = await getAll(
    keys,
    (key) => bucket.get(key),
    (object) => object.text(),
  );
  return keys.filter((key, at) => bodies[at] != null && isMeant(readChange(key, bodies[at]), bodies[at]));
}

/** `null` for one that cannot be read: it must not keep the others. */
function readChange(key: string, body: string): PendingChange | null {
  try {
    return parseRecord(PendingChange, key, body);
  } catch {
    return null; // of a newer version, or broken
  }
}

/** A call names its skill, or each of its operations does. */
function names(value: unknown, name: SkillName): boolean {
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, item]) => (key === "name" && item === name) || names(item, name));
}

/** Everything of the profile but the mark that it is gone. */
export async function eraseProfileObjects({ bucket, profile }: OfProfile): Promise<number> {
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

/** At most `max` keys: each is a call. */
export async function eraseProfileMemory(kv: KeyValue, profile: ProfileId, max: number): Promise<Swept> {
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
