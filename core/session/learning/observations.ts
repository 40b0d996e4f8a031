// The observations of a session's turns: made from the log, and stored with what judges have said since. Used by the jobs of
// this folder and by ratings.
import { observeTurn, withCorrection, withJudgement } from "../../learning/observe/observe.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { Judgement, Observation, ReviewCounters } from "../../schemas/learning/learning.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";

/** A turn with a new judgement. */
export interface JudgedTurn {
  row: TurnRow;
  entries: Entry[];
  observation: Observation;
  /** The judgement to report. */
  judgement: Judgement;
  nth: number;
}

/** Observes the turn from the log alone, then applies the later judgements, its kind of work and its corrections. */
export function observe(context: EngineContext, turn: TurnRow, entries = readTurnEntries(context, turn)): Observation {
  const { host, log } = context;
  const stored = log.observed(turn.n)?.observation;
  const base = observeTurn({ session: host.session, turn: turn.n, entries });
  const later = stored?.judgements?.filter(({ judge }) => judge !== "exit") ?? [];
  const named = stored?.kind ? { ...base, kind: stored.kind } : base;
  const judged = later.reduce((done, one) => withJudgement(done, one), named);
  return (stored?.corrections ?? []).reduce((done, { entry }) => withCorrection(done, entry), judged);
}

/** The entries of a turn up to its final one. Later notices and notes may carry its number too. */
export function readTurnEntries({ log }: EngineContext, turn: TurnRow): Entry[] {
  if (turn.input === null || turn.final === null) return [];
  return log.entries(turn.input, turn.final).filter((entry) => entry.turn === turn.n);
}

/** Stores an observation, merged with judgements and corrections that were stored meanwhile, such as a rating. */
export function putObservation(
  { log }: EngineContext,
  turn: number,
  observation: Observation,
  counters?: ReviewCounters,
): void {
  const stored = log.observed(turn);
  const { judgements = [], corrections = [] } = stored?.observation ?? {};
  const missing = judgements.filter(
    ({ judge, at }) => !observation.judgements?.some((known) => known.judge === judge && known.at === at),
  );
  const judged = missing.reduce((done, one) => withJudgement(done, one), observation);
  const whole = corrections.reduce((done, { entry }) => withCorrection(done, entry), judged);
  log.putObserved(turn, { ...stored, observation: whole, ...(counters && { counters }) });
}
