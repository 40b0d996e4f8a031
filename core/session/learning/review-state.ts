// What a session remembers of its reviews: what was counted since, up to where there was one, what is due when the one in
// flight has ended. Used by what looks at turns and by the outbox. Each function that writes is called inside the caller's
// transaction.
import {
  NO_COUNTERS,
  type ReviewDecision,
  isOneOff,
  isUrgent,
  mergeDecisions,
  resetCounters,
  restoreCounters,
} from "../../learning/observe/triggers.ts";
import { toReviewId } from "../../schemas/ids.ts";
import type { ReviewCounters } from "../../schemas/learning/learning.ts";
import type { EngineContext } from "../context.ts";
import type { Job } from "../jobs.ts";
import type { Log } from "../log.ts";

/** Kept under the meta key `learning`. Version 1 counted every turn here; now the newest observed turn holds the count. */
interface ReviewState {
  v: 1 | 2;
  counters: ReviewCounters;
  /** The turn up to which `counters` holds; absent: there was none observed yet. */
  countedTo?: number;
  /** The last entry that a review covers. */
  reviewedTo: number;
  lastReviewAt: number;
  activeDay: string;
  /** What would not be due again by itself, until it can begin. */
  due?: DueReview;
}

type ReviewJobBody = Extract<Job, { kind: "review" }>;

/** `besides`: turns whose entries go with the review, wherever it begins. */
interface DueReview extends ReviewDecision {
  besides: number[];
}

const FRESH: ReviewState = {
  v: 2,
  counters: NO_COUNTERS,
  countedTo: 0,
  reviewedTo: 0,
  lastReviewAt: 0,
  activeDay: "",
};

export function reviewState(log: Log): ReviewState {
  return log.meta<ReviewState>("learning") ?? FRESH;
}

function change(log: Log, changes: Partial<ReviewState>): void {
  log.setMeta("learning", { ...reviewState(log), v: 2, ...changes } satisfies ReviewState);
}

export function noteActiveDay(log: Log, activeDay: string): void {
  change(log, { activeDay });
}

/** After the newest turn that was observed; of one that was rated before, the count is still to come. */
export function currentCounters(log: Log): { counters: ReviewCounters; countedTo: number } {
  const { counters, countedTo = 0 } = reviewState(log);
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const [newest] = log.observedTurns(countedTo, before, 1);
    if (!newest) return { counters, countedTo };
    if (newest.observed.counters) return { counters: newest.observed.counters, countedTo: newest.n };
    before = newest.n;
  }
}

/** The last entry that will not change: those of a running turn follow it. */
export function settledTo(log: Log): number {
  return (log.openTurns()[0]?.input ?? log.nextEntry()) - 1;
}

/**
 * Begins a review of what is new up to the entry `to`, or remembers it: one at a time, and of those that a person does not
 * wait for one in `perSessionMs`. With it goes whatever was due.
 */
export function askForReview(
  context: EngineContext,
  decision: ReviewDecision,
  { to, extraTurns = [] }: { to: number; extraTurns?: number[] },
): void {
  const { log } = context;
  const before = reviewState(log).due;
  const due: DueReview = before
    ? merge(before, { ...decision, besides: extraTurns })
    : { ...decision, besides: extraTurns };
  if (mayBegin(context, due)) return begin(context, due, to);
  if (isOneOff(decision.trigger)) change(log, { due });
}

function mayBegin(context: EngineContext, { trigger }: DueReview): boolean {
  const { clock, settings } = context.host;
  if (isReviewing(context)) return false;
  return isUrgent(trigger) || clock.now() - reviewState(context.log).lastReviewAt >= settings.review.perSessionMs;
}

/** The next review takes it along, or the next turn that is answered begins one. */
export function rememberReview({ log }: EngineContext, decision: ReviewDecision, extraTurns: number[]): void {
  const { due } = reviewState(log);
  change(log, { due: due ? merge(due, { ...decision, besides: extraTurns }) : { ...decision, besides: extraTurns } });
}

/** What has become due meanwhile begins, when a review has ended or was shed, or a turn gives no reason of its own. */
export function beginDue(context: EngineContext): void {
  const { due } = reviewState(context.log);
  if (due && mayBegin(context, due)) begin(context, due, settledTo(context.log));
}

export function isReviewing({ jobs }: EngineContext): boolean {
  return jobs.all().some((row) => row.job.kind === "review");
}

/** The profile has too many reviews: what this one was to look at is left for a later one. */
export function shedReview(context: EngineContext, job: ReviewJobBody): void {
  const { log, jobs } = context;
  const { counters, countedTo } = currentCounters(log);
  jobs.delete(`review:${job.review}`);
  const before = job.before ?? { counters: NO_COUNTERS, reviewedTo: job.from - 1 };
  const restored = restoreCounters(before.counters, resetCounters(before.counters, job), counters);
  change(log, { counters: restored, countedTo, reviewedTo: before.reviewedTo });
  beginDue(context);
}

function begin({ host, log, jobs }: EngineContext, due: DueReview, to: number): void {
  const { reviewedTo, lastReviewAt } = reviewState(log);
  const from = reviewedTo + 1;
  if (from > to) {
    if (isOneOff(due.trigger)) change(log, { due });
    return;
  }
  const { besides, ...decision } = due;
  const { counters, countedTo } = currentCounters(log);
  const now = host.clock.now();
  const review = toReviewId(host.session, from, to);
  const earlier = besides.filter((n) => (log.turn(n)?.input ?? from) < from);
  change(log, {
    counters: resetCounters(counters, decision),
    countedTo,
    reviewedTo: to,
    lastReviewAt: isUrgent(decision.trigger) ? lastReviewAt : now,
    due: undefined,
  });
  jobs.put(`review:${review}`, now, {
    kind: "review",
    review,
    from,
    to,
    ...decision,
    ...(earlier.length > 0 && { besides: earlier }),
    before: { reviewedTo, counters },
    looks: 0,
    granted: false,
  });
}

function merge(a: DueReview, b: DueReview): DueReview {
  return { ...mergeDecisions(a, b), besides: [...new Set([...a.besides, ...b.besides])].toSorted((x, y) => x - y) };
}
