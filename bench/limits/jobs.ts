// The jobs of a profile over a case's database: the real state machine, without the objects that its runs reach.
import type { JobPort } from "../../core/commands/jobs/job-port.ts";
import { type Result, ok } from "../../core/errors.ts";
import { JOB_SCHEMA, dueOf } from "../../core/jobs/job-rows.ts";
import { createJobs } from "../../core/jobs/jobs.ts";
import { OP_SCHEMA } from "../../core/jobs/op-rows.ts";
import { RUN_SCHEMA } from "../../core/jobs/run-rows.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import { JobRunInfo, toJobInfo } from "../../core/schemas/agenda/job-api.ts";
import type { Job } from "../../core/schemas/agenda/job.ts";

const SESSION = "01J00000000000000000000000";

export function openJobs(sql: Sql, clock: { now(): number }): JobPort {
  for (const query of [...JOB_SCHEMA, ...RUN_SCHEMA, ...OP_SCHEMA]) sql.run(query);
  const jobs = createJobs({ sql, clock, random: Math.random, limits: DEFAULTS.jobs, newSession: () => SESSION });
  const toInfo = (job: Job) => toJobInfo(job, dueOf(job));
  const answer = (job: Result<Job>) => (job.ok ? ok(toInfo(job.value)) : job);
  return {
    create: async (spec, call) => answer(jobs.create(spec, call)),
    list: async (page) => jobs.list(page).map(toInfo),
    async read(name) {
      const job = answer(jobs.find(name));
      return job.ok ? ok({ job: job.value, runs: [] }) : job;
    },
    change: async (name, change, call) => answer(jobs.change(name, change, call)),
    pause: async (name, why, call) => answer(jobs.pause(name, why, call)),
    resume: async (name, call) => answer(jobs.resume(name, call)),
    async run(name, { op }) {
      const begun = jobs.runNow(name, op);
      return begun.ok ? ok(JobRunInfo.parse(begun.value.run)) : begun;
    },
    async remove(name, call) {
      const removed = jobs.remove(name, call);
      return removed.ok ? ok(null) : removed;
    },
    async listRuns(name, limit) {
      const listed = jobs.listRuns(name, { before: null, limit });
      return listed.ok ? ok(listed.value.map(({ run }) => JobRunInfo.parse(run))) : listed;
    },
  };
}
