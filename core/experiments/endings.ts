// What ends an experiment early, or makes it forget: a person stops it, a session or a skill is deleted, a text is purged. Rows only; what
// follows outside is done when the experiment concludes. Called by experiments.ts, inside its transactions.
import type { SessionId } from "../schemas/ids.ts";
import { type ExperimentId, emptyReport } from "../schemas/learning/experiment.ts";
import { withoutWords } from "./advance.ts";
import type { ExperimentRows, StoredExperiment, StoredRun } from "./rows.ts";

/** What failed for hours ends without an outcome. */
export function giveUp(rows: ExperimentRows, current: StoredExperiment, now: number): void {
  const why = current.why || "It could not be tried.";
  if (current.step !== "conclude") {
    rows.put({ ...current, step: "conclude", outcome: null, why, tries: 0, due: now });
    closeRuns(rows, current.id);
    return;
  }
  const endedAt = current.endedAt ?? now;
  rows.put({
    ...current,
    state: "done",
    step: "kept",
    why,
    endedAt,
    runsUntil: now,
    due: now,
    tries: 0,
    ...{ tried: [], about: "", contradicted: undefined },
  });
  rows.deleteText(current.id);
}

/** Runs that nobody waits for any more. Those that have reported are booked; the others are erased when the experiment concludes. */
function closeRuns(rows: ExperimentRows, id: ExperimentId): void {
  for (const run of rows.runs(id)) if (run.step === "judge") rows.putRun(toUnjudged(run));
}

/** It has reported, and nobody asks how it went: it is booked. */
export function toUnjudged(run: StoredRun): StoredRun {
  return { ...run, step: "book", state: "done", verdict: "unknown", judge: "none" };
}

/** One that has an outcome keeps it. */
export function stopNow(rows: ExperimentRows, experiment: StoredExperiment, why: string, now: number): void {
  const { step } = experiment;
  if (step === "kept" || step === "erased" || step === "conclude") return;
  rows.put({
    ...experiment,
    state: "done",
    step: "conclude",
    outcome: null,
    why,
    endedAt: now,
    tries: 0,
    due: now,
  });
  closeRuns(rows, experiment.id);
}

/** The words of a session that was deleted, and whom to tell. */
export function forgetSessionOf(
  rows: ExperimentRows,
  experiment: StoredExperiment,
  session: SessionId,
  now: number,
): void {
  const isOf = (turn: string) => turn.startsWith(`${session}-`);
  const runs = rows.runs(experiment.id).filter(({ turn }) => isOf(turn));
  const isTold = experiment.session === session;
  if (!isTold && runs.length === 0 && !experiment.turns.some(({ turn }) => isOf(turn))) {
    // It may be describing turns of this session at this moment: its step is taken again.
    if (experiment.step === "choose") rows.put(experiment);
    return;
  }
  for (const run of runs) rows.putRun(toForgotten(run, now));
  const gone = { replayable: false, reason: "session_gone", why: "Its session was deleted." } as const;
  const turns = experiment.turns.map((one) => (isOf(one.turn) ? { ...one, request: null, replayability: gone } : one));
  const tried = experiment.tried.map(({ refused, ...one }) =>
    isOf(one.turn) ? { ...one, request: "", accepted: null } : { ...one, ...(refused && { refused }) },
  );
  const due = experiment.step === "run" ? now : experiment.due;
  rows.put({ ...experiment, session: isTold ? null : experiment.session, turns, tried, due });
}

/** The profile is going: a step that is under way writes nothing more, so that no run begins unseen. */
export function closeOff(rows: ExperimentRows, experiment: StoredExperiment): void {
  rows.put({ ...experiment, step: "erased", due: null });
}

/** Of all that was said, only the result is left. */
export function forgetWordsOf(rows: ExperimentRows, experiment: StoredExperiment, now: number): void {
  stopNow(rows, experiment, "A text was purged that its runs may have quoted.", now);
  const current = rows.get(experiment.id)!;
  for (const run of rows.runs(current.id)) {
    const { report } = toForgotten(run, now);
    const bare = report && { ...report, failedWords: [], refusedWords: [], workedWords: [] };
    rows.putRun({ ...toForgotten(run, now), report: bare });
  }
  rows.deleteText(current.id);
  const turns = current.turns.map((one) => ({ ...one, request: null }));
  rows.put({ ...current, turns, tried: [], about: "", citations: [], contradicted: undefined });
}

/** The Replay object is erased next; one that had not reported ends here. */
function toForgotten(run: StoredRun, endedAt: number): StoredRun {
  const bare = withoutWords(run);
  if (run.step === "begin" || run.step === "wait") {
    const report = emptyReport("failed", "session_gone", endedAt);
    return { ...bare, step: "ended", state: "done", verdict: "unknown", judge: "none", report };
  }
  return run.step === "judge" ? toUnjudged(bare) : bare;
}
