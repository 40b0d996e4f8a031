// What learning is told of a turn that the person took back: nobody knows how it ended, whatever was judged before. Its evidence and its
// record in the Archive say so, and it is neither a success nor a failure of the skills it used. A job of the outbox; idempotent.
import { withJudgement } from "../../learning/observe/observe.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { observeRow, putWithdrawnNotices, reportJudgement } from "../learning/observe-job.ts";
import { observe, putObservation, readTurnEntries } from "../learning/observations.ts";
import type { TurnRow } from "../log-turns.ts";
import { isInherited } from "./undone.ts";

export type UndoneRow = JobRow & { job: Extract<Job, { kind: "undone" }> };

/** Inside the caller's transaction. A turn without a model call, or in a session that does not learn, was never judged. */
export function judgeUndone(context: EngineContext, turn: TurnRow): void {
  const { host, log, jobs } = context;
  if (context.meta().learning !== "on" || turn.stats.modelCalls === 0 || isInherited(context, turn.n)) return;
  const stored = log.observed(turn.n);
  const at = Math.max(host.clock.now(), (stored?.rating?.at ?? 0) + 1);
  const judged = { judge: "rating", outcome: "unknown", at } as const;
  const observation = withJudgement(stored?.observation ?? observe(context, turn), judged);
  log.putObserved(turn.n, { ...stored, observation });
  jobs.put(`undone:${turn.n}`, host.clock.now(), { kind: "undone", turn: turn.n, nth: (stored?.rating?.nth ?? 0) + 1 });
}

export async function carryUndone(context: EngineContext, row: UndoneRow): Promise<void> {
  const { host, log, jobs } = context;
  const { turn: n, nth } = row.job;
  if (jobs.get(observeRow(n))) return jobs.retry(row); // the turn is observed first
  const turn = log.turn(n)!;
  const { observation } = log.observed(n)!;
  const judgement = observation.judgements!.findLast(
    ({ judge, outcome }) => judge === "rating" && outcome === "unknown",
  )!;
  const judged = { row: turn, entries: readTurnEntries(context, turn), observation, judgement, nth };
  const reported = await reportJudgement(context, row, judged);
  host.sql.transaction(() => {
    if (!jobs.get(row.id)) return; // another attempt was quicker
    jobs.delete(row.id);
    putWithdrawnNotices(context, reported.moves);
    putObservation(context, n, reported.observation);
  });
}
