// Tells the curator which skills jobs name: they do not age. The record is in R2, and the curator changes it too, when it merges a skill that a job
// names. So only what has changed since the last time is written. Called by job-desk.ts.
import type { Sql } from "../../core/ports.ts";
import type { SkillName } from "../../core/schemas/ids.ts";
import type { Policy } from "../../core/schemas/learning/curation.ts";

/** What was written last. */
export const KEPT_SKILLS_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS job_skill (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
];

export interface KeepSkillsDeps {
  sql: Sql;
  /** What jobs name now. */
  listSkills(): string[];
  changePolicy(next: (policy: Policy) => Policy): Promise<unknown>;
}

export function createSkillKeeper({ sql, listSkills, changePolicy }: KeepSkillsDeps) {
  const known = () => sql.run<{ name: string }>("SELECT name FROM job_skill ORDER BY name").map(({ name }) => name);
  return {
    /** Does nothing if nothing has changed. Idempotent; rejects if the record cannot be written, and is then called again. */
    async keep(): Promise<void> {
      const [before, now] = [known(), listSkills()];
      const added = now.filter((name) => !before.includes(name));
      const removed = before.filter((name) => !now.includes(name));
      if (added.length + removed.length === 0) return;
      await changePolicy((policy) => ({ ...policy, keepSkills: mergeNames(policy.keepSkills, added, removed) }));
      sql.transaction(() => {
        for (const name of added) sql.run("INSERT INTO job_skill VALUES (?) ON CONFLICT DO NOTHING", name);
        for (const name of removed) sql.run("DELETE FROM job_skill WHERE name = ?", name);
      });
    },
  };
}

function mergeNames(names: SkillName[], added: SkillName[], removed: SkillName[]): SkillName[] {
  return [...new Set([...names, ...added])].filter((name) => !removed.includes(name)).sort();
}
