// What became of the jobs of a chaos run, read through the API, and from the requests that the runs' tools made. Called by jobs.ts.
import type { Client } from "../../cli/connection/client.ts";
import { JobDetail, type JobRunInfo, JobRunList } from "../../core/schemas/agenda/job-api.ts";
import { toNull } from "./life.ts";
import { SAYS_DONE, SAYS_UNKNOWN } from "./worker-script.ts";
import type { Arrival } from "./world.ts";

/** A job that is wanted. `everyMs` 0: it has one run. `byHand`: that is begun by hand, as its own time is far away. */
export interface WantedJob {
  thing: number;
  name: string;
  schedule: string;
  everyMs: number;
  byHand: boolean;
}

export interface MeasuredJobs {
  /** Jobs that were accepted and are absent; slots that no run stands for; runs that say that a thing was done that nobody did. */
  lost: number;
  /** Slots with two runs; runs that did their thing twice; jobs with one run that did their thing twice. */
  duplicated: number;
  /** Runs that have not ended. */
  stuck: number;
  /** Runs that say that their end, or what they did, is not known. */
  unknown: number;
  remarks: string[];
}

/** Slots of a job that runs again and again: the newest may still begin. */
const GRACE_MS = 5_000;

/** A job that was accepted. `createdAt` is `null` if the profile does not have it. */
export interface FoundJob extends WantedJob {
  createdAt: number | null;
  runs: JobRunInfo[];
}

export async function readJobs(client: Client, jobs: Iterable<WantedJob>): Promise<FoundJob[]> {
  const found: FoundJob[] = [];
  for (const job of jobs) {
    const detail = await client.call(JobDetail, "GET /v1/jobs/{job}", { params: { job: job.name } }).catch(toNull);
    const runs = detail ? await readRuns(client, job.name) : [];
    found.push({ ...job, createdAt: detail?.job.createdAt ?? null, runs });
  }
  return found;
}

/** `arrivals`: the things that runs did. `until`: since then nothing was killed. Milliseconds since 1970. */
export function countJobs(
  jobs: FoundJob[],
  arrivals: Pick<Arrival, "session" | "task">[],
  until: number,
): MeasuredJobs {
  const sum: MeasuredJobs = { lost: 0, duplicated: 0, stuck: 0, unknown: 0, remarks: [] };
  const note = (figure: "lost" | "duplicated" | "stuck", what: string) => {
    sum[figure]++;
    sum.remarks.push(`${figure}: ${what}`);
  };
  for (const { name, thing, everyMs, createdAt, runs } of jobs) {
    if (createdAt === null) note("lost", `${name} is absent`);
    const slots = new Set(runs.map(({ slot }) => slot));
    if (slots.size < runs.length) note("duplicated", `${name} ran twice for a slot`);
    const done = arrivals.filter(({ task }) => task === thing);
    if (everyMs === 0) {
      if (createdAt !== null && runs.length === 0) note("lost", `${name} has no run`);
      if (slots.size > 1) note("duplicated", `${name} has ${slots.size} runs`);
      if (done.length > 1) note("duplicated", `${name} did its thing ${done.length} times`);
    }
    for (const slot of listSlots(createdAt, everyMs, until)) {
      // One run stands for all slots that were missed before it began.
      if (!runs.some((run) => run.slot <= slot && run.claimedAt >= slot)) {
        note("lost", `${name} has no run for the slot ${new Date(slot).toISOString()}`);
      }
    }
    for (const { id, session, state, output, error, endedAt } of runs) {
      const times = done.filter((arrival) => arrival.session === session).length;
      if (times > 1) note("duplicated", `${name}: the run ${id} did its thing ${times} times`);
      if (endedAt === null) note("stuck", `${name}: the run ${id} is ${state}`);
      else if (state === "unknown" || output === SAYS_UNKNOWN) sum.unknown++;
      else if (state === "failed") note("lost", `${name}: the run ${id} failed: ${error}`);
      else if (output === SAYS_DONE && times === 0) note("lost", `${name}: the run ${id} did nothing`);
    }
  }
  return sum;
}

function listSlots(createdAt: number | null, everyMs: number, until: number): number[] {
  if (createdAt === null || everyMs === 0) return [];
  const count = Math.max(0, Math.floor((until - GRACE_MS - createdAt) / everyMs));
  return Array.from({ length: count }, (_, i) => createdAt + (i + 1) * everyMs);
}

/** Newest first. */
export async function readRuns(client: Client, name: string): Promise<JobRunInfo[]> {
  const listed = await client.list(JobRunList, "GET /v1/jobs/{job}/runs", ({ runs }) => runs, {
    params: { job: name },
  });
  return listed.items;
}
