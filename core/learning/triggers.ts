// When a session's work is worth a review. The session engine keeps one ReviewCounters a session, brings it up to date
// at the end of a turn and asks decideReview. Pure; how often a session or a profile may be reviewed is the engine's.
import * as z from "zod";
import { readRendered } from "../agent/tool-result.ts";
import type { Entry, ToolEntry } from "../schemas/entry.ts";
import { MemoryStoreName } from "../schemas/memory.ts";
import type { Observation } from "../schemas/learning.ts";
import type { Trigger } from "../schemas/review.ts";
import type { Settings } from "../schemas/settings.ts";
import { isAnswered } from "./observe.ts";

/** Counted since skills (the first three) and memory (the last) were last reviewed, or saved by the agent itself. */
export const ReviewCounters = z.object({
  modelCalls: z.int().min(0),
  entries: z.int().min(0),
  toolCalls: z.int().min(0),
  userTurns: z.int().min(0),
  /** Stores that were over their limit when the agent last wrote to them: they wait for a review that merges entries. */
  fullStores: z.array(MemoryStoreName).min(1).optional(),
});
export type ReviewCounters = z.infer<typeof ReviewCounters>;

export const NO_COUNTERS: ReviewCounters = { modelCalls: 0, entries: 0, toolCalls: 0, userTurns: 0 };

/** Why a review begins, and which stores it may write. */
export interface ReviewDecision {
  trigger: Trigger;
  skills: boolean;
  memory: boolean;
}

export interface FinishedTurn {
  /** Already brought up to date with the turn. */
  counters: ReviewCounters;
  observation: Observation;
  /** The turn's entries. */
  entries: Entry[];
  settings: Settings;
  /** Which of the two tools the session's model was offered: what it may not write, no review writes for it. */
  offered: { skills: boolean; memory: boolean };
  /** Whether a loaded text is one of the product's own. */
  isBundled(loaded: { skill: string; text: string }): boolean;
}

/** Adds a turn's entries in their order: a save by the agent starts its counter again. */
export function updateCounters(counters: ReviewCounters, entries: Entry[]): ReviewCounters {
  let next = { ...counters };
  for (const entry of entries) {
    next.entries += 1;
    if (entry.kind === "user") next.userTurns += 1;
    if (entry.kind === "assistant") next.modelCalls += 1;
    if (entry.kind !== "tool") continue;
    next.toolCalls += 1;
    if (entry.state !== "done" || entry.failed) continue;
    const { userTurns, fullStores } = next;
    if (entry.call.name === "skill_manage") next = { ...NO_COUNTERS, userTurns, ...(fullStores && { fullStores }) };
    if (entry.call.name === "memory") next = countSave(next, entry);
  }
  return next;
}

/** A store that this save left over its limit wants a review all the same. */
function countSave({ fullStores = [], ...counters }: ReviewCounters, call: ToolEntry): ReviewCounters {
  const outcome = call.parts.find(({ source }) => source === "outcome");
  const saved = SavedFacts.safeParse(readRendered(outcome?.text ?? "")).data;
  const others = fullStores.filter((store) => store !== saved?.store);
  const full = saved && saved.usage.outside > 0 ? [...others, saved.store] : others;
  return { ...counters, userTurns: 0, ...(full.length > 0 && { fullStores: full }) };
}

const SavedFacts = z.object({ store: MemoryStoreName, usage: z.object({ outside: z.int() }) });

/** What is left of the counters once a review was sent off. */
export function resetCounters(counters: ReviewCounters, decision: ReviewDecision): ReviewCounters {
  const { fullStores, ...counted } = counters;
  const kept = decision.skills ? { ...NO_COUNTERS, userTurns: counters.userTurns } : counted;
  return decision.memory ? { ...kept, userTurns: 0 } : { ...kept, ...(fullStores && { fullStores }) };
}

/** A review of skills looks at memory on the way: the transcript is paid for already. `null`: nothing is due. */
export function decideReview(turn: FinishedTurn): ReviewDecision | null {
  const { counters, offered, settings } = turn;
  if (!settings.review.enabled || !isAnswered(turn.entries) || !isFromPrincipal(turn.entries)) return null;
  const trigger = offered.skills ? skillTrigger(turn) : null;
  if (trigger) return { trigger, skills: true, memory: offered.memory };
  if (offered.memory && counters.fullStores) return { trigger: "memory_full", skills: false, memory: true };
  if (offered.memory && counters.userTurns >= settings.review.memoryAfterTurns) {
    return { trigger: "memory_turns", skills: false, memory: true };
  }
  return null;
}

function skillTrigger({ counters, observation, settings, isBundled }: FinishedTurn): Trigger | null {
  const { afterModelCalls, minValue, minEntries, minToolCalls } = settings.review;
  if (counters.modelCalls >= afterModelCalls) return "model_calls";
  const worthwhile =
    observation.value >= minValue && counters.entries >= minEntries && counters.toolCalls >= minToolCalls;
  return worthwhile && !isCovered(observation, isBundled) ? "value" : null;
}

/**
 * A skill of the profile's own that was loaded, and led to success without a failure on the way, told all there is to
 * tell. One that had to be recovered from wants a patch. Bundled skills are about the agent's own habits, never about
 * a class of work, so that they cover nothing.
 */
function isCovered(observation: Observation, isBundled: FinishedTurn["isBundled"]): boolean {
  return (
    observation.outcome === "success" &&
    observation.recoveries.length === 0 &&
    observation.loaded.some((loaded) => !isBundled(loaded))
  );
}

/** Words of strangers, arriving as input, must not start a pass that writes. */
function isFromPrincipal(entries: Entry[]): boolean {
  const inputs = entries.filter((entry) => entry.kind === "user");
  return (
    inputs.length > 0 &&
    inputs.every((entry) => entry.parts.length > 0 && entry.parts.every((part) => part.source === "principal"))
  );
}
