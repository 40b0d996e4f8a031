// The ledger of jobs' runs, in the profile's Agenda: a row is written before a run begins, and a slot of a job has at most one. Synchronous, over
// any Sql. Used by jobs.ts alone.
import { parseStored } from "../errors.ts";
import type { Sql } from "../ports.ts";
import { type JobId, JobRun, type JobRunId } from "../schemas/agenda/job.ts";
import type { SessionId } from "../schemas/ids.ts";

/**
 * `key`: what the run is for, once in a job: a slot, a retry, or a call by hand. `look`: when the open run is to be looked after. `send`: when its
 * delivery is tried. `n`: ascending in time.
 */
export const RUN_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS job_run (n INTEGER PRIMARY KEY, id TEXT NOT NULL, job TEXT NOT NULL, key TEXT NOT NULL, session TEXT,
    state TEXT NOT NULL, at INTEGER NOT NULL, look INTEGER, send INTEGER, body TEXT NOT NULL) STRICT`,
  "CREATE UNIQUE INDEX IF NOT EXISTS job_run_id ON job_run (id)",
  "CREATE UNIQUE INDEX IF NOT EXISTS job_run_key ON job_run (job, key)",
  "CREATE INDEX IF NOT EXISTS job_run_job ON job_run (job, n)",
  "CREATE INDEX IF NOT EXISTS job_run_session ON job_run (session) WHERE session IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS job_run_look ON job_run (look) WHERE look IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS job_run_send ON job_run (send) WHERE send IS NOT NULL",
];

/** When something is to be done about a run. */
export interface RunTimes {
  look: number | null;
  send: number | null;
}

export type RunRows = ReturnType<typeof createRunRows>;

export function createRunRows(sql: Sql) {
  const list = (query: string, ...values: (string | number | null)[]) => sql.run<Row>(query, ...values).map(parse);
  return {
    /** False: the job has a run of this key, and no other is made. Inside the caller's transaction. */
    add(run: JobRun, key: string, look: number): boolean {
      const rows = sql.run(
        "INSERT INTO job_run VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, NULL, ?) ON CONFLICT (job, key) DO NOTHING RETURNING n",
        ...[run.id, run.job, key, run.session, run.state, run.claimedAt, look, JSON.stringify(run)],
      );
      return rows.length > 0;
    },
    find: (id: JobRunId): JobRun | null => list("SELECT body FROM job_run WHERE id = ?", id)[0] ?? null,
    findByKey: (job: JobId, key: string): JobRun | null =>
      list("SELECT body FROM job_run WHERE job = ? AND key = ?", job, key)[0] ?? null,
    put(run: JobRun, { look, send }: RunTimes): void {
      sql.run(
        "UPDATE job_run SET session = ?, state = ?, look = ?, send = ?, body = ? WHERE id = ?",
        ...[run.session, run.state, look, send, JSON.stringify(run), run.id],
      );
    },
    timesOf: (id: JobRunId): RunTimes =>
      sql.run<{ look: number | null; send: number | null }>("SELECT look, send FROM job_run WHERE id = ?", id)[0]!,
    look(id: JobRunId, at: number): void {
      sql.run("UPDATE job_run SET look = ? WHERE id = ?", at, id);
    },
    /** Open runs, at most as many as may be open at the same time. */
    countOpen: (): number =>
      sql.run<{ n: number }>("SELECT count(*) AS n FROM job_run INDEXED BY job_run_look WHERE look IS NOT NULL")[0]!.n,
    listToLookAfter: (now: number, limit: number): JobRun[] =>
      list(
        "SELECT body FROM job_run INDEXED BY job_run_look WHERE look IS NOT NULL AND look <= ? ORDER BY look LIMIT ?",
        ...[now, limit],
      ),
    listToSend: (now: number, limit: number): JobRun[] =>
      list(
        "SELECT body FROM job_run INDEXED BY job_run_send WHERE send IS NOT NULL AND send <= ? ORDER BY send LIMIT ?",
        ...[now, limit],
      ),
    /** Of both kinds. */
    nextTime(): number | null {
      const look =
        "SELECT look AS at FROM job_run INDEXED BY job_run_look WHERE look IS NOT NULL ORDER BY look LIMIT 1";
      const send =
        "SELECT send AS at FROM job_run INDEXED BY job_run_send WHERE send IS NOT NULL ORDER BY send LIMIT 1";
      const times = [look, send].flatMap((query) => sql.run<{ at: number }>(query)).map(({ at }) => at);
      return times.length === 0 ? null : Math.min(...times);
    },
    /** Newest first: those before `before`. */
    list(job: JobId, { before, limit }: { before: number | null; limit: number }): { n: number; run: JobRun }[] {
      const query = "SELECT n, body FROM job_run WHERE job = ? AND n < ? ORDER BY n DESC LIMIT ?";
      return sql
        .run<Row & { n: number }>(query, job, before ?? Number.MAX_SAFE_INTEGER, limit)
        .map((row) => ({ n: row.n, run: parse(row) }));
    },
    /** Of the newest run that had any. */
    lastOutput(job: JobId): { output: string; at: number } | null {
      const query = `SELECT body FROM job_run WHERE job = ? AND state = 'completed' AND json_extract(body, '$.outcome') = 'answered'
        ORDER BY n DESC LIMIT 1`;
      const run = list(query, job)[0];
      return run ? { output: run.output ?? "", at: run.endedAt ?? run.claimedAt } : null;
    },
    /** The newest run of each job, where its end was lost. Reads all jobs. */
    listLost(limit: number): JobRun[] {
      const newest = "r.n = (SELECT max(s.n) FROM job_run AS s WHERE s.job = job.id)";
      const query = `SELECT r.body FROM job JOIN job_run AS r ON ${newest} WHERE r.state = 'unknown' ORDER BY r.n DESC LIMIT ?`;
      return list(query, limit);
    },
    /** Runs of a deleted session stay, and say no more which it was. */
    listOfSession: (session: SessionId): JobRun[] => list("SELECT body FROM job_run WHERE session = ?", session),
    removeAll(job: JobId): void {
      sql.run("DELETE FROM job_run WHERE job = ?", job);
    },
    /** Removes ended runs of the job beyond the newest `keep`; none that is open or to be sent. */
    keepNewest(job: JobId, keep: number): void {
      sql.run(
        `DELETE FROM job_run WHERE job = ?1 AND look IS NULL AND send IS NULL AND n <=
          (SELECT n FROM job_run WHERE job = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?2)`,
        ...[job, keep],
      );
    },
    /** Removes ended runs that were claimed at `before` or earlier, at most `limit` at once. */
    removeOld(before: number, limit: number): void {
      const oldest = this.oldest();
      if (oldest === null || oldest > before) return;
      const query = "SELECT n, at, look, send FROM job_run ORDER BY n LIMIT ?";
      for (const { n, at, look, send } of sql.run<Record<"n" | "at" | "look" | "send", number | null>>(query, limit)) {
        if (at! > before) return;
        if (look === null && send === null) sql.run("DELETE FROM job_run WHERE n = ?", n);
      }
    },
    /** When the oldest that could be removed was claimed. */
    oldest(): number | null {
      const query = "SELECT at FROM job_run WHERE look IS NULL AND send IS NULL ORDER BY n LIMIT 1";
      return sql.run<{ at: number }>(query)[0]?.at ?? null;
    },
  };
}

interface Row {
  body: string;
}

function parse({ body }: Row): JobRun {
  return parseStored(JobRun, "A run of a job", JSON.parse(body));
}
