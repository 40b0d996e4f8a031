// The evaluation of a trained model in words. Pure.
import type { Answer } from "../data/api.ts";

type Evaluation = NonNullable<Answer<"GET /v1/training/models">["models"][number]["evaluation"]>;

/** `accuracy 0.41 → 0.57`. A measure that one side lacks is a dash. */
export function describeEvaluation({ before, after }: Evaluation): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.map((name) => `${name} ${before[name] ?? "–"} → ${after[name] ?? "–"}`).join(", ");
}
