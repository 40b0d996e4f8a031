// Carries out the jobs a turn left behind. A row leaves only when its effect is proved: a put that answered, or, for a
// review, a result that can be read. Until then it is done again, which its id makes harmless.
import { defaultGrant, toReviewJob } from "../learning/review/job.ts";
import { isUrgent } from "../learning/observe/triggers.ts";
import { spentOf, toReviewLines } from "../learning/script/script-facts.ts";
import { tellAsked, tellResult } from "../learning/review/telling.ts";
import type { Entry } from "../schemas/entry.ts";
import type { ReviewDead, ReviewResult } from "../schemas/learning/review.ts";
import type { UsageLine } from "../schemas/usage.ts";
import { answerWithin } from "../time-limit.ts";
import type { EngineContext } from "./context.ts";
import type { Job, JobRow } from "./jobs.ts";
import { dayBudget, putBooking, putBookingRow } from "./ledger.ts";
import { tellReview } from "./prompt/notes.ts";
import { toNotice } from "./prompt/notices.ts";
import { withoutOrders } from "./turn/orders.ts";
import { readPrefix } from "./prompt/prefix.ts";
import { noteKinds, tellKinds } from "./learning/kinds.ts";
import { carryObservation, entriesOf, observe } from "./learning/observe-job.ts";
import { carryRating } from "./learning/rating-job.ts";
import { beginDue, shedReview } from "./learning/review-state.ts";
import { offeredInPrompt } from "./prompt/scene.ts";
import { readUpTo } from "./learning/taint.ts";
import { makeTitle } from "./turn/title.ts";
import { carryVerdicts, putVerdicts } from "./learning/verdicts-job.ts";

type ReviewJobRow = JobRow & { job: Extract<Job, { kind: "review" }> };

