// The jobs of a profile, for its Agenda: what the API and the agent's tool ask, and the work of an alarm. The state machine is core/jobs/; here it
// is joined to the objects that runs reach. The tables are made with the first job. Created by agenda.ts.
import type { JobCall } from "../../core/commands/jobs/job-port.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { JOB_SCHEMA, dueOf } from "../../core/jobs/job-rows.ts";
import { type ChangeCall, type JobsCheckUp, type OpenRun, createJobs } from "../../core/jobs/jobs.ts";
import { toRunEnd, withTokens } from "../../core/jobs/read-end.ts";
import { OP_SCHEMA } from "../../core/jobs/op-rows.ts";
import { RUN_SCHEMA } from "../../core/jobs/run-rows.ts";
import { upgradeJobTables } from "../../core/jobs/skill-rows.ts";
import type { Clock, Random, Sql } from "../../core/ports.ts";
import type { ChangeJob, CreateJob, Job, JobName, JobRun, WakeGate } from "../../core/schemas/agenda/job.ts";
import type { JobSettings } from "../../core/schemas/agenda/settings.ts";
import { type JobDetail, type JobInfo, JobRunInfo, toJobInfo } from "../../core/schemas/agenda/job-api.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { type SessionId, toTurnId } from "../../core/schemas/ids.ts";
import type { Policy } from "../../core/schemas/learning/curation.ts";
import { createRunner, describeRun } from "./carry-run.ts";
import type { AccountStub, ChannelsStub, SessionStub } from "./context.ts";
import { createSkillKeeper } from "./keep-skills.ts";
import { sendRun } from "./send-run.ts";

export interface JobDeskDeps {
  sql: Sql;
  clock: Clock;
  random: Random;
  profile: string;
  limits: JobSettings;
  newSession(): SessionId;
  account: AccountStub;
  channels: ChannelsStub;
  session(id: SessionId): SessionStub;
  /** A fingerprint of what a gate sees. */
  look(gate: WakeGate): Promise<Result<string>>;
  changePolicy(next: (policy: Policy) => Policy): Promise<unknown>;
  hasTables(): boolean;
  /** Sets the alarm for what is due next. */
  arm(): Promise<void>;
  /** Keeps the object awake for work that is not awaited. The promise must not reject. */
  background(work: Promise<void>): void;
  report(what: string, error: unknown): void;
}

const SCHEMA = [...JOB_SCHEMA, ...RUN_SCHEMA, ...OP_SCHEMA];
/** Runs that a job is shown with. */
const SHOWN_RUNS = 5;

export type JobDesk = ReturnType<typeof createJobDesk>;

