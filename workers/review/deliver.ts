// Handles one queue message: run the review, wait, retry later, or give it up. Called by index.ts for both queues. Counts
// failures itself, because the queue's own count restarts in the dead-letter queue.
import { DeletedError, messageOf, isNewerMessage } from "../../core/errors.ts";
import { type ReviewEnd, settleWatermark } from "../../core/learning/review/review.ts";
import { nameWrittenStores } from "../../core/learning/review/result-notice.ts";
import type { Clock, MemoryStore, PendingStore, ReviewStore } from "../../core/ports.ts";
import { DAY_MS, type ProfileId, fromReviewId } from "../../core/schemas/ids.ts";
import { type ReviewJob, ReviewMessage } from "../../core/schemas/learning/review.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { ACK, type Settlement, retryAfter } from "../message-settlement.ts";

export interface DeliverOptions {
  reviews(profile: ProfileId): ReviewStore;
  memory(profile: ProfileId): MemoryStore;
  pending(profile: ProfileId): PendingStore;
  /** Runs the review once; see core/learning/review/review.ts. */
  run(job: ReviewJob): Promise<ReviewEnd>;
  clock: Clock;
  settings: Settings;
  /** Writes one log line for the operator, never with a person's or a model's words. */
  log(line: Record<string, unknown>): void;
}

const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 10 * 60_000;

/** Never throws: a failure becomes a later delivery or a tombstone. */
export async function deliverReview(body: unknown, options: DeliverOptions): Promise<Settlement> {
  const parsed = ReviewMessage.safeParse(body);
  if (!parsed.success) return refuseMalformed(body, options);
  const message = parsed.data;
  const reviews = options.reviews(message.profile);
  try {
    return await settle(message, reviews, options);
  } catch (thrown) {
    if (thrown instanceof DeletedError) return drop(message, options, thrown);
    return countFailure(message, reviews, options, { code: "review_crashed", message: messageOf(thrown) });
  }
}

/** Handles a message that the first queue gave up. */
export async function deliverDeadReview(body: unknown, options: DeliverOptions): Promise<Settlement> {
  const parsed = ReviewMessage.safeParse(body);
  if (!parsed.success) return refuseMalformed(body, options);
  const reviews = options.reviews(parsed.data.profile);
  try {
    if (!(await reviews.outcome(parsed.data.review))) {
      const message = "The review was delivered many times and never finished.";
      await giveUp(parsed.data, reviews, options, { code: "undeliverable", message });
    }
    return ACK;
  } catch (thrown) {
    if (thrown instanceof DeletedError) return drop(parsed.data, options, thrown);
    options.log({ event: "dead_review_failed", review: parsed.data.review, message: messageOf(thrown) });
    return retryAfter(MAX_WAIT_MS);
  }
}

/** The session or profile was deleted, so the review is dropped without a record. */
function drop({ review }: ReviewMessage, { log }: DeliverOptions, { code }: DeletedError): Settlement {
  log({ event: "review_dropped", review, code });
  return ACK;
}

async function settle(message: ReviewMessage, reviews: ReviewStore, options: DeliverOptions): Promise<Settlement> {
  const { review, profile } = message;
  const outcome = await reviews.outcome(review);
  if (outcome) {
    if ("state" in outcome) await settleWatermark(reviews, outcome);
    return ACK;
  }
  const waitMs = await computeWaitMs(message, reviews, options);
  if (waitMs > 0) return retryAfter(waitMs);
  const job = await reviews.job(review);
  if (!job)
    return countFailure(message, reviews, options, { code: "job_missing", message: "The review's job is missing." });

  const end = await options.run(job);
  if (end.state === "again") return retryAfter(end.delayMs);
  if (end.state === "failed") return countFailure(message, reviews, options, { ...end.failure, final: end.final });
  options.log({
    event: "review_finished",
    profile,
    review,
    state: end.result.state,
    lessons: end.result.lessons.length,
    kept: nameWrittenStores(end.result.lessons),
  });
  await sweepOld(message, options);
  return ACK;
}

/** How long to wait for a run that appears to be active elsewhere, because its script has grown recently. */
async function computeWaitMs({ review }: ReviewMessage, reviews: ReviewStore, { clock, settings }: DeliverOptions) {
  const { newestAt } = await reviews.script(review);
  if (newestAt === 0) return 0;
  // The bucket's clock differs from ours: a time in the future counts as now.
  return settings.review.quietMs - Math.max(0, clock.now() - newestAt);
}

async function countFailure(
  message: ReviewMessage,
  reviews: ReviewStore,
  options: DeliverOptions,
  failure: { code: string; message: string; retryAfterMs?: number; final?: boolean },
): Promise<Settlement> {
  const { review } = message;
  try {
    const failures = await reviews.countFailure(review, failure.code, failure.message);
    options.log({ event: "review_failed", review, code: failure.code, message: failure.message, failures });
    if (failure.final || failures >= options.settings.review.maxFailures) {
      await giveUp(message, reviews, options, failure);
      return ACK;
    }
    const waitMs = Math.max(failure.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (failures - 1));
    return retryAfter(Math.min(waitMs, MAX_WAIT_MS));
  } catch (thrown) {
    if (thrown instanceof DeletedError) return drop(message, options, thrown);
    // The store fails, so the failure cannot be counted either.
    options.log({ event: "review_failed", review, code: failure.code, message: messageOf(thrown) });
    return retryAfter(MAX_WAIT_MS / 10);
  }
}

async function giveUp(
  { review }: ReviewMessage,
  reviews: ReviewStore,
  { clock, log }: DeliverOptions,
  { code, message }: { code: string; message: string },
): Promise<void> {
  await reviews.putTombstone({ v: 1, review, session: fromReviewId(review).session, code, message, at: clock.now() });
  log({ event: "review_buried", review, code });
}

/** Deletes facts, reviews and pending changes that were kept long enough. A failure does not affect the finished review. */
async function sweepOld({ profile, review }: ReviewMessage, options: DeliverOptions): Promise<void> {
  const { clock, settings, log } = options;
  const daysAgo = (days: number) => clock.now() - days * DAY_MS;
  try {
    const { deleted: keys } = await options.memory(profile).sweep(daysAgo(settings.memory.sweepDays));
    if (keys > 0) log({ event: "memory_swept", profile, keys });
    const swept = await options.reviews(profile).sweep(daysAgo(settings.review.keepDays));
    if (swept > 0) log({ event: "reviews_swept", profile, reviews: swept });
    await options.pending(profile).sweep(daysAgo(settings.review.keepDays));
  } catch (thrown) {
    log({ event: "sweep_failed", review, message: messageOf(thrown) });
  }
}

function refuseMalformed(body: unknown, { log }: DeliverOptions): Settlement {
  if (isNewerMessage(body)) {
    log({ event: "message_newer" });
    return retryAfter(MAX_WAIT_MS);
  }
  // Logs only the type: the body may contain anything.
  log({ event: "message_malformed", type: body === null ? "null" : typeof body });
  return ACK;
}
