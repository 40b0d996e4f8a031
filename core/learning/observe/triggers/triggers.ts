// Decides when a session's work is worth a review, and why. The session calls decideReview after each turn, with the counters of
// review-counters.ts. Ratings, late corrections and `/refine` have separate functions. Pure. Rate limits are applied elsewhere.
import { headOf } from "../../../clip.ts";
import type { Entry } from "../../../schemas/entry.ts";
import type {
  LoadedText,
  Neighbourhood,
  Observation,
  Rating,
  ReviewCounters,
} from "../../../schemas/learning/learning.ts";
import type { ReviewJob, Trigger } from "../../../schemas/learning/review.ts";
import type { Settings } from "../../../schemas/settings.ts";
import { isAnswered } from "../observe.ts";

/** Why a review begins, and which stores it may write. */
export type ReviewDecision = Pick<ReviewJob, "trigger" | "because" | "focus" | "skills" | "memory">;

/** Which of the two stores the session's model has a tool for. A review writes only what that model could write. */
export interface OfferedStores {
  skills: boolean;
  memory: boolean;
}

export interface FinishedTurn {
  /** Already updated with the turn. */
  counters: ReviewCounters;
  observation: Observation;
  /** Similar turns. */
  neighbourhood: Pick<Neighbourhood, "similar" | "successes" | "skills">;
  /** The turn's entries. */
  entries: Entry[];
  settings: Settings;
  offered: OfferedStores;
  /** The person corrected the turn before with this turn's input, or this turn while it ran. */
  corrected: boolean;
  /** Whether a loaded text is one of the product's own. */
  isBundled(loaded: LoadedText): boolean;
}

/** Most valuable first. When several triggers are due, the first is named and decides what the review may write. */
const PRECEDENCE: Trigger[] = [
  "refine",
  "rating",
  "correction",
  "cheaper",
  "similar_turns",
  "value",
  "model_calls",
  "memory_full",
  "memory_turns",
];

/** A smaller saving may be chance, even if its share is large. */
const MIN_SAVED_CALLS = 3;
/** Limits for what a person asks a review to look at: in one request, and in merged requests. Rows and jobs store the text. */
const MAX_FOCUS_CHARS = 1_000;
const MAX_MERGED_FOCUS_CHARS = 4_000;
/** Maximum number of similar turns. More teach nothing new, and the Archive compares few more than these. */
const MAX_SIMILAR = 30;

/** A person waits for these reviews, so they are exempt from rate limits and never shed. */
export function isUrgent(trigger: Trigger): boolean {
  return trigger === "correction" || trigger === "rating" || trigger === "refine";
}

/** Whether a single turn is the reason. Such a trigger is lost if it is dropped; a counted trigger is due again next turn. */
export function isOneOff(trigger: Trigger): boolean {
  return isUrgent(trigger) || trigger === "cheaper" || trigger === "similar_turns";
}

/** Merges two decisions, so that one review covers both. */
export function mergeDecisions(a: ReviewDecision, b: ReviewDecision): ReviewDecision {
  const [first, second] = PRECEDENCE.indexOf(a.trigger) <= PRECEDENCE.indexOf(b.trigger) ? [a, b] : [b, a];
  const focus = [...new Set([first.focus, second.focus])].filter((text) => text !== undefined).join("; ");
  return {
    ...first,
    ...(focus !== "" && { focus: headOf(focus.toWellFormed(), MAX_MERGED_FOCUS_CHARS) }),
    skills: first.skills || second.skills,
    memory: first.memory || second.memory,
  };
}

/** A review of skills also covers memory, since the transcript is paid for already. `null`: no review is due. */
export function decideReview(turn: FinishedTurn): ReviewDecision | null {
  const { offered, settings } = turn;
  if (!settings.review.enabled || !isAnswered(turn.entries) || !isFromPrincipal(turn.entries)) return null;
  for (const trigger of PRECEDENCE) {
    const isOfMemory = trigger === "memory_full" || trigger === "memory_turns";
    // A correction may be a fact as well as a way of working.
    const mayWrite = isOfMemory ? offered.memory : offered.skills || (trigger === "correction" && offered.memory);
    if (!mayWrite || settings.review.without.includes(trigger)) continue;
    const because = WHY[trigger](turn);
    if (because !== null) return { trigger, because, skills: offered.skills && !isOfMemory, memory: offered.memory };
  }
  return null;
}

/** For a person's rating of a turn that may have ended long ago. `entries`: that turn's. */
export function decideOnRating(rated: {
  rating: Rating;
  turn: number;
  entries: Entry[];
  settings: Settings;
  offered: OfferedStores;
}): ReviewDecision | null {
  const { rating, turn, entries, settings, offered } = rated;
  const isTelling = rating.rating === "down" || rating.correction !== undefined;
  if (!mayReview("rating", settings, offered) || !isTelling) return null;
  if (!isAnswered(entries) || !isFromPrincipal(entries)) return null;
  const because = `the person rated turn ${turn} ${rating.rating}`;
  const said = rating.correction === undefined ? "" : " and said what would have been right";
  return { trigger: "rating", because: because + said, ...offered };
}

