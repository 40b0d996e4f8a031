// What a profile's turns show of its skills, over a bucket: the evidence, the stats derived from it, and the days the profile was
// active. The Session's outbox writes it; listings and the code that settles skills read it.
import type { Bucket, EvidenceStore } from "../../core/ports.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { createActiveDays } from "./active-days.ts";
import { createEvidenceRecords } from "./evidence-records.ts";
import { type JudgeTexts, createSkillStats } from "./skill-stats.ts";

export interface EvidenceStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  /** Judges each text of a skill from its evidence. */
  judge: JudgeTexts;
}

export function createEvidenceStore({ bucket, profile, judge }: EvidenceStoreOptions): EvidenceStore {
  const records = createEvidenceRecords({ bucket, profile });
  const stats = createSkillStats({ bucket, profile, judge, list: records.list });
  return { ...records, ...stats, ...createActiveDays({ bucket, profile }) };
}