/** Longer than an Archive is waited for twice. What answers later finds its row done by another try, and leaves it. */
const ATTEMPT_MS = 3 * 60_000;
/** What is learned of a turn after that is told to the Archive by itself. */
const NAMING_MS = 30_000;
/** Between two looks whether an answer still streams. */
const NOTICE_WAIT_MS = 10_000;
/** About ten hours of tries: no store is out for so long, so it is this turn that cannot be looked at. */
const MAX_OBSERVE_TRIES = 40;

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(context: EngineContext) {
  const { host, log, jobs, hub } = context;
  const { clock, settings } = host;
  let draining: Promise<void> | null = null;

  async function run(): Promise<void> {
    // First, so that the look at the turn knows the kind of work that the same call names; a slow model is not waited for.
    const done = new Set(freshOf("title").map(({ id }) => id));
    const naming = attemptFresh("title");
    await answerWithin(naming, NAMING_MS, clock).catch(() => undefined);
    await observeTurns();
    // A rating asks for a review, and the end of one review may begin another: each once, those that came up included.
    const nextDue = () => jobs.due().find((row) => row.job.kind !== "observe" && !done.has(row.id));
    for (let row = nextDue(); row; row = nextDue()) {
      done.add(row.id);
      await attempt(row);
    }
    await naming;
    await attemptFresh("usage");
    await jobs.arm();
  }

  /** Due late only so that no alarm has to be set for what every turn leaves: it goes right after the turn's end. */
  async function attemptFresh(kind: "usage" | "title"): Promise<void> {
    for (const row of freshOf(kind)) await attempt(row);
  }

  function freshOf(kind: "usage" | "title"): JobRow[] {
    return jobs.all().filter((row) => row.job.kind === kind && row.tries === 0);
  }

  /** Oldest first, and none before the one before it: each counts on from there, and its message judges that one. */
  async function observeTurns(): Promise<void> {
    const rows = jobs.all().flatMap((row) => (row.job.kind === "observe" ? [{ ...row, job: row.job }] : []));
    const inOrder = rows.toSorted((a, b) => a.job.turn - b.job.turn);
    for (const [i, row] of inOrder.entries()) {
      if (row.tries === 0 || row.due <= clock.now()) await attempt(row);
      const failed = jobs.get(row.id);
      if (failed && failed.tries >= MAX_OBSERVE_TRIES) {
        host.report(`job ${row.id}`, "given up: the turn is not looked at");
        if (failed.job.kind === "observe" && failed.job.booking) putBookingRow(context, failed.job.booking);
        jobs.delete(row.id);
      } else if (failed) return putOff(inOrder.slice(i + 1), failed.due);
    }
  }

  /** So that the alarm does not ring for what has to wait. */
  function putOff(rows: JobRow[], due: number): void {
    for (const row of rows) if (row.due < due) jobs.put(row.id, due, row.job, row.tries);
  }

  async function attempt(row: JobRow): Promise<void> {
    try {
      // A title's model has limits of its own.
      if (row.job.kind === "title") await carryOut(row);
      else await answerWithin(carryOut(row), ATTEMPT_MS, clock);
    } catch (error) {
      host.report(`job ${row.id}`, error);
      if (jobs.get(row.id)) jobs.retry(row);
    }
  }

  async function carryOut(row: JobRow): Promise<void> {
    switch (row.job.kind) {
      case "drive":
        return; // the driver's
      case "observe":
        return carryObservation(context, { ...row, job: row.job });
      case "rating":
        return carryRating(context, { ...row, job: row.job });
      case "verdicts":
        return carryVerdicts(context, { ...row, job: row.job });
      case "notice":
        return carryNotice(row, row.job);
      case "evidence":
        for (const evidence of row.job.evidence) await host.evidence.put(evidence);
        return jobs.delete(row.id);
      case "active":
        await host.evidence.markActive(row.job.day);
        return jobs.delete(row.id);
      case "usage":
        await host.account.book(row.job.booking);
        return jobs.delete(row.id);
      case "title":
        return makeTitle(context, { ...row, job: row.job });
      case "kinds":
        return tellKinds(context, { ...row, job: row.job });
      case "review":
        return carryReview({ ...row, job: row.job });
    }
  }

  /** It takes an entry number: while an answer streams the next one is its own. */
  function carryNotice(row: JobRow, job: Extract<JobRow["job"], { kind: "notice" }>): void {
    if (!isQuiet()) return void jobs.put(row.id, clock.now() + NOTICE_WAIT_MS, job);
    host.sql.transaction(() => {
      jobs.delete(row.id);
      addNotice(job.text);
    });
  }

  async function carryReview(row: ReviewJobRow): Promise<void> {
    if (row.job.looks > 0 && (await settleReview(row, isQuiet))) return;
    if (row.job.looks >= settings.review.maxLooks) return giveUp(row);
    const granted = row.job.granted ? row.job : await reserve(row);
    if (!granted) return;
    if (granted.looks === 0) await host.reviews.putJob(makeJob(granted));
    await host.queue.send({ v: 1, profile: host.profile, review: granted.review });
    if (!jobs.get(row.id)) return; // meanwhile a turn has looked, and found the result
    const { looksMs } = settings.review;
    const wait = looksMs[Math.min(granted.looks, looksMs.length - 1)]!;
    jobs.put(row.id, clock.now() + wait, { ...granted, looks: granted.looks + 1 });
  }

  /** The job with its place and its grant; null: it has to wait for them. */
  async function reserve(row: ReviewJobRow): Promise<ReviewJobRow["job"] | null> {
    const { review, trigger } = row.job;
    const now = clock.now();
    const place = await host.account.reserveReview({
      review,
      session: host.session,
      now,
      perProfileMs: settings.review.perProfileMs,
      urgent: isUrgent(trigger),
      maxBacklog: settings.review.maxBacklog,
      grant: defaultGrant(settings, now),
      day: dayBudget(settings),
    });
    if (!place.granted) {
      if (place.shed) host.sql.transaction(() => shedReview(context, row.job));
      else jobs.put(row.id, place.retryAt, row.job);
      return null;
    }
    if (!jobs.get(row.id)) return null; // another try was quicker
    const job = { ...row.job, granted: true, grant: place.grant };
    jobs.put(row.id, row.due, job);
    return job;
  }

  function makeJob(job: ReviewJobRow["job"]) {
    const { from, to, trigger, because, focus, skills, memory, besides = [] } = job;
    const entries = reviewable(log.entries(from, to));
    const earlier = besides.map((n) => log.turn(n)!);
    // A notice or a note may stand behind a turn that ended before the range.
    const inRange = [...new Set(entries.map((entry) => entry.turn))]
      .map((n) => log.turn(n)!)
      .filter((turn) => turn.final === null || turn.final >= from);
    // What ran on beyond the range, and orders to the session itself, have nothing to be told of.
    const observed = [...earlier, ...inRange].filter((turn) => turn.final !== null && turn.stats.modelCalls > 0);
    const models = host.models("turn");
    return toReviewJob({
      profile: host.profile,
      session: host.session,
      decision: { trigger, ...(because && { because }), ...(focus && { focus }), skills, memory },
      from,
      to,
      extraEntries: reviewable(earlier.flatMap((turn) => entriesOf(context, turn))).filter((entry) => entry.n < from),
      entries,
      read: readUpTo(log, to),
      observations: [...new Map(observed.map((turn) => [turn.n, turn])).values()].map(
        (turn) => log.observed(turn.n)?.observation ?? observe(context, turn),
      ),
      model: models.ok ? models.value[0].name : "none",
      prefix: models.ok ? readPrefix(context, { model: models.value[0], to }) : undefined,
      tools: offeredInPrompt(log).prints,
      grant: job.grant ?? defaultGrant(settings, clock.now()),
      now: clock.now(),
    });
  }

  /** Neither orders to the session nor what earlier reviews said of themselves. */
  function reviewable(entries: Entry[]): Entry[] {
    return withoutOrders(entries, log).filter((entry) => entry.kind !== "notice" || entry.code !== "learned");
  }

  /**
   * True when the review has ended. The person is told in one line, which takes an entry number: while an answer streams
   * the next number is its own, so the row waits for the turn's end.
   */
  async function settleReview(row: ReviewJobRow, mayWrite: () => boolean): Promise<boolean> {
    const outcome = await host.reviews.outcome(row.job.review);
    if (!outcome) return false;
    const lines = await linesOf(outcome);
    if (!jobs.get(row.id)) return true; // another look was quicker
    if (!mayWrite()) {
      jobs.put(row.id, clock.now() + settings.review.looksMs[0]!, row.job);
      return true;
    }
    const level = settings.review.notice;
    const isAsked = row.job.trigger === "refine";
    const told = isAsked ? tellAsked(outcome, level) : "lessons" in outcome ? tellResult(outcome, level) : null;
    host.sql.transaction(() => {
      jobs.delete(row.id);
      putBooking(context, toBooking(row, lines));
      if ("lessons" in outcome) {
        tellReview(log, outcome);
        noteKinds(context, outcome.kinds ?? [], "review");
        putVerdicts(context, outcome);
      }
      // What is due is decided on what there was: its entries end before the notice.
      beginDue(context);
      if (told !== null) addNotice(told);
    });
    return true;
  }

  /** No answer streams, nor was one cut off whose number its readers know. */
  function isQuiet(): boolean {
    const open = log.openTurns()[0];
    return !open || open.more.pausedUntil !== undefined;
  }

  /** As the result tells it. A review that was given up, or that an older version finished, is read from its script. */
  async function linesOf(outcome: ReviewResult | ReviewDead): Promise<UsageLine[]> {
    const told = "spent" in outcome ? outcome.spent : undefined;
    return toReviewLines(told ?? spentOf((await host.reviews.script(outcome.review)).steps));
  }

  function toBooking({ job }: ReviewJobRow, lines: UsageLine[]) {
    return { id: job.review, session: host.session, at: clock.now(), lines };
  }

  function addNotice(text: string): void {
    const n = log.nextEntry();
    log.put(toNotice({ n, turn: (log.openTurns()[0] ?? log.lastTurn()!).n, at: clock.now(), code: "learned", text }));
    hub.emit({ at: { entry: n, offset: 0 }, event: { type: "notice_add", entry: n, code: "learned", text } });
  }

  async function giveUp(row: ReviewJobRow): Promise<void> {
    const { review } = row.job;
    const message = `No result came in ${settings.review.maxLooks} looks.`;
    const dead = { v: 1, review, session: host.session, code: "no_result", message, at: clock.now() } as const;
    await host.reviews.bury(dead);
    const lines = await linesOf(dead);
    if (!jobs.get(row.id)) return; // a look was quicker
    const told = row.job.trigger === "refine" && isQuiet() ? tellAsked(dead, settings.review.notice) : null;
    host.sql.transaction(() => {
      jobs.delete(row.id);
      putBooking(context, toBooking(row, lines));
      // What is due is decided on what there was: its entries end before the notice.
      beginDue(context);
      if (told !== null) addNotice(told);
    });
  }

  return {
    /** One at a time; a second caller waits for the first. Never rejects. */
    async drain(): Promise<void> {
      while (draining) await draining;
      draining = run().catch((error) => host.report("outbox", error));
      await draining;
      draining = null;
    },
    /**
     * Before a turn's first answer: has a review ended meanwhile? `isFirst`: still before it. Sends nothing. Never rejects.
     */
    async look(isFirst: () => boolean): Promise<void> {
      for (const row of jobs.all()) {
        if (row.job.kind !== "review" || row.job.looks === 0) continue;
        await settleReview({ ...row, job: row.job }, isFirst).catch((error) => host.report(`look ${row.id}`, error));
      }
    },
  };
}
