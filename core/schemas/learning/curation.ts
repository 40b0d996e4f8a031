// Curation: its messages, plan, changes and report, and what the curator remembers of a profile. See docs/LEARNING.md,
// "Curation".
import * as z from "zod";
import { Cost, Usage } from "../entry.ts";
import { Citation, CurationId, Day, ProfileId, Sha256, SkillName } from "../ids.ts";
import { Grant, ReviewResult } from "./review.ts";
import { SkillState } from "../skill.ts";
import { UsageLine } from "../usage.ts";

const RUN_FIELDS = { v: z.literal(1), profile: ProfileId, run: CurationId };

/**
 * A shard of a past day's due markers, one profile on request, the rollback of a run, or work for a model. A run sends such
 * work in separate messages, so that no profile waits for it.
 */
export const CurationMessage = z.discriminatedUnion("kind", [
  z.object({
    v: z.literal(1),
    kind: z.literal("shard"),
    day: Day,
    shard: z.string().regex(/^[0-9a-f]{2}$/),
    cursor: z.string().optional(),
    /** The markers are those of quiet profiles: they are swept, not curated. */
    sweep: z.literal(true).optional(),
  }),
  /** `consolidate`: also ask the model which skills should be merged. */
  z.object({
    ...RUN_FIELDS,
    kind: z.literal("profile"),
    dryRun: z.boolean(),
    consolidate: z.boolean().optional(),
    /** What the Account reserved for this run, if a day's budget is set. */
    allowance: z.object({ id: z.string(), grant: Grant }).optional(),
  }),
  z.object({ ...RUN_FIELDS, kind: z.literal("rollback"), of: CurationId }),
  z.object({ ...RUN_FIELDS, kind: z.literal("rewrite"), skill: SkillName }),
  z.object({ ...RUN_FIELDS, kind: z.literal("look"), skill: SkillName }),
  z.object({ ...RUN_FIELDS, kind: z.literal("consolidate") }),
  z.object({ ...RUN_FIELDS, kind: z.literal("requests") }),
]);
export type CurationMessage = z.infer<typeof CurationMessage>;

/** What a model is asked: to rewrite a skill, to examine a stale one, to merge several, or to write requests for several. */
export const WorkKind = z.enum(["rewrite", "look", "consolidate", "requests"]);
export type WorkKind = z.infer<typeof WorkKind>;

/** Within a run: `rewrite.<skill>`, `look.<skill>`, `consolidate` or `requests`. */
export const WorkId = z.string().regex(/^(?:(?:rewrite|look)\.[a-z0-9]+(?:-[a-z0-9]+)*|consolidate|requests)$/);
export type WorkId = z.infer<typeof WorkId>;

/** The properties of a skill that a curation changes. */
export const Standing = z.object({ state: SkillState, rev: z.int(), text: Sha256 });
export type Standing = z.infer<typeof Standing>;

/** One change made by a run, which can be taken back. `from` is `null` for a created skill. */
export const CurationChange = z.object({
  skill: SkillName,
  from: Standing.nullable(),
  to: Standing,
  reason: z.string(),
});
export type CurationChange = z.infer<typeof CurationChange>;

/** A change of state by age. `seq` is the head's when the plan was made; a head that has changed since is left alone. */
export const CurationMove = z.object({
  skill: SkillName,
  seq: z.int(),
  from: SkillState,
  to: SkillState,
  reason: z.string(),
});
export type CurationMove = z.infer<typeof CurationMove>;

/** A verdict on a skill's present text that differs from the skill's state. Carried out by core/learning/evidence/settle.ts. */
export const VerdictMove = z.object({
  skill: SkillName,
  seq: z.int(),
  from: Standing,
  /** `trial`: an active text was contradicted. */
  verdict: z.enum(["active", "trial", "withdrawn"]),
  why: z.string(),
});
export type VerdictMove = z.infer<typeof VerdictMove>;

/** The result of a text's checks that differs from the skill's head. */
export const HealthFinding = z.object({ skill: SkillName, text: Sha256, broken: z.array(z.string()) });
export type HealthFinding = z.infer<typeof HealthFinding>;

