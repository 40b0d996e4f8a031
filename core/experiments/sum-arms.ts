// The figures of an experiment: each arm over its runs. Called by pump.ts. Pure.
import { medianOf } from "../median.ts";
import type { Arm, ArmSum } from "../schemas/learning/experiment.ts";
import type { JudgedRun } from "./decide.ts";

/** Each arm over its runs that ended with an answer, or are judged. */
export function sumArms(runs: JudgedRun[]): Partial<Record<Arm, ArmSum>> {
  const sums: Partial<Record<Arm, ArmSum>> = {};
  for (const arm of ["with", "without", "parent"] as const) {
    const own = runs.filter((run) => run.arm === arm && (run.end === "answered" || run.verdict !== "unknown"));
    if (own.length > 0) sums[arm] = sumRuns(own);
  }
  return sums;
}

function sumRuns(runs: JudgedRun[]): ArmSum {
  return {
    runs: runs.length,
    right: runs.filter(({ verdict }) => verdict === "right").length,
    wrong: runs.filter(({ verdict }) => verdict === "wrong").length,
    calls: medianOf(runs.map(({ calls }) => calls)),
    failedCalls: medianOf(runs.map(({ failedCalls }) => failedCalls)),
    tokens: medianOf(runs.map(({ tokens }) => tokens)),
  };
}
