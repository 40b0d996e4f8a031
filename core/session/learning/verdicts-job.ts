// Applies a review's judgements of turns to the Archive and to the evidence and verdicts of the skills that the turns used.
// The job's row is written in the transaction that settles the review. Called by the outbox; every step is idempotent.
import { withCorrection, withJudgement } from "../../learning/observe/observe.ts";
import type { ReviewResult, ReviewVerdict } from "../../schemas/learning/review.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { type JudgedTurn, readTurnEntries, observe, putObservation } from "./observations.ts";
import { observeRow, reportJudgement, putWithdrawnNotices } from "./observe-job.ts";
import { isFromPrincipal, couldReadAnswer, turnBefore } from "./person-judgement.ts";

export type VerdictsRow = JobRow & { job: Extract<Job, { kind: "verdicts" }> };

/** Call inside the transaction that settles the review. */
export function putVerdicts({ jobs }: EngineContext, { review, verdicts, finishedAt }: ReviewResult): void {
  if (verdicts) jobs.put(`verdicts:${review}`, finishedAt, { kind: "verdicts", verdicts, at: finishedAt });
}

export async function carryVerdicts(context: EngineContext, row: VerdictsRow): Promise<void> {
  const { host, jobs } = context;
  for (const verdict of row.job.verdicts) {
    const judged = judge(context, verdict, row.job.at);
    if (!judged) continue;
    if (jobs.get(observeRow(judged.row.n))) return jobs.retry(row); // the turn is observed first
    const report = await reportJudgement(context, row, judged);
    host.sql.transaction(() => {
      putWithdrawnNotices(context, report.moves);
      const { observation } = report;
      const hasCorrection = verdict.verdict !== "none" && verdict.correction;
      putObservation(context, judged.row.n, hasCorrection ? withCorrection(observation, verdict.entry) : observation);
    });
  }
  jobs.delete(row.id);
}

/** The turn before the message, as the reviewer judges it. `null`: nothing new is known of it. */
function judge(context: EngineContext, verdict: ReviewVerdict, at: number): JudgedTurn | null {
  const { log } = context;
  const [input] = log.entries(verdict.entry, verdict.entry);
  const turn = input && log.turn(input.turn);
  if (!turn || turn.input !== verdict.entry || !isFromPrincipal(input)) return null;
  const before = turnBefore(context, turn);
  if (!before || !couldReadAnswer(input, before)) return null;
  const entries = readTurnEntries(context, before);
  const observation = log.observed(before.n)?.observation ?? observe(context, before, entries);
  const known = observation.judgements ?? [];
  // A later review may judge the same message again. The first judgement counts.
  const isKnown = known.some(({ judge }) => judge === "reviewer");
  const saysNothing = verdict.verdict === "none" && !known.some(({ judge }) => judge === "message");
  if (isKnown || saysNothing) return null;
  const outcome = verdict.verdict === "none" ? "unknown" : verdict.verdict;
  const judgement = { judge: "reviewer", outcome, at } as const;
  return { row: before, entries, judgement, nth: 1, observation: withJudgement(observation, judgement) };
}
