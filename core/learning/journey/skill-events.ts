// What the stored revisions and the head of a skill say of its past. Called by read-journey.ts. Pure.
import type { JourneyEvent } from "../../schemas/learning/journey.ts";
import { type PastRevision, type SkillHead, isPurged } from "../../schemas/skill.ts";
import { ROLLED_BACK } from "../curation/changes.ts";
import { readOp } from "./read-op.ts";

/** How a revision relates to those before it, as a listing shows them. */
export interface RevisionPlace {
  /** No earlier revision of the skill exists. */
  isFirst: boolean;
  /** An earlier revision, not the one before it, has the same files. */
  isBack: boolean;
}

/** `at`: when it was made. `head`: given for the present revision, whose reason it shows. */
export function toRevisionEvent(
  revision: PastRevision,
  at: number,
  place: RevisionPlace,
  head: SkillHead | null,
): JourneyEvent {
  const { name: skill, rev } = revision;
  const base = { at, about: "skill" as const, skill, rev };
  if (isPurged(revision)) return { ...base, kind: "purged", by: "person", why: "", citations: [] };
  const { work, by, ...op } = readOp(revision.op);
  const isPersons = by === "person" || (by === null && (revision.origin === "user" || revision.origin === "hub"));
  const isVerdict = by === "evidence" || by === "experiment" || work === "verdict";
  return {
    ...base,
    kind: kindOf({ isPersons, isVerdict, work, place }),
    by: by === "experiment" ? by : isVerdict ? "evidence" : isPersons ? "person" : by,
    why: head?.reason ?? "",
    citations: revision.citations,
    ...op,
  };
}

function kindOf(asked: {
  isPersons: boolean;
  isVerdict: boolean;
  work: ReturnType<typeof readOp>["work"];
  place: RevisionPlace;
}): JourneyEvent["kind"] {
  const { isPersons, isVerdict, work, place } = asked;
  if (work === "merge") return "merged";
  if (work === "undo") return "rolled_back";
  if (isVerdict) return place.isBack ? "withdrawn" : "corrected";
  if (place.isFirst) return isPersons ? "written" : "learned";
  if (place.isBack) return "restored";
  return isPersons ? "edited" : "changed";
}

const ABSORBED = /^absorbed into ([a-z0-9-]+)$/;

/**
 * The last change of the skill's state that made no revision; `null`: none, or the head does not say. `at`: the head's last change, because
 * heads do not record when their state changed.
 */
export function toStateEvent(head: SkillHead): JourneyEvent | null {
  const { name: skill, rev, state, reason, updatedAt: at, settled } = head;
  // A verdict that made the present revision is an event of that revision.
  const verdict = settled?.rev === rev && settled.to === state && settled.op !== head.op ? settled : null;
  const { turn, session, run, experiment } = verdict ? readOp(verdict.op) : {};
  const judge = experiment === undefined ? ("evidence" as const) : ("experiment" as const);
  const by = verdict ? judge : null;
  const base = {
    ...{ at, about: "skill" as const, skill, rev, why: reason ?? "", citations: [] },
    ...{ ...(turn && { turn }), ...(session && { session }), ...(run && { run }), ...(experiment && { experiment }) },
  };
  const into = ABSORBED.exec(reason ?? "")?.[1];
  if (into !== undefined && state === "archived") return { ...base, kind: "merged", by: "curator", into };
  if (state === "archived" || state === "stale") {
    if (verdict?.withdrew) return { ...base, kind: "withdrawn", by };
    const isPersons = reason === "Archived by a person.";
    return { ...base, kind: state === "stale" ? "aged" : "archived", by: by ?? (isPersons ? "person" : "curator") };
  }
  if (verdict && state === "active") return { ...base, kind: "proved", by };
  if (verdict && state === "trial") return { ...base, kind: "doubted", by };
  if (reason === "Restored by a person.") return { ...base, kind: "restored", by: "person" };
  if (reason === ROLLED_BACK) return { ...base, kind: "rolled_back", by: "curator" };
  return null;
}
