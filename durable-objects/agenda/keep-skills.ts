// Tells the curator which skills jobs name: they do not age. The record is in R2, and the curator changes it too, when it merges a skill that a job
// names. So only what has changed since the last time is written. Called by job-desk.ts.
import { createSkillRows } from "../../core/jobs/skill-rows.ts";
import type { Sql } from "../../core/ports.ts";
import type { SkillName } from "../../core/schemas/ids.ts";
import type { Policy } from "../../core/schemas/learning/curation.ts";

export interface KeepSkillsDeps {
  sql: Sql;
  changePolicy(next: (policy: Policy) => Policy): Promise<unknown>;
}

export function createSkillKeeper({ sql, changePolicy }: KeepSkillsDeps) {
  const rows = createSkillRows(sql);
  return {
    /** Does nothing if nothing has changed. Idempotent; rejects if the record cannot be written, and is then called again. */
    async keep(): Promise<void> {
      const owed = rows.owed();
      if (owed.added.length + owed.removed.length === 0) return;
      await changePolicy((policy) => ({
        ...policy,
        keepSkills: mergeNames(policy.keepSkills, owed.added, owed.removed),
      }));
      rows.markTold(owed);
    },
  };
}

function mergeNames(names: SkillName[], added: SkillName[], removed: SkillName[]): SkillName[] {
  return [...new Set([...names, ...added])].filter((name) => !removed.includes(name)).sort();
}
