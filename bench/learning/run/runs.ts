// Stores finished runs in a file, so that a killed bench can resume. The file is named by a hash of everything the runs depend
// on: the simulator, the product and the surfaces. Only one process may write it.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { JobResult, Job } from "./pool.ts";

export interface KeptRuns {
  find(job: Job): JobResult | undefined;
  add(job: Job, done: JobResult): void;
}

const SHORT_CHARS = 16;

/** `depends`: hashes of everything that affects a run's outcome, except the job itself. */
export function openRuns(folder: string, depends: readonly string[]): KeptRuns {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `runs-${sha256Hex(depends.join("\n")).slice(0, SHORT_CHARS)}.jsonl`);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // A killed bench may have written half a line.
  if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n");
  const results = new Map<string, JobResult>();
  for (const line of text.split("\n")) {
    const run = readLine(line);
    if (run) results.set(nameJob(run.job), run.done);
  }
  return {
    find: (job) => results.get(nameJob(job)),
    add(job, done) {
      results.set(nameJob(job), done);
      appendFileSync(path, `${JSON.stringify({ job, done })}\n`);
    },
  };
}

function readLine(line: string): { job: Job; done: JobResult } | null {
  try {
    return line === "" ? null : (JSON.parse(line) as { job: Job; done: JobResult });
  } catch {
    return null; // half a line
  }
}

function nameJob({ kind, arm, seed, cell, surfaces }: Job): string {
  return `${kind} ${surfaces} ${cell} ${arm} ${seed}`;
}
