// What a settled turn leaves behind for learning: evidence, a day of activity, perhaps a review. Decides before the
// transaction and writes inside it. The rules are core/learning's; how often a session is reviewed is decided here.
import { isAnswered, observeTurn, requestOf } from "../learning/observe.ts";
import { NO_COUNTERS, type ReviewCounters, decideReview, resetCounters, updateCounters } from "../learning/triggers.ts";
import { hashFiles, textOfFiles } from "../schemas/digest.ts";
import type { Entry } from "../schemas/entry.ts";
import { dayOf, toReviewId } from "../schemas/ids.ts";
import type { Observation } from "../schemas/learning.ts";
import { Evidence } from "../schemas/skill.ts";
import type { Seeds } from "../skills/library.ts";
import type { EngineContext } from "./context.ts";
import type { TurnRow } from "./log.ts";

/** Kept under the meta key `learning`. */
interface LearningState {
  v: 1;
  counters: ReviewCounters;
  /** The last entry that a review covers. */
  reviewedTo: number;
  lastReviewAt: number;
  activeDay: string;
}

const FRESH: LearningState = { v: 1, counters: NO_COUNTERS, reviewedTo: 0, lastReviewAt: 0, activeDay: "" };
/** Earlier requests a new one is compared with. */
const EARLIER_TURNS = 20;

export interface Learnt {
  /** Call inside the transaction that settles the turn. */
  write(): void;
}

export function learnFromTurn(context: EngineContext, turn: TurnRow, entries: Entry[]): Learnt {
  const { host, log, jobs } = context;
  const now = host.clock.now();
  const state = log.meta<LearningState>("learning") ?? FRESH;
  const day = dayOf(now);
  const observation = observeEntries(context, turn.n, entries);
  const next: LearningState = { ...state, counters: updateCounters(state.counters, entries), activeDay: day };
  const offered = context.meta().learning === "on";
  const evidence = offered && isAnswered(entries) ? toEvidence(observation, turn, day) : [];

  const busy = jobs.all().some((row) => row.job.kind === "review");
  const rested = now - state.lastReviewAt >= host.settings.review.perSessionMs;
  const decision =
    busy || !rested
      ? null
      : decideReview({
          counters: next.counters,
          observation,
          entries,
          settings: host.settings,
          offered: { skills: offered, memory: offered },
          isBundled: ({ skill, text }) => bundledText(host.seeds, skill) === text,
        });
  const from = state.reviewedTo + 1;
  const to = entries.at(-1)!.n;
  if (decision) {
    next.counters = resetCounters(next.counters, decision);
    next.reviewedTo = to;
    next.lastReviewAt = now;
  }

  return {
    write() {
      log.setMeta("learning", next);
      if (state.activeDay !== day) jobs.put(`active:${day}`, now, { kind: "active", day });
      if (evidence.length > 0) jobs.put(`evidence:${turn.n}`, now, { kind: "evidence", evidence });
      if (!decision) return;
      const review = toReviewId(host.session, from, to);
      jobs.put(`review:${review}`, now, { kind: "review", review, from, to, ...decision, looks: 0, granted: false });
    },
  };
}

/** The same at the turn's end and when a review's job is made: nothing of it is stored. */
export function observeEntries(context: EngineContext, turn: number, entries: Entry[]): Observation {
  const { host, log } = context;
  const earlierRequests: string[] = [];
  for (let n = turn - 1; n >= Math.max(1, turn - EARLIER_TURNS); n--) {
    const input = log.turn(n)?.input;
    const entry = input ? log.entry(input) : null;
    if (entry) earlierRequests.push(requestOf([entry]));
  }
  return observeTurn({ session: host.session, turn, entries, earlierRequests });
}

function toEvidence(observation: Observation, turn: TurnRow, day: string): Evidence[] {
  const { modelCalls, toolCalls, failedCalls } = turn.stats;
  return observation.loaded.map(({ skill, text }) =>
    Evidence.parse({
      v: 1,
      skill,
      text,
      turn: observation.turn,
      judge: observation.judge,
      outcome: observation.outcome,
      day,
      modelCalls,
      toolCalls,
      failedCalls,
    }),
  );
}

function bundledText(seeds: Seeds, skill: string): string | null {
  const files = seeds[skill];
  if (!files) return null;
  return textOfFiles(hashFiles(files));
}
