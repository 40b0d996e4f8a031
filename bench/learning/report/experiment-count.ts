// Counts the experiments of a run by their outcomes, and their replays by how they ended. Called by run-stream.ts.
import type { Experiments } from "../../../core/experiments/ports.ts";
import type { ExperimentId } from "../../../core/schemas/learning/experiment.ts";
import type { ExperimentCounts } from "./records.ts";

const EXPERIMENTS_A_PAGE = 100;

/** `null`: there are none. */
export async function countExperiments(
  calls: Pick<Experiments, "list" | "read"> | null,
): Promise<ExperimentCounts | null> {
  if (!calls) return null;
  const counts: ExperimentCounts = { made: 0, outcomes: {}, replays: 0, ends: {} };
  let after: ExperimentId | undefined;
  do {
    const page = await calls.list({ limit: EXPERIMENTS_A_PAGE, ...(after !== undefined && { after }) });
    for (const { id, outcome } of page) {
      counts.made += 1;
      counts.outcomes[outcome ?? "none"] = (counts.outcomes[outcome ?? "none"] ?? 0) + 1;
      const experiment = await calls.read(id);
      for (const { replay, report } of experiment.ok ? experiment.value.runs : []) {
        if (replay === null || !report) continue;
        counts.replays += 1;
        counts.ends[report.end] = (counts.ends[report.end] ?? 0) + 1;
      }
    }
    after = page.length < EXPERIMENTS_A_PAGE ? undefined : page.at(-1)!.id;
  } while (after !== undefined);
  return counts;
}