/** For a correction in a turn that does not trigger a review itself. The session keeps the decision for the next review. */
export function decideOnCorrection(settings: Settings, offered: OfferedStores): ReviewDecision | null {
  if (!mayReview("correction", settings, offered)) return null;
  return { trigger: "correction", because: CORRECTED, ...offered };
}

/** For `/refine`. `null`: reviews are switched off, or nothing could be written. */
export function decideOnRefine(focus: string, settings: Settings, offered: OfferedStores): ReviewDecision | null {
  if (!mayReview("refine", settings, offered)) return null;
  const wanted = focus === "" ? {} : { focus: headOf(focus.toWellFormed(), MAX_FOCUS_CHARS) };
  return { trigger: "refine", because: "the person asked for it", ...wanted, ...offered };
}

/** Whether the operator allows reviews for this trigger, and the review could write anything. */
function mayReview(trigger: Trigger, { review }: Settings, offered: OfferedStores): boolean {
  return review.enabled && !review.without.includes(trigger) && (offered.skills || offered.memory);
}

const CORRECTED = "the person said what would have been right";

/** For each trigger, a clause with the figures when it is due, else null. */
const WHY: Record<Trigger, (turn: FinishedTurn) => string | null> = {
  refine: () => null,
  rating: () => null,
  skill_wrong: () => null,
  correction: ({ corrected }) => (corrected ? CORRECTED : null),

  cheaper({ observation, neighbourhood, settings, isBundled }) {
    const calls = observation.effort?.calls ?? observation.toolCalls;
    if (observation.outcome !== "success") return null;
    for (const loaded of observation.loaded) {
      const best = isBundled(loaded) ? null : neighbourhood.skills[loaded.skill]?.best;
      if (!best || best.calls - calls < MIN_SAVED_CALLS) continue;
      if (calls > (1 - settings.review.cheaperShare) * best.calls) continue;
      return `the turn took ${calls} calls with '${loaded.skill}', where its best one before took ${best.calls}`;
    }
    return null;
  },

  similar_turns({ observation, neighbourhood, settings, isBundled }) {
    const successes = neighbourhood.successes + 1;
    if (observation.outcome !== "success" || isCovered(observation, isBundled)) return null;
    // The Archive counts only the newest turns of such frequent work, so the number would fluctuate.
    if (successes > MAX_SIMILAR || neighbourhood.similar > MAX_SIMILAR) return null;
    if (successes % settings.review.similarTurns !== 0) return null;
    return `${successes} similar turns succeeded without a skill that covers them`;
  },

  value({ counters, observation, settings, isBundled }) {
    const { minValue, minEntries, minToolCalls } = settings.review;
    const { entries, toolCalls } = counters;
    if (observation.value < minValue || entries < minEntries || toolCalls < minToolCalls) return null;
    if (isCovered(observation, isBundled)) return null;
    return `a turn was worth ${observation.value} after ${entries} entries and ${toolCalls} tool calls`;
  },

  model_calls({ counters: { modelCalls }, settings }) {
    if (modelCalls < settings.review.afterModelCalls) return null;
    return `${modelCalls} model calls with tools since skills were last reviewed`;
  },

  memory_full({ counters: { fullStores } }) {
    return fullStores ? `the store ${fullStores.join(" and ")} is over its limit` : null;
  },

  memory_turns({ counters: { userTurns }, settings }) {
    if (userTurns < settings.review.memoryAfterTurns) return null;
    return `${userTurns} turns since memory was last reviewed`;
  },
};

/**
 * The turn loaded a skill of the profile's own and succeeded without a failure, so there is nothing to add. A failure on the way means
 * that the skill needs a patch. Bundled skills are about the agent's habits and cover no kind of work.
 */
function isCovered(observation: Observation, isBundled: FinishedTurn["isBundled"]): boolean {
  return (
    observation.outcome === "success" &&
    observation.recoveries.length === 0 &&
    observation.loaded.some((loaded) => !isBundled(loaded))
  );
}

/**
 * All input comes from the principal, or is a task of theirs to which others have added, as a card is. Text from strangers must not start a
 * pass that writes.
 */
function isFromPrincipal(entries: Entry[]): boolean {
  const inputs = entries.filter((entry) => entry.kind === "user");
  return (
    inputs.length > 0 &&
    inputs.every(({ parts, told }) => {
      const asked = told === undefined ? parts.slice(0, 1) : parts;
      return parts.length > 0 && asked.every((part) => part.source === "principal");
    })
  );
}
