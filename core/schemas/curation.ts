// Curation: messages, plan, report. See docs/ARCHITECTURE.md, "Curation".
import * as z from "zod";
import { Usage } from "./entry.ts";
import { CurationId, Day, ProfileId, SkillName } from "./ids.ts";
import { SkillState } from "./skill.ts";

/** A shard of a past day's due markers, or one profile on request. */
export const CurationMessage = z.discriminatedUnion("kind", [
  z.object({
    v: z.literal(1),
    kind: z.literal("shard"),
    day: Day,
    shard: z.string().regex(/^[0-9a-f]{2}$/),
    cursor: z.string().optional(),
  }),
  z.object({ v: z.literal(1), kind: z.literal("profile"), profile: ProfileId, run: CurationId, dryRun: z.boolean() }),
]);
export type CurationMessage = z.infer<typeof CurationMessage>;

/** One state move. `seq` is the head's when the plan was made: a head that has moved since is left alone. */
export const CurationMove = z.object({
  skill: SkillName,
  seq: z.int(),
  from: SkillState,
  to: SkillState,
  reason: z.string(),
});
export type CurationMove = z.infer<typeof CurationMove>;

export const CurationPlan = z.object({
  v: z.literal(1),
  run: CurationId,
  profile: ProfileId,
  at: z.int(),
  dryRun: z.boolean(),
  moves: z.array(CurationMove),
});
export type CurationPlan = z.infer<typeof CurationPlan>;

export const CurationRun = z.object({
  v: z.literal(1),
  run: CurationId,
  profile: ProfileId,
  dryRun: z.boolean(),
  startedAt: z.int(),
  finishedAt: z.int(),
  skills: z.int(),
  byState: z.record(SkillState, z.int()),
  moves: z.array(CurationMove.extend({ result: z.enum(["planned", "moved", "left"]) })),
  usage: Usage,
});
export type CurationRun = z.infer<typeof CurationRun>;

/** `p/<profile>/policy.json`: all that the curator may know of an account. */
export const Policy = z.object({
  v: z.literal(1),
  /** Never moved by age. */
  keepSkills: z.array(SkillName).default([]),
});
export type Policy = z.infer<typeof Policy>;
