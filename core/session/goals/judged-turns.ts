// What a goal's judge says of a turn becomes evidence of the judge `goal`, for the skills that the turn used. Only what is certain: a goal
// that was reached, and a claim that a check has contradicted. A job of the outbox; idempotent.
import { withJudgement } from "../../learning/observe/observe.ts";
import type { GoalVerdict } from "../../schemas/agenda/goal.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { observeRow, putWithdrawnNotices, reportJudgement } from "../learning/observe-job.ts";
import { observe, putObservation, readTurnEntries } from "../learning/observations.ts";

type JudgedRow = JobRow & { job: Extract<Job, { kind: "judged" }> };

/** Inside the caller's transaction. */
export function planJudged(context: EngineContext, turn: number, verdict: GoalVerdict): void {
  const { host, log, jobs } = context;
  if (verdict.kind !== "done" || context.meta().learning !== "on" || log.turn(turn)!.stats.modelCalls === 0) return;
  const outcome = verdict.failed === undefined ? "success" : "failure";
  const at = host.clock.now();
  jobs.put(`judged:${turn}`, at, { kind: "judged", turn, outcome, at });
}

export async function carryJudged(context: EngineContext, row: JudgedRow): Promise<void> {
  const { host, log, jobs } = context;
  const { turn: n, outcome, at } = row.job;
  if (jobs.get(observeRow(n))) return jobs.retry(row); // the turn is observed first
  const turn = log.turn(n)!;
  const entries = readTurnEntries(context, turn);
  const judgement = { judge: "goal", outcome, at } as const;
  const before = log.observed(n)?.observation ?? observe(context, turn, entries);
  const isKnown = before.judgements?.some(({ judge }) => judge === "goal") === true;
  const observation = isKnown ? before : withJudgement(before, judgement);
  const report = await reportJudgement(context, row, { row: turn, entries, judgement, nth: 1, observation });
  host.sql.transaction(() => {
    if (!jobs.get(row.id)) return; // another attempt was quicker
    jobs.delete(row.id);
    putWithdrawnNotices(context, report.moves);
    putObservation(context, n, report.observation);
  });
}
