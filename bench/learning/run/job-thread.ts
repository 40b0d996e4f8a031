// A worker thread of the bench: runs the jobs that it receives, one at a time. Started by pool.ts.
import { parentPort, workerData } from "node:worker_threads";
import { findArm } from "../arms/arms.ts";
import { readParameters } from "../world/parameters.ts";
import { runPlants } from "./plants.ts";
import type { JobResult, Job, ThreadInput } from "./pool.ts";
import { runStream } from "./run-stream.ts";
import { readSurfaces } from "../world/surfaces.ts";
import { runTwoProfiles } from "./two-profiles.ts";
import { createWorld } from "../world/world.ts";

const { parameters: path, surfaces: folders } = workerData as ThreadInput;
const parameters = readParameters(path);
if (!parameters.ok) throw new Error(parameters.failure.message);
const { cells } = parameters.value;
const surfaces = folders.map((folder) => {
  const read = readSurfaces(folder);
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
});

parentPort!.on("message", (job: Job) => void run(job).then((done) => parentPort!.postMessage(done)));

async function run(job: Job): Promise<JobResult> {
  const arm = findArm(job.arm);
  const world = createWorld(cells[job.cell]!, surfaces[job.surfaces]!, job.seed);
  if (job.kind === "two-profiles") return { kind: job.kind, record: await runTwoProfiles(arm, world) };
  if (job.kind === "plants") return { kind: job.kind, record: await runPlants(arm, world) };
  return { kind: job.kind, record: await runStream(arm, world) };
}
