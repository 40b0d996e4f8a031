// The part of jobs.ts that is about runs: what became of them, what they say, and what is to be done when. Created by `createJobs` alone.
import { clip } from "../clip.ts";
import { type Result, err, ok } from "../errors.ts";
import type { Clock, Random, Sql } from "../ports.ts";
import type { Job, JobName, JobRun, JobRunId, RunEnd } from "../schemas/agenda/job.ts";
import type { JobSettings } from "../schemas/agenda/settings.ts";
import { DAY_MS, type SessionId, type TurnId } from "../schemas/ids.ts";
import { type EndedRun, MAX_OUTPUT_CHARS, endRun, endUnchanged } from "./end-run.ts";
import type { JobRows } from "./job-rows.ts";
import { KEEP_OPS_MS, type OpRows } from "./op-rows.ts";
import type { RunRows } from "./run-rows.ts";

/** [hermes] Runs that a job keeps. */
export const KEEP_RUNS = 50;
/** [own] Older runs, and jobs that finished so long ago, are removed. */
export const KEEP_MS = 30 * DAY_MS;
/** [own] A running run is looked at this often: its end is told, and only a lost one is found by looking. */
const LOOK_MS = 10 * 60_000;
/** [own] When a delivery is tried again. After the last it has failed. */
const SEND_MS = [60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000, 4 * 60 * 60_000];
const MAX_AT_ONCE = 20;
const TIDY_AT_ONCE = 200;

export interface RunCallsDeps {
  sql: Sql;
  clock: Pick<Clock, "now">;
  random: Random;
  limits: JobSettings;
}

