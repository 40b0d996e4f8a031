// How many jobs name each skill, and which of these skills the curator knows of, in the profile's Agenda. Kept beside the jobs, because to look for
// a skill in all jobs would read each. Synchronous, over any Sql. Written by job-rows.ts with the job; read by the Agenda, which tells the curator.
import type { Sql } from "../ports.ts";
import type { SkillName } from "../schemas/ids.ts";

/** `jobs`: how many name the skill; 0 until the curator was told that none does. `told`: 1 once the curator knows of it. */
export const SKILL_USE_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS skill_use (name TEXT PRIMARY KEY, jobs INTEGER NOT NULL, told INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS skill_use_owed ON skill_use (name) WHERE (jobs > 0) <> told",
];

export type SkillRows = ReturnType<typeof createSkillRows>;

export function createSkillRows(sql: Sql) {
  const change = (name: SkillName, by: 1 | -1) =>
    sql.run("INSERT INTO skill_use VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs", name, by);
  return {
    /** The skills of a job were `before`, and are `now`. Inside the caller's transaction. */
    count(before: SkillName[], now: SkillName[]): void {
      const [old, next] = [new Set(before), new Set(now)];
      for (const name of next) if (!old.has(name)) change(name, 1);
      for (const name of old) if (!next.has(name)) change(name, -1);
    },
    /** What the curator must be told: skills that a job names now, and skills that none does any more. */
    owed(): { added: SkillName[]; removed: SkillName[] } {
      const query = "SELECT name, jobs FROM skill_use INDEXED BY skill_use_owed WHERE (jobs > 0) <> told ORDER BY name";
      const rows = sql.run<{ name: SkillName; jobs: number }>(query);
      const names = (isUsed: boolean) => rows.filter(({ jobs }) => jobs > 0 === isUsed).map(({ name }) => name);
      return { added: names(true), removed: names(false) };
    },
    /** The curator knows. A job may have changed meanwhile: then the skill is owed again. */
    markTold({ added, removed }: { added: SkillName[]; removed: SkillName[] }): void {
      sql.transaction(() => {
        for (const name of added) sql.run("UPDATE skill_use SET told = 1 WHERE name = ?", name);
        for (const name of removed) sql.run("UPDATE skill_use SET told = 0 WHERE name = ?", name);
        for (const name of removed) sql.run("DELETE FROM skill_use WHERE name = ? AND jobs = 0", name);
      });
    },
  };
}

/** For the Agenda of an earlier version, which lacks some of `schema`: it had a table `job_skill` of the names that the curator was told of. Idempotent. */
export function upgradeJobTables(sql: Sql, schema: string[]): void {
  const has = (table: string) =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table).length > 0;
  if (has("skill_use")) return;
  sql.transaction(() => {
    for (const query of schema) sql.run(query);
    sql.run(
      `INSERT INTO skill_use SELECT value, count(DISTINCT job.name), 0 FROM job, json_each(job.body, '$.skills') GROUP BY value`,
    );
    if (!has("job_skill")) return;
    sql.run("INSERT INTO skill_use SELECT name, 0, 1 FROM job_skill WHERE true ON CONFLICT DO UPDATE SET told = 1");
    sql.run("DROP TABLE job_skill");
  });
}
