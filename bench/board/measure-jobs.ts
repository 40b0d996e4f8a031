// What each operation on a profile's jobs costs, at several numbers of jobs: rows read and written, and time. Called by bench:board inside an
// object, whose storage counts rows, and by a test. Pure but for what it is given.
import { JOB_SCHEMA } from "../../core/jobs/job-rows.ts";
import { OP_SCHEMA } from "../../core/jobs/op-rows.ts";
import { createJobs } from "../../core/jobs/jobs.ts";
import { RUN_SCHEMA } from "../../core/jobs/run-rows.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import { CreateJob } from "../../core/schemas/agenda/job.ts";
import { DAY_MS } from "../../core/schemas/ids.ts";

export interface JobsCost {
  cards: 0;
  jobs: number;
  op: string;
  rowsRead: number;
  rowsWritten: number;
  ms: number;
}

export interface MeasureJobsDeps {
  /** Empty. */
  sql: Sql;
  /** Rows so far. */
  counts(): { rowsRead: number; rowsWritten: number };
  /** Milliseconds; any beginning. */
  elapsedMs(): number;
}

/** How often each operation is done; its cost is the mean. */
const REPEATS = 20;
const START = Date.UTC(2026, 0, 5, 9);
/** The names of the measured jobs sort behind those of the others. */
const PROBE = "z-probe";

/** `sizes` ascending. */
export function measureJobs({ sql, counts, elapsedMs }: MeasureJobsDeps, sizes: number[]): JobsCost[] {
  for (const query of [...JOB_SCHEMA, ...RUN_SCHEMA, ...OP_SCHEMA]) sql.run(query);
  let [now, sessions, seed, calls] = [START, 0, 1, 0];
  const jobs = createJobs({
    ...{ sql, clock: { now: () => now } },
    // Another number each time: ids must differ, and nothing else depends on it.
    random: () => ((seed = (seed * 48_271) % 2_147_483_647) - 1) / 2_147_483_646,
    limits: { ...DEFAULTS.jobs, maxJobs: 10_000, maxRunning: 10_000 },
    newSession: () => `01ARZ3NDEKTSV4RRFFQ6${String(sessions++).padStart(6, "0")}`,
  });
  const costs: JobsCost[] = [];

  function create(name: string, schedule: string): void {
    const made = jobs.put(CreateJob.parse({ name, schedule, prompt: "Say what is new." }), { author: { by: "owner" } });
    if (!made.ok) throw new Error(made.failure.message);
  }
  function endAll(): void {
    for (const { run } of jobs.claimDue()) jobs.settle(run.id, { state: "completed", text: "Nothing is new." });
  }
  function measure(size: number, op: string, work: (n: number) => void): void {
    const [before, began] = [counts(), elapsedMs()];
    for (let n = 0; n < REPEATS; n++) work(n);
    const [after, ended] = [counts(), elapsedMs()];
    const mean = (total: number) => Math.round((total / REPEATS) * 100) / 100;
    costs.push({
      ...{ cards: 0, jobs: size, op, ms: mean(ended - began) },
      ...{
        rowsRead: mean(after.rowsRead - before.rowsRead),
        rowsWritten: mean(after.rowsWritten - before.rowsWritten),
      },
    });
  }

  let made = 0;
  for (const size of sizes) {
    for (; made < size; made++) create(`job-${made}`, `${made % 60} ${Math.floor(made / 60) % 24} * * *`);
    // Each has a run behind it and its next within a day.
    now += DAY_MS;
    endAll();
    const probe = (n: number) => `${PROBE}-${n}`;
    const runs: string[] = [];
    measure(size, "job create", (n) => create(probe(n), "every 30d"));
    measure(size, "job next due", () => void jobs.nextDue());
    measure(size, "job first page", () => void jobs.list({ after: "", limit: 50 }));
    measure(size, "job run now", (n) => {
      const begun = jobs.runNow(probe(n), `call-${calls++}`);
      if (begun.ok) runs.push(begun.value.run.id);
    });
    measure(size, "job settle", (n) => void jobs.settle(runs[n]!, { state: "completed", text: "Nothing is new." }));
    measure(size, "job claim nothing", () => void jobs.claimDue());
    now = Math.max(now, START);
    for (let n = 0; n < REPEATS; n++) jobs.remove(probe(n));
    measureClaims(size);
  }
  return costs;

  /** One job is due at a time, in the minutes before the first of the others. */
  function measureClaims(size: number): void {
    now = jobs.nextDue()!;
    endAll();
    const others = jobs.nextDue()! - now;
    const step = Math.floor(others / (REPEATS + 2));
    for (let n = 0; n < REPEATS; n++) create(`${PROBE}-${n}`, new Date(now + step * (n + 1)).toISOString());
    const open: string[] = [];
    measure(size, "job claim", () => {
      now += step;
      for (const { run } of jobs.claimDue()) open.push(run.id);
    });
    if (open.length !== REPEATS) throw new Error(`${open.length} of ${REPEATS} jobs were claimed`);
    for (const id of open) jobs.settle(id, { state: "completed", text: "Nothing is new." });
    for (let n = 0; n < REPEATS; n++) jobs.remove(`${PROBE}-${n}`);
  }
}
