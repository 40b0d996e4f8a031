// The jobs of a profile, in its Agenda: one row for each. The table is made with the first job. Synchronous, over any Sql. Used by jobs.ts alone.
import { parseStored } from "../errors.ts";
import type { Sql } from "../ports.ts";
import { Job, type JobId, type JobName } from "../schemas/agenda/job.ts";
import { SKILL_USE_SCHEMA, createSkillRows } from "./skill-rows.ts";

/** `due`: when a run of the job is to begin; absent while one is open, while it pauses, and once it has finished. `ended`: when it finished, absent while a run by hand is open. */
export const JOB_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS job (name TEXT PRIMARY KEY, id TEXT NOT NULL, due INTEGER, ended INTEGER, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
  "CREATE UNIQUE INDEX IF NOT EXISTS job_id ON job (id)",
  "CREATE INDEX IF NOT EXISTS job_due ON job (due) WHERE due IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS job_ended ON job (ended) WHERE ended IS NOT NULL",
  "CREATE TABLE IF NOT EXISTS job_count (one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL) STRICT",
  ...SKILL_USE_SCHEMA,
];

export type JobRows = ReturnType<typeof createJobRows>;

export function createJobRows(sql: Sql) {
  const skills = createSkillRows(sql);
  return {
    /** Throws `StateNewerError` for a job that a newer version wrote. */
    find(name: JobName): Job | null {
      const [row] = sql.run<Row>("SELECT name, body FROM job WHERE name = ?", name);
      return row ? parse(row) : null;
    },
    findById(id: JobId): Job | null {
      const [row] = sql.run<Row>("SELECT name, body FROM job WHERE id = ?", id);
      return row ? parse(row) : null;
    },
    /** By name: those after `after`. */
    list(after: string, limit: number): Job[] {
      return sql.run<Row>("SELECT name, body FROM job WHERE name > ? ORDER BY name LIMIT ?", after, limit).map(parse);
    },
    /** Kept in a row of its own: to count them would read each. */
    count: (): number => sql.run<{ n: number }>("SELECT n FROM job_count")[0]?.n ?? 0,
    /** The first that are due, the earliest first. */
    listDue(now: number, limit: number): Job[] {
      const query = `SELECT name, body FROM job INDEXED BY job_due WHERE due IS NOT NULL AND due <= ? ORDER BY due LIMIT ?`;
      return sql.run<Row>(query, now, limit).map(parse);
    },
    nextDue(): number | null {
      const query = "SELECT due FROM job INDEXED BY job_due WHERE due IS NOT NULL ORDER BY due LIMIT 1";
      return sql.run<{ due: number }>(query)[0]?.due ?? null;
    },
    /** There must be none of this name. Inside the caller's transaction. */
    add(job: Job): void {
      sql.run("INSERT INTO job VALUES (?, ?, ?, ?, ?)", job.name, job.id, dueOf(job), endedOf(job), toBody(job));
      sql.run("INSERT INTO job_count VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET n = n + 1");
      skills.count([], job.skills);
    },
    /** `before`: as it was, where its skills may have changed. Inside the caller's transaction. */
    put(job: Job, before: Job = job): void {
      const values = [dueOf(job), endedOf(job), toBody(job), job.name];
      sql.run("UPDATE job SET due = ?, ended = ?, body = ? WHERE name = ?", ...values);
      if (job !== before) skills.count(before.skills, job.skills);
    },
    /** Inside the caller's transaction. */
    remove(name: JobName): void {
      const [removed] = sql.run<Row>("DELETE FROM job WHERE name = ? RETURNING name, body", name);
      if (!removed) return;
      sql.run("UPDATE job_count SET n = n - 1");
      skills.count(parse(removed).skills, []);
    },
    /** Those that pause though no person said so. Reads all jobs. */
    listStopped(limit: number): Job[] {
      const query = `SELECT name, body FROM job WHERE json_extract(body, '$.paused.cause') <> 'person' ORDER BY name LIMIT ?`;
      return sql.run<Row>(query, limit).map(parse);
    },
    /** Those that finished at `before` or earlier. */
    listEnded(before: number, limit: number): Job[] {
      const query = `SELECT name, body FROM job INDEXED BY job_ended WHERE ended IS NOT NULL AND ended <= ? ORDER BY ended LIMIT ?`;
      return sql.run<Row>(query, before, limit).map(parse);
    },
    nextEnded(): number | null {
      const query = "SELECT ended FROM job INDEXED BY job_ended WHERE ended IS NOT NULL ORDER BY ended LIMIT 1";
      return sql.run<{ ended: number }>(query)[0]?.ended ?? null;
    },
  };
}

/** When a run of the job is to begin. A slot that a failure puts off stays the same slot. */
export function dueOf({ run, paused, finishedAt, retry, nextAt, notBefore }: Job): number | null {
  if (run !== null || paused !== null || finishedAt !== null) return null;
  if (retry !== null) return retry.at;
  return nextAt === null ? null : Math.max(nextAt, notBefore ?? 0);
}

function endedOf({ run, finishedAt }: Job): number | null {
  return run === null ? finishedAt : null;
}

/** Throws for what could not be read again: one such row would stop the profile's jobs. */
function toBody(job: Job): string {
  return JSON.stringify(Job.parse(job));
}

interface Row {
  name: string;
  body: string;
}

function parse({ name, body }: Row): Job {
  return parseStored(Job, `The job ${name}`, JSON.parse(body));
}
