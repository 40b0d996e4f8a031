// A session's state of reviews: the counters since the last review, how far reviews have covered the log, and what is due
// after the running review. Used by the jobs that observe turns and by the outbox. Functions that write must be called
// inside the caller's transaction.
import { NO_COUNTERS, resetCounters, restoreCounters } from "../../learning/observe/triggers/review-counters.ts";
import { type ReviewDecision, isOneOff, isUrgent, mergeDecisions } from "../../learning/observe/triggers/triggers.ts";
import { toReviewId } from "../../schemas/ids.ts";
import type { ReviewCounters } from "../../schemas/learning/learning.ts";
import type { EngineContext } from "../context.ts";
import type { Job } from "../jobs.ts";
import type { Log } from "../log.ts";

/** Stored under the meta key `learning`. Version 1 counted every turn here; now the newest observed turn holds the counters. */
interface ReviewState {
  v: 1 | 2;
  counters: ReviewCounters;
  /** The last turn that `counters` includes; absent: no turn was observed yet. */
  countedTo?: number;
  /** The last entry that a review covers. */
  reviewedTo: number;
  lastReviewAt: number;
  activeDay: string;
  /** A review that waits for its beginning and whose trigger would not fire again. */
  due?: DueReview;
}

type ReviewJobBody = Extract<Job, { kind: "review" }>;

/** `besides`: turns that the review includes, even if they precede its range. */
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

/** Reviews begin after what was copied from another session. */
export function beginReviewsAfter(log: Log, { entry, turn }: { entry: number; turn: number }): void {
  change(log, { reviewedTo: entry, countedTo: turn });
}

export function noteActiveDay(log: Log, activeDay: string): void {
  change(log, { activeDay });
}

/** The counters after the newest observed turn. A turn that was rated before it was observed has no counters yet. */
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

/** The last entry before the running turn: settled entries do not change. */
export function settledTo(log: Log): number {
  return (log.openTurns()[0]?.input ?? log.nextEntry()) - 1;
}

/**
 * Begins a review of the new entries up to `to`, together with a due review, or stores it as due. At most one review runs at
 * a time. Reviews that are not urgent begin at most once in `perSessionMs`.
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

/** Stores a review as due. The next review includes it, or the next answered turn begins it. */
export function rememberReview({ log }: EngineContext, decision: ReviewDecision, extraTurns: number[]): void {
  const { due } = reviewState(log);
  change(log, { due: due ? merge(due, { ...decision, besides: extraTurns }) : { ...decision, besides: extraTurns } });
}

/** Begins a due review if it may begin. Call when a review ended or was shed, and after a turn that triggers no review. */
export function beginDue(context: EngineContext): void {
  const { due } = reviewState(context.log);
  if (due && mayBegin(context, due)) begin(context, due, settledTo(context.log));
}

export function isReviewing({ jobs }: EngineContext): boolean {
  return jobs.all().some((row) => row.job.kind === "review");
}

/** Drops a review because the profile has too many open ones. A later review covers its range. */
export function shedReview(context: EngineContext, job: ReviewJobBody): void {
  const { log, jobs } = context;
  const { counters, countedTo } = currentCounters(log);
  jobs.delete(`review:${job.review}`);
  const before = job.before ?? { counters: NO_COUNTERS, reviewedTo: job.from - 1 };
  const restored = restoreCounters({ before: before.counters, covered: job, now: counters });
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
