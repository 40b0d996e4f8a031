// What the page Learning calls what the API names by codes.
import type { StateWord, Tone } from "../components/badge.tsx";
import type { Answer } from "../data/api.ts";
import type { IconName } from "../components/icon.tsx";

export type JourneyEvent = Answer<"GET /v1/learning/journey">["events"][number];
export type ReviewLine = Answer<"GET /v1/reviews">["reviews"][number];
export type PendingChange = Answer<"GET /v1/pending">["pending"][number];

export const TRIGGERS: Record<NonNullable<ReviewLine["trigger"]>, string> = {
  model_calls: "After ten calls of tools",
  value: "A turn worth learning from",
  similar_turns: "The same work came again",
  skill_wrong: "A skill was wrong",
  cheaper: "A turn needed fewer calls",
  correction: "You corrected an answer",
  rating: "You rated a turn",
  memory_turns: "After ten turns",
  memory_full: "Memory was full",
  refine: "You asked for it",
};

export const REVIEW_STATES: Record<ReviewLine["state"], StateWord> = {
  waiting: { name: "Under way", tone: "accent" },
  done: { name: "Done", tone: "good" },
  superseded: { name: "Overtaken by a later one", tone: "plain" },
  dead: { name: "Given up", tone: "bad" },
};

export const WAIT_REASONS: Record<PendingChange["reason"], StateWord> = {
  approval: { name: "You asked to approve", tone: "accent" },
  scan: { name: "Looks like a hidden instruction", tone: "bad" },
  taint: { name: "Only a file or a page said it", tone: "warn" },
};

export const ORIGINS: Record<PendingChange["origin"], string> = {
  user: "a person",
  foreground: "the agent, in a conversation",
  review: "a review",
  curator: "the curator",
  bundled: "Talaria",
  hub: "an import",
};

export const DECISIONS: Record<PendingChange["state"], StateWord> = {
  waiting: { name: "Waiting", tone: "accent" },
  approved: { name: "Approved", tone: "good" },
  rejected: { name: "Rejected", tone: "bad" },
  stale: { name: "Too late: the text had changed", tone: "warn" },
};

export const BY: Record<NonNullable<JourneyEvent["by"]>, string> = {
  person: "by a person",
  agent: "by the agent",
  review: "by a review",
  curator: "by the curator",
  evidence: "by the evidence",
  experiment: "by an experiment",
};

export const KINDS: Record<JourneyEvent["kind"], { verb: string; icon: IconName; tone: Tone }> = {
  learned: { verb: "Learned", icon: "spark", tone: "good" },
  written: { verb: "Written", icon: "edit", tone: "plain" },
  changed: { verb: "Improved", icon: "spark", tone: "good" },
  edited: { verb: "Edited", icon: "edit", tone: "plain" },
  corrected: { verb: "Corrected", icon: "warning", tone: "warn" },
  restored: { verb: "Restored", icon: "undo", tone: "plain" },
  withdrawn: { verb: "Withdrawn", icon: "undo", tone: "bad" },
  merged: { verb: "Merged", icon: "branch", tone: "accent" },
  purged: { verb: "Purged", icon: "trash", tone: "bad" },
  proved: { verb: "Proven", icon: "check", tone: "good" },
  doubted: { verb: "On trial again", icon: "warning", tone: "warn" },
  aged: { verb: "Offered last", icon: "clock", tone: "warn" },
  archived: { verb: "Archived", icon: "archive", tone: "plain" },
  rolled_back: { verb: "Rolled back", icon: "undo", tone: "warn" },
  fact_added: { verb: "Remembered", icon: "memory", tone: "good" },
  fact_removed: { verb: "Forgotten", icon: "memory", tone: "plain" },
  fact_purged: { verb: "Purged", icon: "trash", tone: "bad" },
  reviewed: { verb: "Reviewed", icon: "search", tone: "accent" },
  abandoned: { verb: "Review given up", icon: "warning", tone: "bad" },
  curated: { verb: "Curated", icon: "tool", tone: "accent" },
  took_back: { verb: "Curation rolled back", icon: "undo", tone: "warn" },
  approved: { verb: "Approved", icon: "check", tone: "good" },
  rejected: { verb: "Rejected", icon: "close", tone: "bad" },
  stale: { verb: "Too late", icon: "warning", tone: "warn" },
};