export const WorkItem = z.object({
  work: WorkId,
  skill: SkillName.optional(),
  /** Skills of a `requests` work. */
  skills: z.array(SkillName).optional(),
  /** One clause, with its figures. */
  because: z.string(),
  grant: Grant,
  /** For a consolidation that no person requested: the skills that reviews found to overlap. */
  groups: z.array(z.array(SkillName)).optional(),
});
export type WorkItem = z.infer<typeof WorkItem>;

/** Absent lists are empty: version 1 had moves only. */
export const CurationPlan = z.object({
  v: z.literal(1),
  run: CurationId,
  profile: ProfileId,
  at: z.int(),
  dryRun: z.boolean(),
  moves: z.array(CurationMove),
  verdicts: z.array(VerdictMove).optional(),
  health: z.array(HealthFinding).optional(),
  /** Skills whose health was checked, whether or not it was broken. */
  checked: z.array(SkillName).optional(),
  work: z.array(WorkItem).optional(),
  /** Changes beyond this run's limit, left to the next run. */
  left: z.int().optional(),
  /** Work for a model beyond the day's budget. */
  unpaid: z.int().optional(),
  /** The Account's reservation for the work. */
  allowance: z.string().optional(),
  /** The run that this one takes back, and its changes, last one first. */
  undoes: CurationId.optional(),
  undo: z.array(CurationChange).optional(),
});
export type CurationPlan = z.infer<typeof CurationPlan>;

/** `left`: the skill had changed in the meantime, or no longer existed. */
const Done = z.enum(["planned", "moved", "left"]);

export const CurationRun = z.object({
  v: z.literal(1),
  run: CurationId,
  profile: ProfileId,
  dryRun: z.boolean(),
  startedAt: z.int(),
  finishedAt: z.int(),
  skills: z.int(),
  byState: z.record(SkillState, z.int()),
  moves: z.array(CurationMove.extend({ result: Done })),
  verdicts: z.array(VerdictMove.extend({ result: Done, to: SkillState.optional() })).optional(),
  health: z.array(HealthFinding.extend({ result: Done })).optional(),
  /** Skills that reviews found to be similar. */
  overlaps: z.array(z.object({ skill: SkillName, with: z.array(SkillName) })).optional(),
  /** Work left to a model. Its outcome has a separate record. */
  work: z.array(WorkItem).optional(),
  left: z.int().optional(),
  unpaid: z.int().optional(),
  undoes: CurationId.optional(),
  undone: z.array(z.object({ change: CurationChange, result: Done, why: z.string() })).optional(),
  /** In the order they were made. */
  changes: z.array(CurationChange).optional(),
  usage: Usage,
});
export type CurationRun = z.infer<typeof CurationRun>;

/** One line or file of a skill, and what becomes of it when the skill is merged into another. */
export const MergeItem = z.object({
  id: z.string(),
  fate: z.enum(["kept", "superseded", "archived"]),
  /** A kept file's path in the merged skill; absent: unchanged. */
  where: z.string().optional(),
  /** Why it is dropped. */
  reason: z.string().optional(),
});
export type MergeItem = z.infer<typeof MergeItem>;

/** A merge of several skills into one, the umbrella. Written before the first change and finished before any other work. */
export const CurationMerge = z.object({
  v: z.literal(1),
  run: CurationId,
  work: WorkId,
  /** Its place in the script. */
  n: z.int().min(0),
  at: z.int(),
  umbrella: SkillName,
  /** The umbrella's previous state; `null` for a new skill. */
  before: Standing.nullable(),
  content: z.string(),
  /** Files that move along, by their new path. Contents are the blobs'. */
  files: z.array(z.object({ path: z.string(), sha256: Sha256 })),
  /** The requests that all of them should answer; absent for none. */
  requests: z.array(z.string()).optional(),
  category: z.string(),
  absorbs: z.array(z.object({ skill: SkillName, seq: z.int(), standing: Standing })),
  citations: z.array(Citation),
  items: z.array(MergeItem.extend({ skill: SkillName, text: z.string() })),
});
export type CurationMerge = z.infer<typeof CurationMerge>;

