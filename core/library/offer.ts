// What a profile shares with its followers, and what becomes of a follower's copy when that changes. Pure.
import type { HubSeen } from "../schemas/hub/lock.ts";
import type { ProfileId, Sha256, SkillName } from "../schemas/ids.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { IndexLine, SkillHead, SkillIndex } from "../schemas/skill.ts";

type SharedFields = Pick<IndexLine, "shared" | "public" | "state" | "origin">;

/** Whether followers may read the skill. A bundled one is left out: every profile of the deployment has it. */
export function isShared({ shared, public: isPublic, state, origin }: SharedFields): boolean {
  const isOffered = state !== "archived" && state !== "pending" && origin !== "bundled";
  return isOffered && (shared === true || isPublic === true);
}

export function sharedLines(index: SkillIndex): [SkillName, IndexLine][] {
  return Object.entries(index.skills)
    .filter(([, line]) => isShared(line))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** A fingerprint of what is shared: it changes with each skill that comes, goes, or has another text. */
export function toOfferMark(index: SkillIndex): Sha256 {
  return sha256Hex(
    sharedLines(index)
      .map(([name, { text }]) => `${name} ${text}\n`)
      .join(""),
  );
}

/** `<profile>/<name>`; `null` for anything else. */
export function parseLibraryId(identifier: string): { publisher: ProfileId; name: SkillName } | null {
  const [, publisher, name] = /^([0-9a-hjkmnp-tv-z]{26})\/([a-z0-9-]{1,64})$/.exec(identifier) ?? [];
  return publisher !== undefined && name !== undefined ? { publisher, name } : null;
}

export function toLibraryId(publisher: ProfileId, name: SkillName): string {
  return `${publisher}/${name}`;
}

const WITHDRAWN = "Withdrawn by its publisher.";
const WITHDRAWN_AS_HARMFUL = "Withdrawn by its publisher: it did harm there.";
const OFFERED_AGAIN = "Its publisher offers it; the copy here is archived.";
const KEPT = "It was changed or pinned here, so it stays until you archive it.";
/** The two ends of following, as a copy's lock says them. */
export const PUBLISHER_GONE = "Its publisher was deleted. The copy stays.";
export const SHARING_ENDED =
  "Its publisher no longer shares with this profile, or is no longer followed. The copy stays.";

export interface CopyDecision {
  /** Why the copy is archived; `null`: it stays as it is. */
  archive: string | null;
  seen: { state: HubSeen; version?: string; detail?: string };
}

/**
 * `published`: the publisher's head of the skill, `null` for none. `own`: the follower's. The publisher's word is about the installed text, so it
 * archives a copy that still is that text and that no person holds by a pin.
 */
export function decideCopy(
  installed: Sha256,
  published: Pick<SkillHead, keyof SharedFields | "text" | "withdrawn" | "rev"> | null,
  own: Pick<SkillHead, "text" | "state" | "pinned">,
): CopyDecision {
  const didHarm = published?.withdrawn?.includes(installed) ?? false;
  if (published && isShared(published) && !didHarm) {
    if (published.text !== installed) return { archive: null, seen: { state: "update", version: published.text } };
    const detail = own.state === "archived" ? { detail: OFFERED_AGAIN } : {};
    return { archive: null, seen: { state: "current", ...detail } };
  }
  const why = didHarm ? WITHDRAWN_AS_HARMFUL : WITHDRAWN;
  if (own.state === "archived") return { archive: null, seen: { state: "gone", detail: why } };
  if (own.text !== installed || own.pinned) {
    return { archive: null, seen: { state: "gone", detail: `${why} ${KEPT}` } };
  }
  return { archive: why, seen: { state: "gone", detail: why } };
}
