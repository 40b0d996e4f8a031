// Counts a session's work since its last review. The session keeps one ReviewCounters and updates it after each turn; triggers.ts
// compares it with the settings. Pure.
import * as z from "zod";
import { readRendered } from "../../../agent/tool-result.ts";
import type { Entry, ToolEntry } from "../../../schemas/entry.ts";
import type { ReviewCounters } from "../../../schemas/learning/learning.ts";
import { MemoryStoreName } from "../../../schemas/memory.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";

export const NO_COUNTERS: ReviewCounters = { modelCalls: 0, entries: 0, toolCalls: 0, userTurns: 0 };

/** Which stores a review may write, and so which counters it resets. */
type CoveredStores = Pick<ReviewJob, "skills" | "memory">;

/** Adds a turn's entries in order. Only model calls that asked for tools count. A save by the agent itself resets its counter. */
export function updateCounters(counters: ReviewCounters, entries: Entry[]): ReviewCounters {
  let next = { ...counters };
  for (const entry of entries) {
    next.entries += 1;
    if (entry.kind === "user") next.userTurns += 1;
    if (entry.kind === "assistant" && entry.answer.calls.length > 0) next.modelCalls += 1;
    if (entry.kind !== "tool") continue;
    next.toolCalls += 1;
    if (entry.state !== "done" || entry.failed) continue;
    const { userTurns, fullStores } = next;
    if (entry.call.name === "skill_manage") next = { ...NO_COUNTERS, userTurns, ...(fullStores && { fullStores }) };
    if (entry.call.name === "memory") next = countSave(next, entry);
  }
  return next;
}

/** Remembers a store that this save left over its limit: it still needs a review. */
function countSave({ fullStores = [], ...counters }: ReviewCounters, call: ToolEntry): ReviewCounters {
  const outcome = call.parts.find(({ source }) => source === "outcome");
  const saved = SavedFacts.safeParse(readRendered(outcome?.text ?? "")).data;
  const others = fullStores.filter((store) => store !== saved?.store);
  const full = saved && saved.usage.outside > 0 ? [...others, saved.store] : others;
  return { ...counters, userTurns: 0, ...(full.length > 0 && { fullStores: full }) };
}

const SavedFacts = z.object({ store: MemoryStoreName, usage: z.object({ outside: z.int() }) });

/** The counters after a review was sent. */
export function resetCounters(counters: ReviewCounters, covered: CoveredStores): ReviewCounters {
  const { fullStores, ...counted } = counters;
  const kept = covered.skills ? { ...NO_COUNTERS, userTurns: counters.userTurns } : counted;
  return covered.memory ? { ...kept, userTurns: 0 } : { ...kept, ...(fullStores && { fullStores }) };
}

/**
 * The counters as if a review had never been sent. `before`: when the review was sent. `now`: later turns are counted on top of
 * what sending the review had reset.
 */
export function restoreCounters({ before, covered, now }: UnsentReview): ReviewCounters {
  const afterSending = resetCounters(before, covered);
  const restore = (field: Exclude<keyof ReviewCounters, "fullStores">) => {
    const countedSince = Math.max(0, now[field] - afterSending[field]);
    return before[field] + countedSince;
  };
  const fullStores = [...new Set([...(before.fullStores ?? []), ...(now.fullStores ?? [])])];
  return {
    modelCalls: restore("modelCalls"),
    entries: restore("entries"),
    toolCalls: restore("toolCalls"),
    userTurns: restore("userTurns"),
    ...(fullStores.length > 0 && { fullStores }),
  };
}

interface UnsentReview {
  before: ReviewCounters;
  covered: CoveredStores;
  now: ReviewCounters;
}
