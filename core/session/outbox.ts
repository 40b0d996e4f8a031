// Carries out the jobs that turns leave. A row leaves only when its effect is proved: a put that was answered or, for a review,
// a result that can be read. Until then it is carried out again, which its id makes harmless. Called by the driver after a turn
// and by the engine's alarm.
import { withTimeout } from "../timeout.ts";
import { carryAllowance } from "./approvals/allowances.ts";
import type { EngineContext } from "./context.ts";
import { type IndexRow, carryIndexing, giveUpIndexing, indexLater, indexRows } from "./index-messages.ts";
import { carryDelivery, deliveryRows } from "./channel/carry-delivery.ts";
import { carryGoal } from "./goals/carry-goal.ts";
import { carryJudged } from "./goals/judged-turns.ts";
import type { JobRow } from "./jobs.ts";
import { carryOrder, carryReport, carryWatch } from "./delegation/carry-child.ts";
import { carryEvent } from "./hooks/plan-event.ts";
import { carryExperiment } from "./learning/experiment-job.ts";
import { carryKinds } from "./learning/kinds.ts";
import { carryNotice } from "./learning/learned-notice.ts";
import { carryObservation } from "./learning/observe-job.ts";
import { carryRating } from "./learning/rating-job.ts";
import { carryReview, settleReview } from "./learning/review-job.ts";
import { carryVerdicts } from "./learning/verdicts-job.ts";
import { putBookingRow } from "./ledger.ts";
import { carryRename } from "./rename.ts";
import { carryUndone } from "./undo/judge-undone.ts";
import { makeTitle } from "./turn/title.ts";

/** Longer than two timeouts of the Archive. A late answer finds that another attempt has deleted the row, and changes nothing. */
const ATTEMPT_MS = 3 * 60_000;
/** How long the observation of a turn waits for its kind of work. A later kind goes to the Archive in a separate job. */
const NAMING_MS = 30_000;
/** About ten hours. No store is out that long, so the turn itself cannot be observed or indexed. */
const MAX_OBSERVE_TRIES = 40;
/** Kinds of jobs that are carried out in the order of turns, or of what a chat is told. */
const OF_TURNS: readonly string[] = ["observe", "index", "deliver"];

/** Kinds of jobs whose row may change while it is attempted. */
const CHANGE_MEANWHILE: readonly string[] = ["index", "goal"];

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(context: EngineContext) {
  const { host, jobs } = context;
  let draining: Promise<void> | null = null;
  let telling: Promise<void> | null = null;
  /** What a chat is to be told waits for no model and no store. One run at a time. Never rejects. */
  const tell = (): Promise<void> =>
    (telling ??= tellChats(context)
      .catch((error) => host.report("deliveries", error))
      .finally(() => (telling = null)));
  return {
    /** One run at a time; a second caller waits for the first, but for what chats are told. Never rejects. */
    async drain(): Promise<void> {
      if (draining) await tell();
      while (draining) await draining;
      draining = runJobs(context, tell).catch((error) => host.report("outbox", error));
      await draining;
      draining = null;
    },
    /**
     * Takes in the results of reviews before a turn's first answer. `isFirst`: false once that answer has begun. Sends nothing, and
     * never rejects.
     */
    async collectReviews(isFirst: () => boolean): Promise<void> {
      for (const row of jobs.all()) {
        if (row.job.kind !== "review" || row.job.looks === 0) continue;
        const settling = settleReview(context, { ...row, job: row.job }, isFirst);
        await settling.catch((error) => host.report(`look ${row.id}`, error));
      }
    },
  };
}

async function runJobs(context: EngineContext, tell: () => Promise<void>): Promise<void> {
  const { host, jobs } = context;
  // Events do not wait for models and stores.
  const events = freshRows(context, "hook");
  const reported = Promise.all(events.map((row) => attempt(context, row))).catch((error) =>
    host.report("hooks", error),
  );
  const told = tell();
  await attemptFresh(context, "report"); // a parent waits for it
  // Titles go first: the same call names the kind of work, which the observation of the turn needs. A slow model does not delay it.
  const attempted = new Set([...events, ...freshRows(context, "title")].map(({ id }) => id));
  const naming = attemptFresh(context, "title");
  await withTimeout(naming, NAMING_MS, host.clock).catch(() => undefined); // timeout: the observation proceeds without the kind
  await indexTurns(context);
  await observeTurns(context);
  await indexTurns(context);
  // Each row once, including rows that appear meanwhile: a rating asks for a review, and the end of a review may begin another.
  const nextDue = () => jobs.due().find((row) => !OF_TURNS.includes(row.job.kind) && !attempted.has(row.id));
  for (let row = nextDue(); row; row = nextDue()) {
    attempted.add(row.id);
    await attempt(context, row);
  }
  await Promise.all([naming, reported, told]);
  await attemptFresh(context, "usage");
  await jobs.arm();
}

/** Rows of these kinds are attempted before they are due. Their late due time only saves an alarm after every turn. */
async function attemptFresh(context: EngineContext, kind: "usage" | "title" | "report"): Promise<void> {
  for (const row of freshRows(context, kind)) await attempt(context, row);
}

function freshRows({ jobs }: EngineContext, kind: "usage" | "title" | "report" | "hook"): JobRow[] {
  return jobs.all().filter((row) => row.job.kind === kind && row.tries === 0);
}

/**
 * Observes turns in their order. A turn waits for the one before it: its counters continue from there, and its message judges that
 * answer.
 */
