// What the owner may want to begin, from what the profile has done: computed when it is asked for, from records of turns that exist anyway, so
// no turn pays for it. Only the owner's own requests count, so a stranger's text suggests nothing. It proposes, and makes nothing. Pure.
import { areSimilarWords, contentWords, mayComeAgain } from "../../learning/requests.ts";
import type { Suggestion, SuggestionDecision } from "../../schemas/agenda/blueprint.ts";
import type { Job } from "../../schemas/agenda/job.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { TurnSignature } from "../../schemas/learning/learning.ts";
import { type Proposal, findPages, findReview, findRoutines, toOwnTurn, toSource } from "./suggestion-rules.ts";

export const SUGGESTION_DAYS = 28;
/** Turns that are compared with each other, newest first. */
export const SUGGESTION_TURNS = 400;
/** [own] More are not read. */
const MAX_OPEN = 5;
const MAX_SOURCES = 5;
/** After as many decisions nothing more is suggested: to forget one would bring it back. */
export const MAX_DECISIONS = 1_000;
const WORD_CHARS = 12;
/** Of a request's words, the part that a job's prompt must have to be the same work. */
const SAME_WORK = 0.7;

export interface SuggestionFacts {
  /** Newest first. */
  turns: TurnSignature[];
  jobs: Pick<Job, "prompt" | "gate">[];
  decisions: SuggestionDecision[];
}

/** A suggestion, with how a decision on it is stored. */
export interface Candidate {
  suggestion: Suggestion;
  words: string[];
}

/** The open suggestions, best first, at most five. */
export function suggest({ turns, jobs, decisions }: SuggestionFacts): Suggestion[] {
  if (decisions.length >= MAX_DECISIONS) return [];
  const open = propose(turns, jobs.length === 0).filter(({ proposal, candidate }) => {
    return !decisions.some((decision) => isSame(candidate, decision)) && !jobs.some((job) => isDone(proposal, job));
  });
  return open.slice(0, MAX_OPEN).map(({ candidate }) => candidate.suggestion);
}

/**
 * A proposal, also one that is decided or that a job does by now: an accepted one is found again by a repeated request. `null`: the turns do
 * not show it any more.
 */
export function findCandidate(turns: TurnSignature[], id: string): Candidate | null {
  return propose(turns, true).find(({ candidate }) => candidate.suggestion.id === id)?.candidate ?? null;
}

function propose(turns: TurnSignature[], hasNoJob: boolean): { proposal: Proposal; candidate: Candidate }[] {
  const own = turns
    .filter(({ asked, request }) => asked === "owner" && !request.startsWith("/") && mayComeAgain(request))
    .toReversed()
    .map(toOwnTurn);
  const routines = findRoutines(own);
  const taken = new Set(routines.flatMap((routine) => routine.turns));
  const pages = findPages(own.filter(({ turn }) => !taken.has(turn)));
  const byCount = [...routines, ...pages].toSorted((a, b) => b.turns.length - a.turns.length);
  const review = hasNoJob ? findReview(own, SUGGESTION_DAYS) : [];
  return [...byCount, ...review].map((proposal) => ({ proposal, candidate: toCandidate(proposal) }));
}

function toCandidate({ blueprint, title, why, slots, words, turns }: Proposal): Candidate {
  const id = sha256Hex([blueprint, ...words.toSorted()].join("\n")).slice(0, 16);
  const sources = turns.slice(-MAX_SOURCES).toReversed().map(toSource);
  const hashes = words.map((word) => sha256Hex(word).slice(0, WORD_CHARS)).toSorted();
  return { suggestion: { id, blueprint, title, why, slots, sources }, words: hashes };
}

/** The same, perhaps in other words. */
function isSame({ suggestion, words }: Candidate, decision: SuggestionDecision): boolean {
  if (suggestion.id === decision.id) return true;
  return suggestion.blueprint === decision.blueprint && areSimilarWords(new Set(words), new Set(decision.words));
}

/** There is a job that does it. */
function isDone({ blueprint, slots, words }: Proposal, { prompt, gate }: SuggestionFacts["jobs"][number]): boolean {
  if (blueprint === "page-watch") return gate?.url === slots.url || prompt.includes(String(slots.url));
  if (blueprint !== "routine") return false;
  // Quotes would hide the request: `contentWords` leaves out what stands in them.
  const known = contentWords(prompt.replaceAll(/["`“”]/g, " "));
  return words.filter((word) => known.has(word)).length >= SAME_WORK * words.length;
}
