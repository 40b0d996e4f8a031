// Builds the three Workers once per chaos run, so that its many starts are fast. Entries with failpoints can replace the
// product's. Called by turns.ts and reviews.ts.
import { join } from "node:path";
import { type WorkerOptions, bundleWorker } from "../stack/bundle.ts";
import { type WorkerName, readWorkerConfigs, root } from "../stack/wrangler.ts";

/** Workers for startStack, the api Worker first. `entries`: files of test/chaos that replace a Worker's entry point. */
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
