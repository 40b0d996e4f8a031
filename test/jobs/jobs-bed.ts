// Jobs over node:sqlite and a clock that only a test moves. `reboot`: a new object over the same rows, as after an eviction or a crash.
import { JOB_SCHEMA } from "../../core/jobs/job-rows.ts";
import { OP_SCHEMA } from "../../core/jobs/op-rows.ts";
import { type Jobs, createJobs } from "../../core/jobs/jobs.ts";
import { RUN_SCHEMA } from "../../core/jobs/run-rows.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { CreateJob } from "../../core/schemas/agenda/job.ts";
import type { JobSettings } from "../../core/schemas/agenda/settings.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

export const OWNER = { by: "owner" as const };
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A Monday. */
export const START = Date.UTC(2026, 0, 5, 9);

export function createJobsBed(more: Partial<JobSettings> = {}, start = START) {
  const sql = createNodeSql();
  for (const query of [...JOB_SCHEMA, ...RUN_SCHEMA, ...OP_SCHEMA]) sql.run(query);
  const clock: TestClock = createTestClock(start);
  const ids = createSeededRandom(7);
  let sessions = 0;
  const open = (): Jobs =>
    createJobs({
      ...{ sql, clock, limits: { ...DEFAULTS.jobs, ...more } },
      random: ids,
      newSession: () => `01ARZ3NDEKTSV4RRFFQ6${String(sessions++).padStart(6, "0")}`,
    });
  const bed = {
    ...{ sql, clock, jobs: open() },
    reboot: () => void (bed.jobs = open()),
    /** Makes a job; throws if it is refused. */
    make(name: string, schedule: string, spec: object = {}) {
      const made = bed.jobs.create(CreateJob.parse({ name, schedule, prompt: "Say hello.", ...spec }), {
        author: OWNER,
      });
      if (!made.ok) throw new Error(made.failure.message);
      return made.value;
    },
    find(name: string) {
      const found = bed.jobs.find(name);
      if (!found.ok) throw new Error(found.failure.message);
      return found.value;
    },
    /** Moves the clock to when the job is due, and begins its run. */
    claimNext(name: string) {
      const job = bed.find(name);
      const due = job.retry?.at ?? Math.max(job.nextAt!, job.notBefore ?? 0);
      clock.advance(Math.max(0, due - clock.now()));
      const run = bed.jobs.claimDue().find(({ job: { name: of } }) => of === name)?.run;
      if (!run) throw new Error(`${name} was not claimed`);
      return run;
    },
    settle(id: string, end: Parameters<Jobs["settle"]>[1]) {
      const settled = bed.jobs.settle(id, end);
      if (!settled.ok) throw new Error(settled.failure.message);
      return settled.value;
    },
    runsOf(name: string) {
      const listed = bed.jobs.listRuns(name, { before: null, limit: 1_000 });
      if (!listed.ok) throw new Error(listed.failure.message);
      return listed.value.map(({ run }) => run);
    },
  };
  return bed;
}
