// The job of a review in the session's outbox: gets a grant, sends the review's job to the queue, and looks for the result. The
// row leaves only when a result or a tombstone can be read. Until then the message is sent again, which its id makes harmless.
import { defaultGrant, toReviewJob } from "../../learning/review/job.ts";
import { describeRequestedReview, describeResult } from "../../learning/review/result-notice.ts";
import { isUrgent } from "../../learning/observe/triggers/triggers.ts";
import { sumSpending, toReviewLines } from "../../learning/script/script-facts.ts";
import { FIXED } from "../../limits.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { ReviewDead, ReviewJob, ReviewResult } from "../../schemas/learning/review.ts";
import type { UsageLine } from "../../schemas/usage.ts";
import { readPreferences } from "../../preferences.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { findPendingOfReview, planLearned, planPendingOfReview } from "../hooks/events.ts";
import { dayBudget, putBooking } from "../ledger.ts";
import type { TurnRow } from "../log-turns.ts";
import { addReviewNews } from "../prompt/notes.ts";
import { readPrefix } from "../prompt/prefix.ts";
import { profileSettings } from "../prompt/profile-settings.ts";
import { offeredInPrompt } from "../prompt/scene.ts";
import { withoutCommands } from "../turn/commands/without-commands.ts";
import { isUndoMarker, isUndone } from "../undo/undone.ts";
import { mayExperiment, planExperiments, withoutSkills } from "./experiment-job.ts";
import { noteKinds } from "./kinds.ts";
import { addLearnedNotice, isQuiet } from "./learned-notice.ts";
import { readTurnEntries, observe } from "./observations.ts";
import { beginDue, shedReview } from "./review-state.ts";
import { readUpTo } from "./taint.ts";
import { putVerdicts } from "./verdicts-job.ts";

export type ReviewJobRow = JobRow & { job: Extract<Job, { kind: "review" }> };

export async function carryReview(context: EngineContext, row: ReviewJobRow): Promise<void> {
  const { host, jobs } = context;
  if (row.job.looks > 0 && (await settleReview(context, row, () => isQuiet(context)))) return;
  if (row.job.looks >= host.settings.review.maxLooks) return giveUpReview(context, row);
  const granted = row.job.granted ? row.job : await reserve(context, row);
  if (!granted) return;
  if (granted.looks === 0) await host.reviews.putJob(makeJob(context, granted));
  await host.queue.send({ v: 1, profile: host.profile, review: granted.review });
  if (!jobs.get(row.id)) return; // a turn found the result meanwhile
  const { looksMs } = host.settings.review;
  const wait = looksMs[Math.min(granted.looks, looksMs.length - 1)]!;
  jobs.put(row.id, host.clock.now() + wait, { ...granted, looks: granted.looks + 1 });
}

/**
 * True when the review has ended. One line reports it to the person. While `mayWrite` is false the row waits, because the line
 * takes an entry number.
 */
export async function settleReview(
  context: EngineContext,
  row: ReviewJobRow,
  mayWrite: () => boolean,
): Promise<boolean> {
  const { host, log, jobs } = context;
  const { review } = host.settings;
  const outcome = await host.reviews.outcome(row.job.review);
  if (!outcome) return false;
  const lines = await readReviewLines(context, outcome);
  const waiting = "lessons" in outcome ? await findPendingOfReview(context, outcome) : [];
  if (!jobs.get(row.id)) return true; // another look was quicker
  if (!mayWrite()) {
    jobs.put(row.id, host.clock.now() + review.looksMs[0]!, row.job);
    return true;
  }
  host.sql.transaction(() => {
    closeJob(context, row, lines);
    if ("lessons" in outcome) {
      const tried = planExperiments(context, outcome);
      addReviewNews(log, tried ? withoutSkills(outcome) : outcome);
      noteKinds(context, outcome.kinds ?? [], "review");
      putVerdicts(context, outcome);
      planLearned(context, outcome);
      planPendingOfReview(context, outcome.review, waiting);
    }
    // Before the notice, because the next review ends at the last entry.
    beginDue(context);
    const text = toReport(context, row, outcome);
    if (text !== null) addLearnedNotice(context, text);
  });
  return true;
}

async function giveUpReview(context: EngineContext, row: ReviewJobRow): Promise<void> {
  const { host, jobs } = context;
  const message = `No result came in ${host.settings.review.maxLooks} looks.`;
  const at = host.clock.now();
  const dead = { v: 1, review: row.job.review, session: host.session, code: "no_result", message, at } as const;
  await host.reviews.putTombstone(dead);
  const lines = await readReviewLines(context, dead);
  if (!jobs.get(row.id)) return; // a look was quicker
  const text = isQuiet(context) ? toReport(context, row, dead) : null;
  host.sql.transaction(() => {
    closeJob(context, row, lines);
    beginDue(context);
    if (text !== null) addLearnedNotice(context, text);
  });
}

/** The line that reports a review to the person; `null` for none. */
function toReport({ host }: EngineContext, { job }: ReviewJobRow, outcome: ReviewResult | ReviewDead): string | null {
  const level = host.settings.review.notice;
  if (job.trigger === "refine") return describeRequestedReview(outcome, level);
  return "lessons" in outcome ? describeResult(outcome, level) : null;
}

