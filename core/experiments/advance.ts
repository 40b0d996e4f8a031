// How the state of an experiment is written: by one row at a time, and never over what came meanwhile. Used by all steps of core/experiments/.
import { DAY_MS } from "../schemas/ids.ts";
import type { ExperimentHost } from "./ports.ts";
import type { ExperimentRows, StoredExperiment, StoredRun } from "./rows.ts";

/** Runs are kept for so long, and results. */
export const RUNS_KEPT_MS = 7 * DAY_MS;
export const RESULT_KEPT_MS = 90 * DAY_MS; // [own] longer than a text takes to become stale

export interface PumpContext {
  host: ExperimentHost;
  rows: ExperimentRows;
}

/**
 * Writes the next state, unless the experiment has changed since it was read: somebody stopped it or forgot a session meanwhile. `more` runs in
 * the same transaction.
 */
export function advance(
  { host, rows }: PumpContext,
  seen: StoredExperiment,
  next: Partial<StoredExperiment>,
  more: () => void = () => {},
): void {
  host.sql.transaction(() => {
    if (rows.get(seen.id)?.seq !== seen.seq) return;
    more();
    rows.put({ ...seen, due: host.clock.now(), tries: 0, ...next });
  });
}

/** `answer` and the arguments of the call that was not recorded quote the conversation. */
export function withoutWords(run: StoredRun): StoredRun {
  return { ...run, report: run.report && { ...run.report, answer: null, left: null } };
}
