// The jobs of a profile and the ledger of their runs, as one state machine over SQL and a clock. Created by the Agenda object, which owns the
// alarm, posts the runs' messages and sends what they say. Each call is one transaction. Must never wait or reach anything.
import { clip } from "../clip.ts";
import { type Result, err, ok } from "../errors.ts";
import type { Clock, Random, Sql } from "../ports.ts";
import type { ChangeJob, CreateJob, Job, JobName, JobRun, PauseCause } from "../schemas/agenda/job.ts";
import type { JobSettings } from "../schemas/agenda/settings.ts";
import type { Author } from "../schemas/board/card.ts";
import type { SessionId } from "../schemas/ids.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import { beginDueRun, beginManualRun, manualKey } from "./begin-run.ts";
import { release } from "./end-run.ts";
import { changeJob, createJob, resumeJob } from "./edit-job.ts";
import { createJobRows, dueOf } from "./job-rows.ts";
import { createOpRows } from "./op-rows.ts";
import { createRunCalls } from "./run-calls.ts";
import { createRunRows } from "./run-rows.ts";

export interface JobsDeps {
  sql: Sql;
  clock: Pick<Clock, "now">;
  random: Random;
  limits: JobSettings;
  /** A new session's id, never used before. */
  newSession(): SessionId;
}

/** A run that the caller carries out: its gate first, then its message. */
export interface OpenRun {
  job: Job;
  run: JobRun;
}

/** [own] A run that begins so late has lost more than a turn's wait for a place. */
const OVERDUE_MS = 5 * 60_000;
/** Of each kind. More lines are not useful. */
const CHECKED_JOBS = 5;

export interface JobsCheckUp {
  jobs: number;
  /** Due for five minutes, and not begun. */
  late: { name: JobName; due: number }[];
  /** Paused, and not by a person. */
  stopped: { name: JobName; why: string }[];
  /** The end of the newest run was lost. */
  lost: { name: JobName; slot: number }[];
}

export type Jobs = ReturnType<typeof createJobs>;

/** Names a call: repeated with the same `op`, it changes nothing and answers how the job is now. Failure of each such call: `op_reused`. */
export interface ChangeCall {
  op?: string | undefined;
}