/** Inside the caller's transaction. */
function closeJob(context: EngineContext, { id, job }: ReviewJobRow, lines: UsageLine[]): void {
  const { host, jobs } = context;
  jobs.delete(id);
  putBooking(context, { id: job.review, session: host.session, at: host.clock.now(), lines });
}

/** A result says what the review spent. A tombstone or an older result does not, so the script is read. */
async function readReviewLines({ host }: EngineContext, outcome: ReviewResult | ReviewDead): Promise<UsageLine[]> {
  const reported = "spent" in outcome ? outcome.spent : undefined;
  return toReviewLines(reported ?? sumSpending((await host.reviews.script(outcome.review)).steps));
}

/** The job with its grant. Null: the Account has none now, or too many of the profile's reviews are open. */
async function reserve(context: EngineContext, row: ReviewJobRow): Promise<ReviewJobRow["job"] | null> {
  const { host, jobs } = context;
  const { settings } = host;
  const { review, trigger } = row.job;
  const now = host.clock.now();
  const admission = await host.account.reserveReview({
    review,
    session: host.session,
    now,
    perProfileMs: settings.review.perProfileMs,
    urgent: isUrgent(trigger),
    maxBacklog: settings.review.maxBacklog,
    grant: defaultGrant(settings, now),
    day: dayBudget(settings),
  });
  if (!admission.granted) {
    if (admission.shed) host.sql.transaction(() => shedReview(context, row.job));
    else jobs.put(row.id, admission.retryAt, row.job);
    return null;
  }
  if (!jobs.get(row.id)) return null; // another attempt was quicker
  const job = { ...row.job, granted: true, grant: admission.grant };
  jobs.put(row.id, row.due, job);
  return job;
}

function makeJob(context: EngineContext, job: ReviewJobRow["job"]): ReviewJob {
  const { host, log } = context;
  const { from, to, trigger, because, focus, skills, memory } = job;
  const entries = keepReviewable(context, log.entries(from, to));
  const extraTurns = (job.besides ?? []).map((n) => log.turn(n)!);
  const extraEntries = keepReviewable(
    context,
    extraTurns.flatMap((turn) => readTurnEntries(context, turn)),
  );
  const models = host.models("turn");
  return toReviewJob({
    profile: host.profile,
    session: host.session,
    decision: { trigger, ...(because && { because }), ...(focus && { focus }), skills, memory },
    from,
    to,
    extraEntries: extraEntries.filter((entry) => entry.n < from),
    entries,
    read: readUpTo(log, to),
    observations: observedTurns(context, from, entries, extraTurns).map(
      (turn) => log.observed(turn.n)?.observation ?? observe(context, turn),
    ),
    model: models.ok ? models.value[0].name : "none",
    prefix: models.ok ? readPrefix(context, { model: models.value[0], to }) : undefined,
    tools: offeredInPrompt(log).prints,
    preferences: reviewPreferences(context),
    grant: job.grant ?? defaultGrant(host.settings, host.clock.now()),
    ...(mayExperiment(host) && { holdMs: FIXED.skillHoldMs }),
    now: host.clock.now(),
  });
}

/** Extra turns and those in the range, without turns that still ran at its end and turns that no model answered. */
function observedTurns({ log }: EngineContext, from: number, entries: Entry[], extraTurns: TurnRow[]): TurnRow[] {
  const numbers = [...new Set(entries.map((entry) => entry.turn))];
  // The range may begin with a notice or a note of a turn that ended before it.
  const inRange = numbers.map((n) => log.turn(n)!).filter((turn) => turn.final === null || turn.final >= from);
  const answered = [...extraTurns, ...inRange].filter(
    (turn) => turn.final !== null && turn.stats.modelCalls > 0 && !isUndone(log, turn.n),
  );
  return [...new Map(answered.map((turn) => [turn.n, turn])).values()];
}

function reviewPreferences(context: EngineContext): ReviewJob["preferences"] {
  const own = readPreferences(profileSettings(context).sections.preferences);
  const names = ["memory.writeApproval", "skills.writeApproval", "review.notice"] as const;
  const set = names.filter((name) => own[name] !== undefined);
  return set.length === 0 ? undefined : Object.fromEntries(set.map((name) => [name, own[name]]));
}

/** Without commands to the session, turns that were taken back (notices say which), and notices of earlier reviews. */
function keepReviewable({ log, meta }: EngineContext, entries: Entry[]): Entry[] {
  const shown = new Set(withoutCommands(entries, log));
  const kept = entries.filter((entry) => shown.has(entry) || isUndoMarker(entry));
  const reviewable = kept.filter((entry) => entry.kind !== "notice" || entry.code !== "learned");
  return meta().kind === "job" ? reviewable.map(withoutPrincipal) : reviewable;
}

/** The text of a job is for its runs alone: no lesson may rest on it, only on how the work went. */
function withoutPrincipal(entry: Entry): Entry {
  if (entry.kind !== "user") return entry;
  return { ...entry, parts: entry.parts.map((part) => ({ ...part, source: "content" as const })) };
}
