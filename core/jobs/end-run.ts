// Ends a run: what becomes of its job, what is delivered, and when the job may run next. Called inside the transaction of jobs.ts that stores
// both. Pure.
import { clip } from "../clip.ts";
import type { Random } from "../ports.ts";
import type { Job, JobDelivery, JobOutcome, JobRun, RunEnd } from "../schemas/agenda/job.ts";
import type { JobSettings } from "../schemas/agenda/settings.ts";

/** [hermes] When a run is tried again that no provider could be reached for. */
const RETRY_MS = [5 * 60_000, 15 * 60_000, 30 * 60_000];
/** [own] A job that runs every minute does not fail every minute: twice as long after each failure in a row. */
const BACKOFF_MS = 60_000;
const MAX_BACKOFF_MS = 6 * 60 * 60_000;
/** [hermes] An answer of this alone, or one whose first or last line it is, goes nowhere. */
export const SILENT = "[SILENT]";
/** [own] What a run keeps of its answer once that was delivered. */
export const MAX_OUTPUT_CHARS = 8_000;
/** [own] An answer of 16,000 tokens. */
const MAX_SENT_CHARS = 80_000;
const MAX_ERROR_CHARS = 2_000;

export interface EndRunDeps {
  now: number;
  random: Random;
  limits: Pick<JobSettings, "failures">;
}

export interface EndedRun {
  job: Job;
  run: JobRun;
}

export function endRun(job: Job, run: JobRun, end: RunEnd, deps: EndRunDeps): EndedRun {
  switch (end.state) {
    case "completed":
      return complete(job, run, end, deps);
    case "failed":
      return fail(job, run, end, deps);
    case "unknown":
      return fail({ ...job, seen: run.saw ?? job.seen }, run, { ...end, outcome: "lost" }, deps);
  }
}

/** The gate saw what it had seen before, or looked for the first time. It counts as no run. */
export function endUnchanged(job: Job, run: JobRun, saw: string, { now }: EndRunDeps): EndedRun {
  const ended: JobRun = { ...run, state: "completed", outcome: "unchanged", session: null, saw, endedAt: now };
  return { job: release({ ...job, seen: saw, attempts: 0 }, now), run: ended };
}

function complete(
  job: Job,
  run: JobRun,
  { text, tokens }: RunEnd & { state: "completed" },
  { now }: EndRunDeps,
): EndedRun {
  const isQuiet = isSilent(text);
  const delivery = toDelivery(isQuiet ? null : job.deliver);
  const output = clip(text, delivery.state === "waiting" ? MAX_SENT_CHARS : MAX_OUTPUT_CHARS);
  const outcome: JobOutcome = isQuiet ? "silent" : "answered";
  return {
    job: release(count({ ...job, failures: 0, attempts: 0, seen: run.saw ?? job.seen }, run), now),
    run: { ...run, state: "completed", outcome, output, endedAt: now, tokens: tokens ?? null, delivery },
  };
}

interface Failed {
  state: "failed" | "unknown";
  outcome: JobOutcome;
  error: string;
  tokens?: number;
}

function fail(job: Job, run: JobRun, end: Failed, { now, random, limits }: EndRunDeps): EndedRun {
  const error = clip(end.error, MAX_ERROR_CHARS);
  const ended: JobRun = {
    ...run,
    state: end.state,
    outcome: end.outcome,
    error,
    endedAt: now,
    tokens: end.tokens ?? null,
  };
  if (end.outcome === "stopped") return { job: release(count({ ...job, attempts: 0 }, run), now), run: ended };
  const wait = RETRY_MS[job.attempts];
  if (end.outcome === "unreachable" && wait !== undefined && job.paused === null && job.finishedAt === null) {
    const retry = { slot: run.slot, at: now + wait, ...(run.trigger === "manual" && { byHand: true as const }) };
    return { job: release({ ...job, attempts: job.attempts + 1, retry }, now), run: ended };
  }
  const failures = job.failures + 1;
  const pauseAfter = job.failure.pauseAfter ?? limits.failures;
  const cause = end.outcome === "config" ? "config" : failures >= pauseAfter ? "failures" : null;
  const isPaused = cause !== null && job.paused === null;
  const backoff = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (failures - 1));
  const failed: Job = {
    ...count({ ...job, failures, attempts: 0 }, run),
    notBefore: now + Math.round(backoff * (0.75 + random() / 2)),
    ...(isPaused && { paused: { cause, why: error, at: now } }),
  };
  const released = release(failed, now);
  const isLast = released.finishedAt !== null;
  const why = isPaused ? (cause === "config" ? "config" : failures) : null;
  const said = describeFailure(job, { ...end, error }, { paused: why, isLast });
  const home = isPaused ? { to: "home" as const } : null;
  const delivery = toDelivery(job.failure.tell ?? job.deliver ?? home);
  return { job: released, run: { ...ended, error: said, delivery } };
}

/** The job has no open run. It has finished if it has no slot left. */
export function release(job: Job, now: number): Job {
  const isSpent = job.repeat !== null && job.ran >= job.repeat;
  const nextAt = isSpent ? null : job.nextAt;
  if (nextAt !== null || (job.retry !== null && !isSpent)) return { ...job, run: null, nextAt };
  return { ...job, run: null, nextAt, retry: null, finishedAt: job.finishedAt ?? now };
}

/** A run by hand is not one of the schedule's, nor is one that was open when the schedule was changed. */
function count(job: Job, run: JobRun): Job {
  return run.trigger === "manual" || run.slot <= (job.countsFrom ?? 0) ? job : { ...job, ran: job.ran + 1 };
}

function toDelivery(to: JobDelivery["to"]): JobDelivery {
  return { state: to === null ? "none" : "waiting", to, tries: 0, error: null };
}

function describeFailure(
  { name }: Job,
  { state, error }: Failed,
  { paused, isLast }: { paused: "config" | number | null; isLast: boolean },
): string {
  const what = state === "unknown" ? `How a run of the job ${name} ended is not known` : `The job ${name} failed`;
  const line = `${what}: ${error}`;
  if (paused === null) return line;
  const why = paused === "config" ? "It would fail again" : `That was failure ${paused} in a row`;
  // A job without a time left cannot be resumed.
  const then = isLast ? "run it by hand, or give it another schedule and resume it" : "resume the job";
  return `${line}\n\n${why}, so the job pauses. Put it right, then ${then}.`;
}

/** Whether an answer says that there is nothing to tell. */
export function isSilent(text: string): boolean {
  const trimmed = text.trim().toUpperCase();
  if (trimmed === "") return true;
  return trimmed === SILENT || trimmed.startsWith(`${SILENT}\n`) || trimmed.endsWith(`\n${SILENT}`);
}