async function observeTurns(context: EngineContext): Promise<void> {
  const { host, jobs } = context;
  const rows = jobs.all().flatMap((row) => (row.job.kind === "observe" ? [{ ...row, job: row.job }] : []));
  const inOrder = rows.toSorted((a, b) => a.job.turn - b.job.turn);
  for (const [i, row] of inOrder.entries()) {
    if (row.tries === 0 || row.due <= host.clock.now()) await attempt(context, row);
    const failed = jobs.get(row.id);
    if (!failed) continue;
    if (failed.tries < MAX_OBSERVE_TRIES) return postpone(context, inOrder.slice(i + 1), failed.due);
    giveUpObservation(context, failed);
  }
}

/**
 * Indexes the messages of turns in their order. A turn waits for the jobs of the turns before it, of both kinds: neighbours in a
 * conversation must be neighbours in the index.
 */
async function indexTurns(context: EngineContext): Promise<void> {
  const { host, jobs } = context;
  const rows = indexRows(context);
  for (const [i, row] of rows.entries()) {
    const unobserved = jobs.all().find(({ job }) => job.kind === "observe" && job.turn < row.job.from);
    if (unobserved) return postpone(context, rows.slice(i), unobserved.due);
    if (row.tries === 0 || row.due <= host.clock.now()) await attempt(context, row);
    const left = jobs.get(row.id) as IndexRow | null;
    if (!left) continue;
    if (left.tries < MAX_OBSERVE_TRIES) return postpone(context, rows.slice(i + 1), left.due);
    giveUpIndexing(context, left);
  }
}

/** Hands over what chats are to be told, in its order: a delivery waits for the one before it. */
async function tellChats(context: EngineContext): Promise<void> {
  const { host, jobs } = context;
  for (let [row, ...later] = deliveryRows(context); row; [row, ...later] = deliveryRows(context)) {
    if (row.tries > 0 && row.due > host.clock.now()) return postpone(context, later, row.due);
    await attempt(context, row);
    const left = jobs.get(row.id);
    if (left) return postpone(context, deliveryRows(context), left.due);
  }
}

/** So that no alarm fires for rows that must wait for another one. */
function postpone({ jobs }: EngineContext, rows: JobRow[], due: number): void {
  for (const { id } of rows) {
    const row = jobs.get(id); // it may have changed since it was listed
    if (row && row.due < due) jobs.put(id, due, row.job, row.tries);
  }
}

function giveUpObservation(context: EngineContext, { id, job }: JobRow): void {
  context.host.report(`job ${id}`, "given up: the turn is not observed");
  context.host.sql.transaction(() => {
    context.jobs.delete(id);
    if (job.kind !== "observe") return;
    if (job.booking) putBookingRow(context, job.booking);
    indexLater(context, job.turn);
  });
}

async function attempt(context: EngineContext, row: JobRow): Promise<void> {
  const { host, jobs } = context;
  try {
    // The model call of a title has its own timeouts.
    if (row.job.kind === "title") await carryOut(context, row);
    else await withTimeout(carryOut(context, row), ATTEMPT_MS, host.clock);
  } catch (error) {
    host.report(`job ${row.id}`, error);
    const left = jobs.get(row.id);
    // A job of the index, or of a goal, may have changed during the attempt: a turn has ended, or a verdict was stored.
    if (left) jobs.retry(CHANGE_MEANWHILE.includes(left.job.kind) ? { ...row, job: left.job } : row);
  }
}

async function carryOut(context: EngineContext, row: JobRow): Promise<void> {
  const { host, jobs } = context;
  switch (row.job.kind) {
    case "drive":
      return; // the driver's own
    case "observe":
      return carryObservation(context, { ...row, job: row.job });
    case "rating":
      return carryRating(context, { ...row, job: row.job });
    case "verdicts":
      return carryVerdicts(context, { ...row, job: row.job });
    case "experiment":
      return carryExperiment(context, row, row.job);
    case "notice":
      return carryNotice(context, row, row.job);
    case "evidence":
      for (const evidence of row.job.evidence) await host.evidence.put(evidence);
      return jobs.delete(row.id);
    case "active":
      await host.evidence.markActive(row.job.day);
      return jobs.delete(row.id);
    case "allow":
      return carryAllowance(context, { ...row, job: row.job });
    case "undone":
      return carryUndone(context, { ...row, job: row.job });
    case "rename":
      return carryRename(context, { ...row, job: row.job });
    case "usage":
      await host.account.book(row.job.booking);
      return jobs.delete(row.id);
    case "title":
      return makeTitle(context, { ...row, job: row.job });
    case "index":
      return carryIndexing(context, { ...row, job: row.job });
    case "child":
      return carryOrder(context, { ...row, job: row.job });
    case "children":
      return carryWatch(context, { ...row, job: row.job });
    case "report":
      return carryReport(context, row);
    case "goal":
      return carryGoal(context, { ...row, job: row.job });
    case "judged":
      return carryJudged(context, { ...row, job: row.job });
    case "hook":
      return carryEvent(context, row, row.job);
    case "deliver":
      return carryDelivery(context, row, row.job);
    case "kinds":
      return carryKinds(context, { ...row, job: row.job });
    case "copy":
      return host.replay?.copy(row);
    case "replayed":
      return host.replay?.report(row);
    case "review":
      return carryReview(context, { ...row, job: row.job });
  }
}
