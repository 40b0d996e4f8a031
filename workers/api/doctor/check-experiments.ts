// What a check-up says of experiments: what they may spend, with which model, and what waits. Called by run-doctor.ts.
import type { DoctorLine } from "../../../core/schemas/doctor.ts";
import type { ExperimentSum } from "../../../core/schemas/learning/experiment.ts";
import { good, warn } from "./lines.ts";

const CHECK = "experiments";

/**
 * No line for a profile that has no grant and no open experiment. `tokens`: what experiments may use a day, unasked. `model`: of the slot
 * `replay`; `null`: it lacks a key or an address, which the lines of models say.
 */
export function checkExperiments(
  { waiting, running }: Pick<ExperimentSum, "waiting" | "running">,
  { tokens, model }: { tokens: number; model: string | null },
): DoctorLine[] {
  if (tokens === 0 && waiting + running === 0) return [];
  if (tokens === 0 && waiting > 0) {
    const fix =
      "Set `review.replayTokens` in TALARIA_SETTINGS, or stop them with POST /v1/experiments/{experiment}/stop.";
    return [warn(CHECK, `${waiting} waiting for tokens, and no grant of the day`, fix)];
  }
  const grant = tokens === 0 ? "no grant of the day" : `${tokens.toLocaleString("en")} tokens a day`;
  return [good(CHECK, `${grant}, runs by ${model ?? "no model"}; ${waiting} waiting, ${running} running`)];
}
