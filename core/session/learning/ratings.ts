// Stores a person's rating of a turn, and reads what was observed of a turn. Called by the engine. Synchronous: rating-job.ts
// applies the rating to skills and the Archive later.
import { type Result, err, ok } from "../../errors.ts";
import { withJudgement } from "../../learning/observe/observe.ts";
import { traceTurn } from "../../learning/observe/trace.ts";
import type { TurnObservation } from "../../schemas/api.ts";
import type { Observation, Rating } from "../../schemas/learning/learning.ts";
import type { EngineContext } from "../context.ts";
import { type TurnRow, isOpen } from "../log-turns.ts";
import { findReplayability } from "../replay/replayable.ts";
import { isInherited, isUndone } from "../undo/undone.ts";
import { readTurnEntries, observe } from "./observations.ts";

/** Ratings of one turn: each changed rating is an object in R2. */
const MAX_RATINGS = 100;

/** Idempotent: the same rating again changes nothing. Failures: `turn_not_found`, `turn_not_ended`, `turn_undone`, `turn_inherited`, `too_many_ratings`. */
export function rateTurn(context: EngineContext, n: number, { rating, correction }: Rating): Result<Observation> {
  const { host, log, jobs } = context;
  const found = endedTurn(context, n);
  if (!found.ok) return found;
  const turn = found.value;
  if (isUndone(log, turn.n)) return err("turn_undone", `Turn ${turn.n} was taken back, so it cannot be rated.`);
  const origin = isInherited(context, turn.n) ? context.meta().branchedFrom!.find((one) => turn.n <= one.turn) : null;
  if (origin) return err("turn_inherited", `Turn ${turn.n} was copied from session ${origin.session}: rate it there.`);
  const stored = log.observed(turn.n);
  const before = stored?.rating;
  if (stored && before?.rating === rating && before.correction === correction) return ok(stored.observation);
  const nth = (before?.nth ?? 0) + 1;
  if (nth > MAX_RATINGS) return err("too_many_ratings", `A turn takes ${MAX_RATINGS} ratings, and this one has them.`);
  const now = host.clock.now();
  // Ratings of one turn must differ in time.
  const at = Math.max(now, (before?.at ?? 0) + 1);
  const outcome = rating === "up" ? "success" : "failure";
  const observation = withJudgement(stored?.observation ?? observe(context, turn), { judge: "rating", outcome, at });
  const given = { rating, ...(correction !== undefined && { correction }), nth, at };
  host.sql.transaction(() => {
    log.putObserved(turn.n, { ...stored, observation, rating: given });
    jobs.put(`rating:${turn.n}`, now, { kind: "rating", turn: turn.n, nth });
  });
  return ok(observation);
}

/** `observation` is null for a turn that was not observed. Failures: `turn_not_found`, `turn_not_ended`. */
export function readObservation(context: EngineContext, n: number): Result<TurnObservation> {
  const found = endedTurn(context, n);
  if (!found.ok) return found;
  const turn = found.value;
  const observation = context.log.observed(turn.n)?.observation ?? null;
  const trace = traceTurn(readTurnEntries(context, turn));
  return ok({ n: turn.n, observation, trace, replayability: findReplayability(context, turn.n) });
}

/** For an input that was put into a running turn: that turn. */
function endedTurn({ log }: EngineContext, n: number): Result<TurnRow> {
  const asked = log.turn(n);
  const turn = asked?.more.into === undefined ? asked : log.turn(asked.more.into);
  if (!turn) return err("turn_not_found", `This session has no turn ${n}.`);
  if (isOpen(turn)) return err("turn_not_ended", `Turn ${n} has not ended. Try again when it has.`);
  return ok(turn);
}
