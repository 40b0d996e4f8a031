// Applies a person's rating of a turn: to the evidence and the verdicts of its skills, to the Archive, and as a note in the
// log for the model and the next review. A job of the outbox; every step is idempotent.
import { withCorrection } from "../../learning/observe/observe.ts";
import { decideOnRating } from "../../learning/observe/triggers/triggers.ts";
import type { NoteEntry, Part } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import { placeNotice } from "../readers/events.ts";
import type { Job, JobRow } from "../jobs.ts";
import { type JudgedTurn, readTurnEntries, putObservation } from "./observations.ts";
import { observeRow, learningOffered, reportJudgement, putWithdrawnNotices } from "./observe-job.ts";
import { askForReview, settledTo } from "./review-state.ts";

export type RatingRow = JobRow & { job: Extract<Job, { kind: "rating" }> };

/** Wait while a turn runs: the next entry number may belong to its answer. */
const QUIET_MS = 10_000;

export async function carryRating(context: EngineContext, row: RatingRow): Promise<void> {
  const { host, log, jobs, hub } = context;
  const turn = log.turn(row.job.turn)!;
  if (jobs.get(observeRow(turn.n))) return jobs.retry(row); // the turn is observed first
  const stored = log.observed(turn.n)!;
  const { rating } = stored;
  if (!rating || rating.nth !== row.job.nth) return jobs.delete(row.id);
  // A first "up" without a correction gives a model or a review nothing to learn.
  const hasNote = rating.rating === "down" || rating.correction !== undefined || rating.nth > 1;
  if (hasNote && log.openTurns().length > 0) return jobs.put(row.id, host.clock.now() + QUIET_MS, row.job, row.tries);

  const entries = readTurnEntries(context, turn);
  const judgement = stored.observation.judgements!.findLast(({ judge }) => judge === "rating")!;
  const judged: JudgedTurn = { row: turn, entries, observation: stored.observation, judgement, nth: rating.nth };
  // A turn that only carried out a command has no work to learn from.
  const isOfWork = context.meta().learning === "on" && turn.stats.modelCalls > 0;
  const reported = isOfWork ? await reportJudgement(context, row, judged) : { ...judged, moves: [] };
  const isCurrent = () => {
    const now = jobs.get(row.id)?.job;
    return now?.kind === "rating" && now.nth === rating.nth;
  };
  if (!isCurrent()) return; // the person has rated the turn again meanwhile
  if (hasNote && log.openTurns().length > 0) return jobs.put(row.id, host.clock.now() + QUIET_MS, row.job, row.tries);
  const note = hasNote ? toRatingNote(context, turn.n, rating) : null;
  host.sql.transaction(() => {
    jobs.delete(row.id);
    putWithdrawnNotices(context, reported.moves);
    if (note) log.put(note);
    const { observation } = reported;
    const hasCorrection = note && rating.correction !== undefined;
    putObservation(context, turn.n, hasCorrection ? withCorrection(observation, note.n) : observation);
    const { settings } = host;
    const decision = decideOnRating({ rating, turn: turn.n, entries, settings, offered: learningOffered(context) });
    if (decision) askForReview(context, decision, { to: settledTo(log), extraTurns: [turn.n] });
  });
  if (note) hub.emit(placeNotice(note));
}

function toRatingNote(
  { host, log }: EngineContext,
  turn: number,
  { rating, correction }: { rating: "up" | "down"; correction?: string | undefined },
): NoteEntry {
  const rated = `The person rated turn ${turn} ${rating}.`;
  const parts: Part[] =
    correction === undefined
      ? [{ source: "outcome", text: rated }]
      : [
          { source: "outcome", text: `${rated} What would have been right, in their words:\n` },
          { source: "principal", text: correction },
        ];
  const last = log.lastTurn()!.n;
  return { v: 1, n: log.nextEntry(), turn: last, at: host.clock.now(), kind: "note", code: "rating", parts };
}
