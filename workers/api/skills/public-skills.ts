// The public skills of a profile and their archives. An archive is packed once, when its skill is published or first requested
// with a new text. Used by the well-known routes to read, and by the routes that publish, archive and restore.
import type { SkillStore } from "../../../core/ports.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { FileBody } from "../../../core/schemas/file-body.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { IndexLine, SkillHead } from "../../../core/schemas/skill.ts";
import { isShared } from "../../../core/library/offer.ts";
import { pack } from "../../../core/skills/exchange/archive.ts";
import { type PublicArchives, createPublicArchives } from "../../../stores/skills/public-archives.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import type { Env } from "../env.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { openSkills } from "../stores.ts";
import { type PresentSkill, presentSkill, readSkillFile } from "./present-skill.ts";

export interface PublicScope {
  profile: ProfileId;
  store: SkillStore;
  archives: PublicArchives;
}

export function openPublic(env: Env, profile: ProfileId): PublicScope {
  const archives = createPublicArchives({ bucket: toBucket(env.SKILLS), profile });
  return { profile, store: openSkills(env, profile), archives };
}

export type PublicSkill = PresentSkill;

/** Null for a skill that is not public. */
export function toPublicSkill(head: SkillHead | null): PublicSkill | null {
  return head && isPublic(head) ? presentSkill(head) : null;
}

export function isPublic(skill: Pick<IndexLine, "public" | "state">): boolean {
  return skill.public === true && skill.state !== "archived" && skill.state !== "pending";
}

export function isJustText({ files }: PublicSkill): boolean {
  return Object.keys(files).length === 1;
}

/** The archive and its SHA-256; null when the skill changed meanwhile and a file of it was purged. */
export async function packOnce(
  place: PublicScope,
  skill: PublicSkill,
): Promise<{ zip: Uint8Array<ArrayBuffer>; digest: string } | null> {
  const { archives, store } = place;
  const packed = await archives.get(skill.name, skill.text);
  if (packed) return { zip: packed, digest: sha256Hex(packed) };
  const bodies: [string, FileBody][] = [];
  for (const path of Object.keys(skill.files)) {
    const body = await readSkillFile(store, skill, path);
    if (body === null) return null;
    bodies.push([path, body]);
  }
  const zip = pack("zip", Object.fromEntries(bodies));
  const digest = await archives.put(skill.name, skill.text, zip);
  // A skill that was withdrawn or purged while it was packed must not leave an archive.
  await archives.drop(skill.name, toPublicSkill(await store.head(skill.name))?.text);
  return { zip, digest };
}

/** Called after a person's decision on a skill: a public skill gets an archive, any other loses its archives. */
export async function followPublication(env: Env, profile: ProfileId, head: SkillHead): Promise<void> {
  const place = openPublic(env, profile);
  const shown = toPublicSkill(head);
  if (shown && !isJustText(shown)) await packOnce(place, shown);
  else await place.archives.drop(head.name);
}

/** Before a person's decision on a shared skill, so that a crash in it is noticed, and after it. No call for any other skill. */
export async function tellFollowers(env: Env, profile: ProfileId, skill: SkillHead | null, afterMs = 0): Promise<void> {
  if (skill && isShared(skill)) {
    await askDesk(openAccount(env, profile).libraryDesk(), (desk) => desk.planTelling(afterMs));
  }
}

/** By then the decision is stored, or its request has failed. */
export const DECIDED_AFTER_MS = 60_000;
