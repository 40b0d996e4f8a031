// Tombstones of what a person deleted, and the guard against writes that arrive afterwards. Tombstones hold ids only.
// `guardWrites` is used where buckets are wired; the erasure itself writes through the unguarded bucket.
import * as z from "zod";
import { DeletedError } from "../core/errors.ts";
import type { Bucket } from "../core/ports.ts";
import { ProfileId, SkillName, fromTurnId } from "../core/schemas/ids.ts";
import { keyOf, slotsOf } from "./keys.ts";
import { readRecord } from "./objects.ts";

/** The tombstone of a skill. A new skill of the same name continues from these numbers, so that no old object matches it. */
export const DeletedSkill = z.object({
  v: z.literal(1),
  skill: SkillName,
  seq: z.int().min(0),
  rev: z.int().min(0),
  at: z.int(),
});
export type DeletedSkill = z.infer<typeof DeletedSkill>;

export async function isGone(bucket: Bucket, profile: ProfileId): Promise<boolean> {
  return (await bucket.get(keyOf("gone", { profile }))) !== null;
}

export async function readDeletedSkill(
  bucket: Bucket,
  profile: ProfileId,
  name: SkillName,
): Promise<DeletedSkill | null> {
  return (await readRecord(bucket, DeletedSkill, keyOf("deletedSkill", { profile, name })))?.value ?? null;
}

/**
 * A bucket whose puts check for tombstones first. The check and the put are two calls, so an erasure waits between its
 * tombstone and its deletes, and sweeps again later. Throws `DeletedError`.
 */
export function guardWrites(bucket: Bucket): Bucket {
  return {
    ...bucket,
    async put(key, body, options) {
      await assertWritable(bucket, key);
      return bucket.put(key, body, options);
    },
  };
}

async function assertWritable(bucket: Bucket, key: string): Promise<void> {
  const { profile, session, name, ended } = ownersOf(key);
  if (profile === undefined) return;
  const [gone, isPurged, isSessionDeleted, isSkillGone] = await Promise.all([
    isGone(bucket, profile),
    ended !== undefined && isEndedByPurge(bucket, ended),
    session !== undefined && bucket.get(keyOf("deletedSession", { profile, session })),
    name !== undefined && isSkillDeleted(bucket, profile, name),
  ]);
  if (gone) throw profileGone();
  if (isPurged)
    throw new DeletedError("purged", "A person purged a text that this work had read, so the work was stopped.");
  if (isSessionDeleted)
    throw new DeletedError(
      "session_not_found",
      "This session has been deleted, so nothing can be added. Create another one.",
    );
  if (isSkillGone) throw skillDeleted(name!);
}

/** Whether the script of an object was ended by a purge. If it continued, it would store the purged text again. */
async function isEndedByPurge(bucket: Bucket, key: string): Promise<boolean> {
  const found = await bucket.get(key);
  if (!found) return false;
  const ended = Ended.safeParse(JSON.parse(await found.text())).data;
  return ended?.code === "purged" || ended?.state === "cancelled";
}

const Ended = z.object({ code: z.string().optional(), state: z.string().optional() });

/** False when a skill of that name was made since the deletion. */
async function isSkillDeleted(bucket: Bucket, profile: ProfileId, name: SkillName): Promise<boolean> {
  if (!(await bucket.get(keyOf("deletedSkill", { profile, name })))) return false;
  return (await bucket.get(keyOf("head", { profile, name }))) === null;
}

export function profileGone(): DeletedError {
  return new DeletedError(
    "profile_gone",
    "This profile has been deleted, so nothing can be written to it. Ask the operator for a new one.",
  );
}

export function skillDeleted(name: SkillName): DeletedError {
  const message = `A person deleted the skill \`${name}\`, and only a person can create it again. Use another name.`;
  return new DeletedError("skill_deleted", message);
}

interface KeyOwners {
  profile?: ProfileId;
  session?: string;
  name?: SkillName;
  /** The key of the record that says the object's script has ended. */
  ended?: string;
}

const PROFILE_KEY = /^p\/([^/]+)\//;
const MARKER_KINDS = ["due", "sweep"] as const;
/** Heads are missing here: the skill store decides who may bring a name back. */
const KINDS_OF_SKILL = ["evidence", "evidenceAgain", "stats", "curationCheck"] as const;

/** The owners of the object under a key; empty for a key that belongs to no profile. */
function ownersOf(key: string): KeyOwners {
  for (const kind of MARKER_KINDS) {
    const marker = slotsOf(kind, key);
    if (marker) return { profile: marker.profile };
  }
  const { data: profile } = ProfileId.safeParse(PROFILE_KEY.exec(key)?.[1]);
  if (profile === undefined) return {};
  const [, , folder, second = ""] = key.split("/");
  const step = slotsOf("reviewStep", key) ?? slotsOf("reviewResult", key);
  const ended = step && keyOf("reviewDead", { profile, review: step.review });
  const work = slotsOf("curationStep", key);
  if (work) return { profile, ended: keyOf("curationWork", { profile, run: work.run, work: work.work }) };
  if (folder === "reviews" || folder === "reviewed" || folder === "busy")
    return { profile, session: second.split(".")[0], ...(ended && { ended }) };
  for (const kind of KINDS_OF_SKILL) {
    const slots: Record<string, string> | null = slotsOf(kind, key);
    if (!slots) continue;
    const session = slots.turn === undefined ? undefined : fromTurnId(slots.turn).session;
    return { profile, name: slots.name, ...(session !== undefined && { session }) };
  }
  return { profile };
}