export function createJobDesk(deps: JobDeskDeps) {
  const { sql, account, hasTables, report } = deps;
  if (hasTables()) upgradeJobTables(sql, SCHEMA);
  const jobs = createJobs(deps);
  const runner = createRunner({ ...deps, jobs });
  const skills = createSkillKeeper(deps);
  const missing = (name: JobName) => err("job_not_found", `There is no job '${name}'.`);
  const toInfo = (job: Job): JobInfo => toJobInfo(job, dueOf(job));

  /** After a change: the curator knows the skills, and the alarm is set, before the answer says so. */
  async function settleChange<T>(changed: Result<T>): Promise<Result<T>> {
    if (!changed.ok) return changed;
    await skills.keep();
    await deps.arm();
    return changed;
  }
  async function answer(changed: Result<Job>): Promise<Result<JobInfo>> {
    const settled = await settleChange(changed);
    return settled.ok ? ok(toInfo(settled.value)) : settled;
  }

  return {
    /** Failures: `job_exists`, `op_reused`, `too_many_jobs`, `context_unknown`, `profile_gone`, and those of `readSchedule`. */
    async create(spec: CreateJob, call: ChangeCall & Pick<JobCall, "author">): Promise<Result<JobInfo>> {
      if (!hasTables() && (await account.checkProfile()) === null) {
        return err("profile_gone", "This profile has been deleted.");
      }
      if (!hasTables()) {
        sql.transaction(() => {
          for (const query of SCHEMA) sql.run(query);
        });
      }
      return answer(jobs.create(spec, call));
    },
    /** By name. `after`: the name of the last one of the page before. */
    list: (page: { after: string; limit: number }): JobInfo[] => (hasTables() ? jobs.list(page).map(toInfo) : []),
    /** With its newest runs. Failure: `job_not_found`. */
    read(name: JobName): Result<JobDetail> {
      const job = hasTables() ? jobs.find(name) : missing(name);
      if (!job.ok) return job;
      const runs = jobs.listRuns(name, { before: null, limit: SHOWN_RUNS });
      return ok({ job: toInfo(job.value), runs: runs.ok ? runs.value.map(({ run }) => JobRunInfo.parse(run)) : [] });
    },
    /** Newest first. `next`: to pass as `before` for the next page. Failure: `job_not_found`. */
    listRuns(
      name: JobName,
      { before, limit }: { before: number | null; limit: number },
    ): Result<{ runs: JobRunInfo[]; next: number | null }> {
      const listed = hasTables() ? jobs.listRuns(name, { before, limit: limit + 1 }) : missing(name);
      if (!listed.ok) return listed;
      const next = listed.value.length > limit ? listed.value[limit - 1]!.n : null;
      return ok({ runs: listed.value.slice(0, limit).map(({ run }) => JobRunInfo.parse(run)), next });
    },
    /** Absent fields stay. Failures: `job_not_found`, `context_unknown`, and those of `readSchedule`. */
    change: (name: JobName, change: ChangeJob, call: ChangeCall & Pick<JobCall, "author">): Promise<Result<JobInfo>> =>
      answer(hasTables() ? jobs.change(name, change, call) : missing(name)),
    /** An open run ends as it will. Failure: `job_not_found`. */
    pause: (name: JobName, why: string, call: ChangeCall = {}): Promise<Result<JobInfo>> =>
      answer(hasTables() ? jobs.pause(name, why, call) : missing(name)),
    /** Failures: `job_not_found`, `schedule_past`. */
    resume: (name: JobName, call: ChangeCall = {}): Promise<Result<JobInfo>> =>
      answer(hasTables() ? jobs.resume(name, call) : missing(name)),
    /** Begins a run by hand. The same `op` is the same run. Failures: `job_not_found`, `job_running`. */
    async run(name: JobName, { op }: Pick<JobCall, "op">): Promise<Result<JobRunInfo>> {
      const begun = hasTables() ? jobs.runNow(name, op) : missing(name);
      const settled = await settleChange(begun);
      if (settled.ok && settled.value.isNew) deps.background(carry(settled.value).then(() => deps.arm()));
      return settled.ok ? ok(JobRunInfo.parse(settled.value.run)) : settled;
    },
    /** With its runs; the turn of an open one is stopped. Failure: `job_not_found`. */
    async remove(name: JobName, call: ChangeCall = {}): Promise<Result<null>> {
      const removed = await settleChange(hasTables() ? jobs.remove(name, call) : missing(name));
      if (!removed.ok) return removed;
      const { open } = removed.value;
      if (open) await runner.stop(open).catch((error: unknown) => report(`the turn of a removed job ${name}`, error));
      return ok(null);
    },

    /** What the turn of a run says. Only its end counts. Idempotent. */
    async takeEnd(id: string, delivery: SessionDelivery): Promise<void> {
      const end = toRunEnd(delivery);
      const found = hasTables() && end ? jobs.findRun(id) : null;
      if (!end || !found?.ok || found.value.run.session !== delivery.session) return;
      const { session, turn } = delivery;
      const read = await deps
        .session(session)
        .readTurn(turn)
        .catch(() => null); // unreachable: the end counts without its tokens
      jobs.markRunning(id, toTurnId(session, turn));
      jobs.settle(id, read?.ok ? withTokens(end, read.value.stats) : end);
      await deps.arm();
    },
    forgetSession(session: SessionId): void {
      if (hasTables()) jobs.forgetSession(session);
    },

    checkUp: (): JobsCheckUp => (hasTables() ? jobs.checkUp() : { jobs: 0, late: [], stopped: [], lost: [] }),
    nextDue: (): number | null => (hasTables() ? jobs.nextDue() : null),
    /** Carries out what is due: new runs, open ones that are to be looked after, what is to be sent. Never rejects. */
    async work(): Promise<void> {
      if (!hasTables()) return;
      jobs.tidy();
      const carried = jobs.lookAfter().map(async (open) => {
        if (open.run.state === "claimed") return carry(open);
        await runner.lookAt(open).catch((error: unknown) => report(describeRun(open), error));
      });
      const begun = jobs.claimDue().map(carry);
      await Promise.all([
        ...carried,
        ...begun,
        skills.keep().catch((error: unknown) => report("skills of jobs", error)),
      ]);
      await Promise.all(jobs.listToSend().map(send));
    },
  };

  /** Never rejects: what could not be done is done when the run is looked after. */
  async function carry(open: OpenRun): Promise<void> {
    await runner.carry(open).catch((error: unknown) => report(describeRun(open), error));
  }

  async function send(run: JobRun): Promise<void> {
    try {
      const sent = await sendRun(deps, run);
      if (sent.ok) jobs.markSent(run.id);
      else jobs.markUnsent(run.id, sent.failure.message, true);
    } catch (error) {
      report(`what the run ${run.id} of the job ${run.name} says`, error);
      jobs.markUnsent(run.id, "An object of the profile could not be reached.");
    }
  }
}
