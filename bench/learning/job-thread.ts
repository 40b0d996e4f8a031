// One thread of the bench: runs the jobs it is sent, one at a time. Started by pool.ts.
import { parentPort, workerData } from "node:worker_threads";
import { armNamed } from "./arms.ts";
import { readParameters } from "./parameters.ts";
import type { Done, Job } from "./pool.ts";
import { runStream } from "./run-stream.ts";
import { runTwoProfiles } from "./two-profiles.ts";
import { createWorld } from "./world.ts";

const read = readParameters(workerData as string);
if (!read.ok) throw new Error(read.failure.message);
const file = read.value;

parentPort!.on("message", (job: Job) => void run(job).then((done) => parentPort!.postMessage(done)));

async function run(job: Job): Promise<Done> {
  const arm = armNamed(job.arm);
  if (job.kind === "two-profiles")
    return { kind: job.kind, record: await runTwoProfiles(arm, createWorld(file.world, job.seed)) };
  const parameters = job.cell === null ? file.world : file.stress[job.cell]!;
  return { kind: job.kind, record: await runStream(arm, createWorld(parameters, job.seed)) };
}
