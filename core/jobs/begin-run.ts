// Begins a run of a job: which slot it is for, and when the next one is. Called inside the transaction of jobs.ts that stores both. Pure.
import type { Random } from "../ports.ts";
import { createShortId } from "../short-id.ts";
import type { Job, JobRun, JobTrigger } from "../schemas/agenda/job.ts";
import type { SessionId } from "../schemas/ids.ts";
import { nextSlot } from "./next-slot.ts";

/** [hermes] misfire_grace: a slot that began later is called late. */
export const LATE_MS = 10 * 60_000;

export interface BeginRunDeps {
  now: number;
  random: Random;
  session: SessionId;
}

export interface BegunRun {
  job: Job;
  run: JobRun;
  /** Once in a job. */
  key: string;
}

/** For a job that is due. What was missed becomes one run, for the first missed slot; the next slot is after now. */
export function beginDueRun(job: Job, deps: BeginRunDeps): BegunRun {
  const { retry, nextAt } = job;
  const isSlot = nextAt !== null && (retry === null || nextAt <= deps.now);
  if (!isSlot) {
    const trigger = retry!.byHand ? "manual" : "retry";
    return begin(job, deps, { trigger, slot: retry!.slot, key: `retry:${retry!.slot}:${job.attempts}` });
  }
  const trigger = deps.now - nextAt > LATE_MS ? "late" : "schedule";
  const next = nextSlot(job.plan, job.timeZone, Math.max(deps.now, nextAt));
  return begin({ ...job, nextAt: next }, deps, { trigger, slot: nextAt, key: `slot:${nextAt}` });
}

/** Its slots stay as they are. `op` names the call: repeated, it is the same run. */
export function beginManualRun(job: Job, deps: BeginRunDeps, op: string): BegunRun {
  return begin(job, deps, { trigger: "manual", slot: deps.now, key: manualKey(op) });
}

export function manualKey(op: string): string {
  return `manual:${op}`;
}

function begin(
  job: Job,
  { now, random, session }: BeginRunDeps,
  { trigger, slot, key }: { trigger: JobTrigger; slot: number; key: string },
): BegunRun {
  const id = createShortId("r", random);
  const run: JobRun = {
    ...{ v: 1, id, job: job.id, name: job.name, trigger, slot, state: "claimed", session, turn: null },
    ...{
      claimedAt: now,
      startedAt: null,
      endedAt: null,
      outcome: null,
      output: null,
      error: null,
      tokens: null,
      saw: null,
    },
    delivery: { state: "none", to: null, tries: 0, error: null },
  };
  return { job: { ...job, run: id, retry: null, notBefore: null }, run, key };
}
