// Runs jobs in up to MAX_THREADS threads, at most one per core, and reports each result at once. Called by bench/learning.ts.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { RunRecord } from "../report/records.ts";
import type { PlantsRecord } from "./plants.ts";
import type { TwoProfilesRecord } from "./two-profiles.ts";

export interface Job {
  kind: "stream" | "two-profiles" | "plants";
  arm: string;
  seed: number;
  /** The world's name in parameters.ts. */
  cell: string;
  /** Index in `ThreadInput.surfaces`. */
  surfaces: number;
}

/** The files and folders from which a thread reads its worlds. */
export interface ThreadInput {
  parameters: string;
  surfaces: string[];
}

export type JobResult =
  | { kind: "stream"; record: RunRecord }
  | { kind: "two-profiles"; record: TwoProfilesRecord }
  | { kind: "plants"; record: PlantsRecord };

const MAX_THREADS = 2;
/** Most of a run's objects are short-lived. With the default young generation a tenth of the time is garbage collection. */
const YOUNG_MB = 128;

export async function runJobs(
  jobs: readonly Job[],
  places: ThreadInput,
  finished: (job: Job, done: JobResult) => void,
): Promise<void> {
  let next = 0;
  const threads = Math.min(MAX_THREADS, availableParallelism(), jobs.length);
  await Promise.all(Array.from({ length: threads }, () => runThread()));

  async function runThread(): Promise<void> {
    const thread = new Worker(join(import.meta.dirname, "job-thread.ts"), {
      workerData: places,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    try {
      await new Promise<void>((resolve, reject) => {
        let current: Job | undefined;
        const give = () => {
          current = jobs[next++];
          if (current) thread.postMessage(current);
          else resolve();
        };
        thread.on("message", (done: JobResult) => {
          finished(current!, done);
          give();
        });
        thread.on("error", reject);
        thread.on("exit", (code) => reject(new Error(`a thread of the bench ended with ${code}`)));
        give();
      });
    } finally {
      await thread.terminate();
    }
  }
}
