// Runs jobs in threads, as many at a time as there are cores, and hands back what each made in the order of the jobs.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { RunRecord } from "./records.ts";
import type { TwoProfilesRecord } from "./two-profiles.ts";

export type Job =
  /** `cell`: the name of a world that is harder in one thing; `null`: the world as it is. */
  | { kind: "stream"; arm: string; seed: number; cell: string | null }
  | { kind: "two-profiles"; arm: string; seed: number };

export type Done = { kind: "stream"; record: RunRecord } | { kind: "two-profiles"; record: TwoProfilesRecord };

const MAX_THREADS = 2;
/** A run leaves little behind and throws much away: with the default a tenth of the time goes into collecting it. */
const YOUNG_MB = 128;

export async function runJobs(
  jobs: readonly Job[],
  parametersPath: string,
  tell: (done: number) => void,
): Promise<Done[]> {
  const results: Done[] = [];
  let next = 0;
  let done = 0;
  const threads = Math.min(MAX_THREADS, availableParallelism(), jobs.length);
  await Promise.all(Array.from({ length: threads }, () => runThread()));
  return results;

  async function runThread(): Promise<void> {
    const thread = new Worker(join(import.meta.dirname, "job-thread.ts"), {
      workerData: parametersPath,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    try {
      await new Promise<void>((resolve, reject) => {
        let current = -1;
        const give = () => {
          current = next++;
          if (current >= jobs.length) resolve();
          else thread.postMessage(jobs[current]);
        };
        thread.on("message", (result: Done) => {
          results[current] = result;
          tell(++done);
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
