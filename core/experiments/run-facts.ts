// The runs of an experiment as the rule of decide.ts reads them. Called by pump.ts and carry-run.ts. Pure.
import { countTokens } from "../schemas/usage.ts";
import type { ExperimentFacts } from "./decide.ts";
import type { StoredExperiment, StoredRun } from "./rows.ts";

/** The first run that is lost does not count: it is made again once. A run whose model did not have the text says nothing about it. */
export function toFacts({ tried, turns, hasParent }: StoredExperiment, runs: StoredRun[]): ExperimentFacts {
  const done = runs.filter((run) => run.state === "done" && run.report !== null);
  const counted = done.filter((run) => {
    if (run.report!.end !== "lost") return true;
    return done.some(
      (one) => one.nth < run.nth && one.turn === run.turn && one.arm === run.arm && one.report!.end === "lost",
    );
  });
  const isOpen = (turn: string) => turns.some((one) => one.turn === turn && one.replayability.replayable);
  return {
    hasParent,
    // A turn whose session is gone stays with the runs that it has.
    turns: tried.filter(({ turn }) => isOpen(turn) || counted.some((run) => run.turn === turn && run.arm === "with")),
    runs: counted.map(({ turn, arm, replay, report, verdict, judge }) => {
      const lacksText = arm !== "without" && replay !== null && !report!.loaded && report!.end === "answered";
      return {
        ...{ turn, arm, isRecorded: replay === null },
        end: lacksText ? "failed" : report!.end,
        verdict: lacksText ? "unknown" : (verdict ?? "unknown"),
        judge: judge ?? "none",
        ...{ calls: report!.stats.toolCalls, failedCalls: report!.stats.failedCalls },
        tokens: countTokens(report!.stats.usage),
      };
    }),
  };
}
