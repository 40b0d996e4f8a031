// Runs jobs in threads, as many at a time as there are cores, and hands over what each made as soon as it is there.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { RunRecord } from "../report/records.ts";
import type { TwoProfilesRecord } from "./two-profiles.ts";

export interface Job {
  kind: "stream" | "two-profiles";
  arm: string;
  seed: number;
  /** Which world: a name of parameters.ts. */
  cell: string;
  /** The place in the list of folders. */
  surfaces: number;
}

/** What a thread reads its worlds from. */
export interface Places {
  parameters: string;
  surfaces: string[];
}

export type Done = { kind: "stream"; record: RunRecord } | { kind: "two-profiles"; record: TwoProfilesRecord };

const MAX_THREADS = 2;
/** A run leaves little behind and throws much away: with the default a tenth of the time goes into collecting it. */
const YOUNG_MB = 128;

export async function runJobs(
  jobs: readonly Job[],
  places: Places,
  finished: (job: Job, done: Done) => void,
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
        thread.on("message", (done: Done) => {
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
