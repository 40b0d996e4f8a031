// Tells whom it concerns of a person's rating: the evidence and the verdicts of the skills the turn used, the Archive, and, by a
// note in the log, the model and the review that follows. A job of the outbox; every step may be done again.
import { withCorrection } from "../../learning/observe/observe.ts";
import { decideOnRating } from "../../learning/observe/triggers.ts";
import type { NoteEntry, Part } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import { placeNotice } from "../readers/events.ts";
import type { Job, JobRow } from "../jobs.ts";
import {
  type Judged,
  entriesOf,
  observeRow,
  offeredTo,
  putObservation,
  tellAgain,
  tellWithdrawn,
} from "./observe-job.ts";
import { askForReview, settledTo } from "./review-state.ts";

export type RatingRow = JobRow & { job: Extract<Job, { kind: "rating" }> };

/** While a turn runs, the next number of an entry may be its answer's. */
const QUIET_MS = 10_000;

/** A rating, at once or days later. */
export async function carryRating(context: EngineContext, row: RatingRow): Promise<void> {
  const { host, log, jobs, hub } = context;
  const turn = log.turn(row.job.turn)!;
  if (jobs.get(observeRow(turn.n))) return jobs.retry(row); // it is looked at first
  const stored = log.observed(turn.n)!;
  const { rating } = stored;
  if (!rating || rating.nth !== row.job.nth) return jobs.delete(row.id);
  // Up, and nothing to say: there is nothing that a model or a review could read.
  const isTold = rating.rating === "down" || rating.correction !== undefined || rating.nth > 1;
  if (isTold && log.openTurns().length > 0) return jobs.put(row.id, host.clock.now() + QUIET_MS, row.job, row.tries);

  const entries = entriesOf(context, turn);
  const judgement = stored.observation.judgements!.findLast(({ judge }) => judge === "rating")!;
  const judged: Judged = { row: turn, entries, observation: stored.observation, judgement, nth: rating.nth };
  // Of an order to the session there was no work that anything could be learned of.
  const isOfWork = context.meta().learning === "on" && turn.stats.modelCalls > 0;
  const told = isOfWork ? await tellAgain(context, row, judged) : { ...judged, moves: [] };
  const isCurrent = () => {
    const now = jobs.get(row.id)?.job;
    return now?.kind === "rating" && now.nth === rating.nth;
  };
  if (!isCurrent()) return; // the person has changed their mind meanwhile
  if (isTold && log.openTurns().length > 0) return jobs.put(row.id, host.clock.now() + QUIET_MS, row.job, row.tries);
  const note = isTold ? toRatingNote(context, turn.n, rating) : null;
  host.sql.transaction(() => {
    jobs.delete(row.id);
    tellWithdrawn(context, told.moves);
    if (note) log.put(note);
    const { observation } = told;
    const isPutRight = note && rating.correction !== undefined;
    putObservation(context, turn.n, isPutRight ? withCorrection(observation, note.n) : observation);
    const { settings } = host;
    const decision = decideOnRating({ rating, turn: turn.n, entries, settings, offered: offeredTo(context) });
    if (decision) askForReview(context, decision, { to: settledTo(log), extraTurns: [turn.n] });
  });
  if (note) hub.emit(placeNotice(note));
}

function toRatingNote(
  { host, log }: EngineContext,
  turn: number,
  { rating, correction }: { rating: "up" | "down"; correction?: string | undefined },
): NoteEntry {
  const told = `The person rated turn ${turn} ${rating}.`;
  const parts: Part[] =
    correction === undefined
      ? [{ source: "outcome", text: told }]
      : [
          { source: "outcome", text: `${told} What would have been right, in their words:\n` },
          { source: "principal", text: correction },
        ];
  const last = log.lastTurn()!.n;
  return { v: 1, n: log.nextEntry(), turn: last, at: host.clock.now(), kind: "note", code: "rating", parts };
}
