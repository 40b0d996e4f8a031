// Makes and changes jobs: what a person set becomes a job with a plan and a next slot. Called by jobs.ts. Pure.
import { type Result, err, ok } from "../errors.ts";
import type { Random } from "../ports.ts";
import type { ChangeJob, CreateJob, Job, JobSpec } from "../schemas/agenda/job.ts";
import type { JobSettings } from "../schemas/agenda/settings.ts";
import type { Author } from "../schemas/board/card.ts";
import { createShortId } from "../short-id.ts";
import { nextSlot } from "./next-slot.ts";
import { type ReadSchedule, readSchedule } from "./schedule.ts";

/** Where neither the schedule nor the job names one. */
const DEFAULT_ZONE = "UTC";

export interface EditDeps {
  now: number;
  random: Random;
  limits: Pick<JobSettings, "minEveryMs">;
}

/** Failures: `gate_needs_times`, and those of `readSchedule`. */
export function createJob(
  { paused, ...spec }: CreateJob,
  author: Author,
  { now, random, limits }: EditDeps,
): Result<Job> {
  const read = readSchedule(spec.schedule, { now, zone: spec.timeZone ?? DEFAULT_ZONE, ...limits });
  if (!read.ok) return read;
  return checkGate({
    ...{
      v: 1,
      id: createShortId("j", random),
      ...spec,
      ...scheduled(read.value),
      author,
      createdAt: now,
      changedAt: now,
    },
    paused: paused === undefined ? null : { cause: "person", why: paused, at: now },
    ...{ finishedAt: null, failures: 0, attempts: 0, retry: null, notBefore: null, ran: 0 },
    ...{ seen: null, run: null },
  });
}

/**
 * Absent fields stay. A schedule that is written as before keeps its slots, so a repeated change is harmless; a new one begins now, and so does
 * that of a finished job. Failures: `gate_needs_times`, and those of `readSchedule`.
 */
export function changeJob(job: Job, change: ChangeJob, author: Author, { now, limits }: EditDeps): Result<Job> {
  const changed: Job = { ...job, ...withoutAbsent(change), changedAt: now };
  // Somebody else's words do not become the owner's because the owner changed the hour, nor the reverse.
  if (change.prompt !== undefined && change.prompt !== job.prompt) changed.author = author;
  if (isOther(changed.gate, job.gate)) changed.seen = null;
  const isRestart = change.schedule !== undefined && job.finishedAt !== null;
  if (changed.schedule !== job.schedule || changed.timeZone !== job.timeZone || isRestart) {
    const read = readSchedule(changed.schedule, { now, zone: changed.timeZone, ...limits });
    if (!read.ok) return read;
    // A zone that the schedule names goes before one that is given beside it.
    const isSame = changed.schedule === job.schedule && read.value.zone === job.timeZone && !isRestart;
    if (isSame) return checkGate(applyRepeat({ ...changed, timeZone: job.timeZone }, job, now));
    return checkGate({
      ...changed,
      ...scheduled(read.value),
      ...{ ran: 0, countsFrom: now },
      finishedAt: null,
      retry: null,
      notBefore: null,
      attempts: 0,
    });
  }
  return checkGate(applyRepeat(changed, job, now));
}

/** The first look is only remembered, so a job that looks once would never run. */
function checkGate(job: Job): Result<Job> {
  if (job.plan.kind !== "once" || job.gate === null || job.seen !== null) return ok(job);
  return err(
    "gate_needs_times",
    "A gate compares what it sees with its look before, and a job of one time looks once. Give a schedule that comes again, such as " +
      "`every 30m` with `repeat` 1, or no gate.",
  );
}

/** It begins again at the next slot after now: what it missed while it paused was not wanted. Failure: `schedule_past`. */
export function resumeJob(job: Job, now: number): Result<Job> {
  if (job.paused === null) return ok(job);
  const nextAt = job.finishedAt === null ? nextSlot(job.plan, job.timeZone, now) : null;
  if (nextAt === null && job.run === null) {
    return err(
      "schedule_past",
      `The job ${job.name} has no time left to run at: its schedule is ${job.understood}. Change it.`,
    );
  }
  return ok({ ...job, nextAt, paused: null, failures: 0, attempts: 0, retry: null, notBefore: null });
}

function isOther(a: unknown, b: unknown): boolean {
  return a !== undefined && JSON.stringify(a) !== JSON.stringify(b);
}

function scheduled({ plan, zone, understood, nextAt }: ReadSchedule) {
  return { plan, timeZone: zone, understood, nextAt };
}

/** More runs than before give a finished job its next slot back. */
function applyRepeat(job: Job, before: Job, now: number): Job {
  if (job.repeat === before.repeat) return job;
  if (job.repeat !== null && job.ran >= job.repeat)
    return { ...job, nextAt: null, retry: null, finishedAt: job.finishedAt ?? now };
  if (job.finishedAt === null) return job;
  const nextAt = nextSlot(job.plan, job.timeZone, now);
  return { ...job, nextAt, finishedAt: nextAt === null ? job.finishedAt : null };
}

function withoutAbsent(change: ChangeJob): Partial<JobSpec> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