/** The tables must exist: `JOB_SCHEMA`, `RUN_SCHEMA`, `OP_SCHEMA`. */
export function createJobs(deps: JobsDeps) {
  const { sql, clock, random, limits, newSession } = deps;
  const jobs = createJobRows(sql);
  const runs = createRunRows(sql);
  const ops = createOpRows(sql);
  const editDeps = () => ({ now: clock.now(), random, limits });
  const beginDeps = () => ({ now: clock.now(), random, session: newSession() });

  /** Does `work` once for each `op`, in one transaction. Repeated, it answers with `again`. */
  function once<T>(
    { op, what }: ChangeCall & { what: string },
    { work, again }: Record<"work" | "again", () => Result<T>>,
  ): Result<T> {
    return sql.transaction(() => {
      const known = op === undefined ? null : ops.find(op);
      if (known !== null && known !== what)
        return err("op_reused", `The operation id '${op}' belongs to another operation. Use a new one.`);
      if (known !== null) return again();
      const done = work();
      if (done.ok && op !== undefined) ops.add(op, what, clock.now());
      return done;
    });
  }

  function find(name: JobName): Result<Job> {
    const job = jobs.find(name);
    return job ? ok(job) : notFound(name);
  }

  /** Stores what `change` makes of the job. */
  function edit(call: ChangeCall & { what: string }, name: JobName, change: (job: Job) => Result<Job>): Result<Job> {
    const work = () => {
      const job = find(name);
      const changed = job.ok ? change(job.value) : job;
      if (job.ok && changed.ok) jobs.put(changed.value, job.value);
      return changed;
    };
    return once({ ...call, what: `${call.what} ${name}` }, { work, again: () => find(name) });
  }

  /** Names that `contextFrom` may hold. */
  function checkContext(name: JobName, contextFrom: JobName[] = []): Result<null> {
    const wrong = contextFrom.find((other) => other === name || !jobs.find(other));
    if (wrong === undefined) return ok(null);
    const why = wrong === name ? "A job cannot have its own output as context" : `There is no job '${wrong}'`;
    return err("context_unknown", `${why}. Name other jobs of the profile in contextFrom.`);
  }

  return {
    ...createRunCalls(deps, { jobs, runs, ops }),

    /** By name: those after `after`. */
    list: ({ after, limit }: { after: string; limit: number }): Job[] => jobs.list(after, limit),
    /** Failure: `job_not_found`. */
    find,
    count: jobs.count,
    /** For a check-up: what a person should look at. */
    checkUp(): JobsCheckUp {
      const late = jobs.listDue(clock.now() - OVERDUE_MS, CHECKED_JOBS);
      return {
        jobs: jobs.count(),
        late: late.map((job) => ({ name: job.name, due: dueOf(job)! })),
        stopped: jobs.listStopped(CHECKED_JOBS).map(({ name, paused }) => ({ name, why: paused!.why })),
        lost: runs.listLost(CHECKED_JOBS).map(({ name, slot }) => ({ name, slot })),
      };
    },

    /** Failures: `job_exists`, `too_many_jobs`, `context_unknown`, and those of `readSchedule`. */
    create(spec: CreateJob, { author, op }: ChangeCall & { author: Author }): Result<Job> {
      const work = (): Result<Job> => {
        if (jobs.find(spec.name)) {
          return err("job_exists", `There is a job '${spec.name}'. Change it, or take another name.`);
        }
        if (jobs.count() >= limits.maxJobs) {
          return err("too_many_jobs", `A profile has at most ${limits.maxJobs} jobs. Remove one first.`);
        }
        const context = checkContext(spec.name, spec.contextFrom);
        const made = context.ok ? createJob(spec, author, editDeps()) : context;
        if (made.ok) jobs.add(made.value);
        return made;
      };
      const what = op === undefined ? "" : `create ${spec.name} ${sha256Hex(JSON.stringify(spec))}`;
      return once({ op, what }, { work, again: () => find(spec.name) });
    },
    /** Absent fields stay. Failures: `job_not_found`, `context_unknown`, and those of `readSchedule`. */
    change(name: JobName, change: ChangeJob, { author, op }: ChangeCall & { author: Author }): Result<Job> {
      return edit({ op, what: "change" }, name, (job) => {
        const context = checkContext(name, change.contextFrom);
        return context.ok ? changeJob(job, change, author, editDeps()) : context;
      });
    },
    /** A run that is open ends as it will. Idempotent: the first reason stays. Failure: `job_not_found`. */
    pause(name: JobName, why: string, { op, cause = "person" }: ChangeCall & { cause?: PauseCause } = {}): Result<Job> {
      const paused = { cause, why: clip(why, 4_000), at: clock.now() };
      return edit({ op, what: "pause" }, name, (job) => ok(job.paused ? job : { ...job, paused, retry: null }));
    },
    /** Idempotent. Failures: `job_not_found`, `schedule_past`. */
    resume: (name: JobName, { op }: ChangeCall = {}): Result<Job> =>
      edit({ op, what: "resume" }, name, (job) => resumeJob(job, clock.now())),
    /** With its runs. The caller stops the turn of `open`, the run that was open. Failure: `job_not_found`. */
    remove(name: JobName, { op }: ChangeCall = {}): Result<{ open: JobRun | null }> {
      const work = () => {
        const job = jobs.find(name);
        if (!job) return notFound(name);
        const open = job.run === null ? null : runs.find(job.run);
        runs.removeAll(job.id);
        jobs.remove(name);
        return ok({ open });
      };
      return once({ op, what: `remove ${name}` }, { work, again: () => ok({ open: null }) });
    },

    /** At most as many as may be open. A job with an open run is not due: what it misses meanwhile becomes one run. */
    claimDue(): OpenRun[] {
      return sql.transaction(() => {
        const room = limits.maxRunning - runs.countOpen();
        if (room <= 0) return [];
        return jobs.listDue(clock.now(), room).flatMap((job) => {
          const begun = beginDueRun(job, beginDeps());
          const isAdded = runs.add(begun.run, begun.key, clock.now() + limits.claimMs);
          // A clock that was put back: the slot has had its run, and the job goes on with the next.
          const next = isAdded ? begun.job : release(begun.job, clock.now());
          jobs.put(next);
          return isAdded ? [{ job: next, run: begun.run }] : [];
        });
      });
    },
    /** Also while the job pauses or has finished. The same `op` is the same run. Failures: `job_not_found`, `job_running`. */
    runNow(name: JobName, op: string): Result<OpenRun & { isNew: boolean }> {
      return sql.transaction(() => {
        const job = jobs.find(name);
        if (!job) return notFound(name);
        const known = runs.findByKey(job.id, manualKey(op));
        if (known) return ok({ job, run: known, isNew: false });
        if (job.run !== null)
          return err("job_running", `The job ${name} is running. Wait for its end, or stop its session's turn.`);
        const begun = beginManualRun(job, beginDeps(), op);
        runs.add(begun.run, begun.key, clock.now() + limits.claimMs);
        jobs.put(begun.job);
        return ok({ job: begun.job, run: begun.run, isNew: true });
      });
    },
  };
}

export function notFound(name: JobName) {
  return err("job_not_found", `There is no job '${name}'.`);
}
