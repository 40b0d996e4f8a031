// Builds the three Workers once for a chaos run, so that each of its many starts is quick: with the entries that have
// failpoints, or as they are. Called by turns.ts and reviews.ts.
import { join } from "node:path";
import { type WorkerOptions, bundleWorker } from "../stack/bundle.ts";
import { type WorkerName, readWorkerConfigs, root } from "../stack/wrangler.ts";

/** For startStack; the api Worker comes first. `entries`: files of test/chaos that stand in for the product's entry. */
export function buildWorkers(folder: string, entries: Partial<Record<WorkerName, string>>): Promise<WorkerOptions[]> {
  const configs = readWorkerConfigs().toReversed();
  return Promise.all(
    configs.map(({ worker, raw }) => {
      const entry = entries[worker];
      const main = entry ? join(root, "test", "chaos", entry) : raw.main;
      return bundleWorker({ ...raw, main }, join(folder, worker));
    }),
  );
}