/** The outcome of work for a model. */
export const CurationWork = z.object({
  v: z.literal(1),
  run: CurationId,
  work: WorkId,
  /** `left`: the model found nothing to change, or was not asked. */
  state: z.enum(["done", "left", "cancelled", "failed"]),
  /** The model's final note, or why the work failed. */
  note: z.string(),
  /** In the order they were made. */
  changes: z.array(CurationChange),
  /** Which skill was absorbed into which, and the fates of the old items. */
  merges: z.array(
    z.object({
      umbrella: SkillName,
      absorbed: z.array(SkillName),
      left: z.array(SkillName),
      kept: z.int(),
      superseded: z.array(z.object({ item: z.string(), reason: z.string() })),
      archived: z.array(z.object({ item: z.string(), reason: z.string() })),
    }),
  ),
  refused: ReviewResult.shape.refused,
  modelCalls: z.int(),
  usage: Usage,
  spent: z.array(z.object({ model: z.string(), calls: z.int(), usage: Usage, cost: Cost })),
  finishedAt: z.int(),
});
export type CurationWork = z.infer<typeof CurationWork>;

/**
 * `p/<profile>/curation/allowance`: what a curation may spend on a day with a limit, reserved by the profile's Account. Used by
 * one run; `null`: not used yet.
 */
export const CurationAllowance = z.object({
  v: z.literal(1),
  id: z.string(),
  day: Day,
  grant: Grant,
  usedBy: CurationId.nullable(),
});
export type CurationAllowance = z.infer<typeof CurationAllowance>;

/** `p/<profile>/spent/<run>/<work>`: what a piece of work spent, to be collected by the Account. */
export const CurationSpent = z.object({
  v: z.literal(1),
  run: CurationId,
  work: WorkId,
  at: z.int(),
  lines: z.array(UsageLine),
  /** The Account's reservation; absent if no limit is set. */
  grant: z.string().optional(),
});
export type CurationSpent = z.infer<typeof CurationSpent>;

/** `p/<profile>/policy.json`: all that the curator knows of an account. */
export const Policy = z.object({
  v: z.literal(1),
  /** Named by a job: exempt from ageing, but a model may merge them. */
  keepSkills: z.array(SkillName).default([]),
  /** Due markers are cleared without curation. */
  paused: z.boolean().optional(),
  /** What one run may spend on models, instead of the operator's figures. */
  grantTokens: z.int().min(0).optional(),
  grantUsd: z.number().min(0).optional(),
});
export type Policy = z.infer<typeof Policy>;

/** What the curator remembers of one skill. */
const SkillNote = z.object({
  /** The earliest start of its age, so that a skill seen for the first time does not age at once. */
  seen: Day,
  /** When its checks last ran. */
  checked: Day.optional(),
  /** The run that had it examined while stale; absent once it is not stale. */
  looked: CurationId.optional(),
  /** The text that was given to a model to rewrite. */
  rewritten: Sha256.optional(),
  /** The overlaps that a consolidation has been shown. */
  consolidated: z.array(SkillName).optional(),
  /** The run that had a model write its requests. */
  asked: CurationId.optional(),
});

/** `p/<profile>/curator`: what one run leaves for the next. */
export const CuratorNotes = z.object({
  v: z.literal(1),
  seq: z.int().min(0),
  skills: z.record(SkillName, SkillNote),
  /** Work that was sent and has no outcome yet. The next run sends it again. */
  owed: z.array(z.object({ run: CurationId, work: WorkId })),
  /** The newest run with a report. */
  last: CurationId.nullable(),
});
export type CuratorNotes = z.infer<typeof CuratorNotes>;

export const NO_NOTES: CuratorNotes = { v: 1, seq: 0, skills: {}, owed: [], last: null };

export function toWorkId(kind: WorkKind, skill?: SkillName): WorkId {
  return skill === undefined ? kind : `${kind}.${skill}`;
}

export function fromWorkId(work: WorkId): { kind: WorkKind; skill?: SkillName } {
  const [kind = "", skill] = work.split(".");
  return { kind: WorkKind.parse(kind), ...(skill !== undefined && { skill }) };
}

/** The message for a piece of work. */
export function toWorkMessage(profile: ProfileId, run: CurationId, work: WorkId): CurationMessage {
  return CurationMessage.parse({ v: 1, profile, run, ...fromWorkId(work) });
}