export function createRunCalls(
  { sql, clock, random, limits }: RunCallsDeps,
  { jobs, runs, ops }: { jobs: JobRows; runs: RunRows; ops: OpRows },
) {
  const isOpen = (run: JobRun) => run.state === "claimed" || run.state === "running";

  /** Works on an open run and its job. A run that has ended stays as it is. */
  function withOpen<T>(id: JobRunId, ended: (run: JobRun) => T, work: (run: JobRun, job: Job) => T): Result<T> {
    return sql.transaction(() => {
      const run = runs.find(id);
      const job = run && jobs.findById(run.job);
      if (!run || !job) return err("run_not_found", `There is no run ${id}: its job was removed.`);
      return ok(isOpen(run) ? work(run, job) : ended(run));
    });
  }

  function store({ job, run }: EndedRun): void {
    jobs.put(job);
    runs.put(run, { look: null, send: run.delivery.state === "waiting" ? clock.now() : null });
    runs.keepNewest(job.id, KEEP_RUNS);
  }

  const endDeps = () => ({ now: clock.now(), random, limits });

  return {
    /** Failure: `run_not_found`. */
    findRun(id: JobRunId): Result<{ job: Job; run: JobRun }> {
      const run = runs.find(id);
      const job = run && jobs.findById(run.job);
      return run && job ? ok({ job, run }) : err("run_not_found", `There is no run ${id}.`);
    },
    /** Newest first: those before `before`. Failure: `job_not_found`. */
    listRuns(name: JobName, page: { before: number | null; limit: number }): Result<{ n: number; run: JobRun }[]> {
      const job = jobs.find(name);
      return job ? ok(runs.list(job.id, page)) : err("job_not_found", `There is no job '${name}'.`);
    },
    /** What the jobs of `contextFrom` said last; `null`: nothing yet, or there is no such job any more. `at`: milliseconds since 1970. */
    readContext(job: Pick<Job, "contextFrom">): { name: JobName; last: { output: string; at: number } | null }[] {
      return job.contextFrom.map((name) => {
        const other = jobs.find(name);
        const last = other && runs.lastOutput(other.id);
        return { name, last: last ? { ...last, output: clip(last.output, MAX_OUTPUT_CHARS) } : null };
      });
    },

    /**
     * What the gate saw, as a fingerprint. `wakes: false`: it is as before, or the first look, and the run has ended. A run by hand always goes on.
     * What it saw counts as seen once the run has completed. Failure: `run_not_found`.
     */
    passGate(id: JobRunId, saw: string): Result<{ wakes: boolean }> {
      return withOpen<{ wakes: boolean }>(
        id,
        () => ({ wakes: false }),
        (run, job) => {
          // It was let through before: another look that overlapped with this one.
          if (run.saw !== null) return { wakes: true };
          if (run.trigger === "manual" || (job.seen !== null && job.seen !== saw)) {
            runs.put({ ...run, saw }, { look: clock.now() + limits.claimMs, send: null });
            return { wakes: true };
          }
          store(endUnchanged(job, run, saw, endDeps()));
          return { wakes: false };
        },
      );
    },
    /** Its message is in its session. Idempotent. Failure: `run_not_found`. */
    markRunning(id: JobRunId, turn: TurnId): Result<null> {
      return withOpen(
        id,
        () => null,
        (run) => {
          const now = clock.now();
          runs.put(
            { ...run, state: "running", turn, startedAt: run.startedAt ?? now },
            { look: nextLook(run), send: null },
          );
          return null;
        },
      );
    },
    /** Idempotent: an end that was told before stays. Answers with the run as it is then. Failure: `run_not_found`. */
    settle(id: JobRunId, end: RunEnd): Result<{ job: Job; run: JobRun; isNew: boolean }> {
      return sql.transaction(() => {
        const run = runs.find(id);
        const job = run && jobs.findById(run.job);
        if (!run || !job) return err("run_not_found", `There is no run ${id}: its job was removed.`);
        if (!isOpen(run)) return ok({ job, run, isNew: false });
        const ended = endRun(job, run, end, endDeps());
        store(ended);
        return ok({ ...ended, isNew: true });
      });
    },
    /**
     * Open runs whose time to be looked after has come; each comes again `claimMs` or ten minutes later, until it is settled. `claimed`: carry it
     * out once more, as its keys make that harmless. `running`: read its turn. `isOver`: it has had its time (`runMs`), and is to be stopped.
     */
    lookAfter(): { job: Job; run: JobRun; isOver: boolean }[] {
      return sql.transaction(() => {
        const now = clock.now();
        return runs.listToLookAfter(now, MAX_AT_ONCE).map((run) => {
          runs.look(run.id, run.state === "claimed" ? now + limits.claimMs : nextLook(run));
          return { job: jobs.findById(run.job)!, run, isOver: now - run.claimedAt >= limits.runMs };
        });
      });
    },

    /** Ended runs whose text is to be sent now. Each comes again until it is marked. */
    listToSend: (): JobRun[] => runs.listToSend(clock.now(), MAX_AT_ONCE),
    /** Idempotent. */
    markSent(id: JobRunId): void {
      sql.transaction(() => {
        const run = runs.find(id);
        if (run?.delivery.state !== "waiting") return;
        const output = run.output === null ? null : clip(run.output, MAX_OUTPUT_CHARS);
        const delivery = { ...run.delivery, state: "sent" as const, tries: run.delivery.tries + 1, error: null };
        runs.put({ ...run, output, delivery }, { look: null, send: null });
      });
    },
    /** It is tried again later, unless `isFinal` or it was tried too often. */
    markUnsent(id: JobRunId, error: string, isFinal = false): void {
      sql.transaction(() => {
        const run = runs.find(id);
        if (run?.delivery.state !== "waiting") return;
        const wait = isFinal ? undefined : SEND_MS[run.delivery.tries];
        const delivery = { ...run.delivery, tries: run.delivery.tries + 1, error: clip(error, 1_000) };
        if (wait !== undefined) return runs.put({ ...run, delivery }, { look: null, send: clock.now() + wait });
        const output = run.output === null ? null : clip(run.output, MAX_OUTPUT_CHARS);
        runs.put({ ...run, output, delivery: { ...delivery, state: "failed" } }, { look: null, send: null });
      });
    },

    /** The session was deleted: its ended runs stay without its id. One that is open is settled as `unknown`. */
    forgetSession(session: SessionId): void {
      sql.transaction(() => {
        for (const run of runs.listOfSession(session)) {
          const job = jobs.findById(run.job);
          if (isOpen(run) && job)
            store(endRun(job, run, { state: "unknown", error: "its session was deleted." }, endDeps()));
          const { look, send } = runs.timesOf(run.id);
          runs.put({ ...runs.find(run.id)!, session: null, turn: null }, { look, send });
        }
      });
    },
    /** When something is to be done: a job is due and may run, a run is to be looked after or sent, something is too old. `null`: nothing. */
    nextDue(): number | null {
      const due = runs.countOpen() < limits.maxRunning ? jobs.nextDue() : null;
      const old = [runs.oldest(), jobs.nextEnded()].map((at) => (at === null ? null : at + KEEP_MS));
      const oldOp = ops.oldest();
      const times = [due, runs.nextTime(), ...old, oldOp === null ? null : oldOp + KEEP_OPS_MS].filter(
        (at) => at !== null,
      );
      return times.length === 0 ? null : Math.min(...times);
    },
    /** Removes what is older than thirty days, and of the names of calls what is older than seven. Called at each alarm. */
    tidy(): void {
      sql.transaction(() => {
        const before = clock.now() - KEEP_MS;
        runs.removeOld(before, TIDY_AT_ONCE);
        ops.removeOld(clock.now() - KEEP_OPS_MS);
        for (const job of jobs.listEnded(before, MAX_AT_ONCE)) {
          if (job.run !== null) continue;
          runs.removeAll(job.id);
          jobs.remove(job.name);
        }
      });
    },
  };

  function nextLook(run: JobRun): number {
    const now = clock.now();
    const over = run.claimedAt + limits.runMs;
    return Math.min(now + LOOK_MS, over > now ? over : now + LOOK_MS);
  }
}
