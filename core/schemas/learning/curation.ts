// Curation: messages, plan, what was changed, report, and what the curator remembers of a profile. See
// docs/ARCHITECTURE.md, "Curation".
import * as z from "zod";
import { Cost, Usage } from "../entry.ts";
import { Citation, CurationId, Day, ProfileId, Sha256, SkillName } from "../ids.ts";
import { Grant, ReviewResult } from "./review.ts";
import { SkillState } from "../skill.ts";
import { UsageLine } from "../usage.ts";

const OfRun = { v: z.literal(1), profile: ProfileId, run: CurationId };

/**
 * A shard of a past day's due markers; one profile on request; the undoing of a run; or work for a model, which a run
 * leaves to messages of its own so that no profile waits for it.
 */
export const CurationMessage = z.discriminatedUnion("kind", [
  z.object({
    v: z.literal(1),
    kind: z.literal("shard"),
    day: Day,
    shard: z.string().regex(/^[0-9a-f]{2}$/),
    cursor: z.string().optional(),
    /** The markers are those of quiet profiles: what they left is swept, and nothing curated. */
    sweep: z.literal(true).optional(),
  }),
  /** `consolidate`: the model is asked as well which skills should be one. */
  z.object({
    ...OfRun,
    kind: z.literal("profile"),
    dryRun: z.boolean(),
    consolidate: z.boolean().optional(),
    /** What the Account set aside for this run, where a day's budget is set. */
    allowance: z.object({ id: z.string(), grant: Grant }).optional(),
  }),
  z.object({ ...OfRun, kind: z.literal("rollback"), of: CurationId }),
  z.object({ ...OfRun, kind: z.literal("rewrite"), skill: SkillName }),
  z.object({ ...OfRun, kind: z.literal("look"), skill: SkillName }),
  z.object({ ...OfRun, kind: z.literal("consolidate") }),
  z.object({ ...OfRun, kind: z.literal("requests") }),
]);
export type CurationMessage = z.infer<typeof CurationMessage>;

/** What a model is asked: to write a skill again, to look at a stale one, to make one of several, or what people would ask several for. */
export const WorkKind = z.enum(["rewrite", "look", "consolidate", "requests"]);
export type WorkKind = z.infer<typeof WorkKind>;

/** Within a run: `rewrite.<skill>`, `look.<skill>`, `consolidate` or `requests`. */
export const WorkId = z.string().regex(/^(?:(?:rewrite|look)\.[a-z0-9]+(?:-[a-z0-9]+)*|consolidate|requests)$/);
export type WorkId = z.infer<typeof WorkId>;

/** What a skill is, as far as a curation changes it. */
export const Standing = z.object({ state: SkillState, rev: z.int(), text: Sha256 });
export type Standing = z.infer<typeof Standing>;

/** One change that a run has made; `from` is `null` for a skill it has created. Each can be taken back. */
export const CurationChange = z.object({
  skill: SkillName,
  from: Standing.nullable(),
  to: Standing,
  reason: z.string(),
});
export type CurationChange = z.infer<typeof CurationChange>;

/** One state move by age. `seq` is the head's when the plan was made: a head that has moved since is left alone. */
export const CurationMove = z.object({
  skill: SkillName,
  seq: z.int(),
  from: SkillState,
  to: SkillState,
  reason: z.string(),
});
export type CurationMove = z.infer<typeof CurationMove>;

/** What the evidence says of a skill's present text, where its state says otherwise. Carried out by settle.ts. */
export const VerdictMove = z.object({
  skill: SkillName,
  seq: z.int(),
  from: Standing,
  /** `trial`: what was active was contradicted. */
  verdict: z.enum(["active", "trial", "withdrawn"]),
  why: z.string(),
});
export type VerdictMove = z.infer<typeof VerdictMove>;

/** What a check of a skill's text found, where its head says otherwise. */
export const HealthFinding = z.object({ skill: SkillName, text: Sha256, broken: z.array(z.string()) });
export type HealthFinding = z.infer<typeof HealthFinding>;

export const WorkItem = z.object({
  work: WorkId,
  skill: SkillName.optional(),
  /** Of `requests`. */
  skills: z.array(SkillName).optional(),
  /** One clause, with its figures. */
  because: z.string(),
  grant: Grant,
  /** Of a consolidation that no person asked for: the skills of which reviews noted that they overlap. */
  groups: z.array(z.array(SkillName)).optional(),
});
export type WorkItem = z.infer<typeof WorkItem>;

/** What is absent is none: version 1 had moves only. */
export const CurationPlan = z.object({
  v: z.literal(1),
  run: CurationId,
  profile: ProfileId,
  at: z.int(),
  dryRun: z.boolean(),
  moves: z.array(CurationMove),
  verdicts: z.array(VerdictMove).optional(),
  health: z.array(HealthFinding).optional(),
  /** Skills whose health was looked at, found broken or not. */
  checked: z.array(SkillName).optional(),
  work: z.array(WorkItem).optional(),
  /** Changes that had no room in this run: the next one's. */
  left: z.int().optional(),
  /** Work for a model that the day's budget has no room for. */
  unpaid: z.int().optional(),
  /** The Account's reservation that the work spends. */
  allowance: z.string().optional(),
  /** The run that this one takes back, and its changes, last one first. */
  undoes: CurationId.optional(),
  undo: z.array(CurationChange).optional(),
});
export type CurationPlan = z.infer<typeof CurationPlan>;

/** `left`: it had changed in the meantime, or was not there any more. */
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
  /** Skills that reviews found to say much the same. */
  overlaps: z.array(z.object({ skill: SkillName, with: z.array(SkillName) })).optional(),
  /** What was left to a model; what became of it has a record of its own. */
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

/** A line of a skill, or a file of it, and what becomes of it when the skill goes up in another. */
export const MergeItem = z.object({
  id: z.string(),
  fate: z.enum(["kept", "superseded", "archived"]),
  /** A kept file's path in the umbrella; absent: the one it had. */
  where: z.string().optional(),
  /** Why it need not be kept. */
  reason: z.string().optional(),
});
export type MergeItem = z.infer<typeof MergeItem>;

/** One skill made of several. Written before the first change, and carried out to its end before anything else. */
export const CurationMerge = z.object({
  v: z.literal(1),
  run: CurationId,
  work: WorkId,
  /** Its place in the script. */
  n: z.int().min(0),
  at: z.int(),
  umbrella: SkillName,
  /** What the umbrella was; `null` for a new skill. */
  before: Standing.nullable(),
  content: z.string(),
  /** Files that go along, by their new path: contents are the blob's. */
  files: z.array(z.object({ path: z.string(), sha256: Sha256 })),
  /** What all of them should answer; absent for nothing. */
  requests: z.array(z.string()).optional(),
  category: z.string(),
  absorbs: z.array(z.object({ skill: SkillName, seq: z.int(), standing: Standing })),
  citations: z.array(Citation),
  items: z.array(MergeItem.extend({ skill: SkillName, text: z.string() })),
});
export type CurationMerge = z.infer<typeof CurationMerge>;

/** What became of work for a model. */
export const CurationWork = z.object({
  v: z.literal(1),
  run: CurationId,
  work: WorkId,
  /** `left`: the model found nothing to change, or was not asked. */
  state: z.enum(["done", "left", "cancelled", "failed"]),
  /** The model's closing words, or why it came to nothing. */
  note: z.string(),
  /** In the order they were made. */
  changes: z.array(CurationChange),
  /** What was absorbed into what, and the fates of the old items. */
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
 * `p/<profile>/curation/allowance`: what a curation may spend on a day with a limit, set aside by the profile's Account. Used
 * by one run; `null`: by none yet.
 */
export const CurationAllowance = z.object({
  v: z.literal(1),
  id: z.string(),
  day: Day,
  grant: Grant,
  usedBy: CurationId.nullable(),
});
export type CurationAllowance = z.infer<typeof CurationAllowance>;

/** `p/<profile>/spent/<run>/<work>`: what a piece of work spent, on its way to the Account. */
export const CurationSpent = z.object({
  v: z.literal(1),
  run: CurationId,
  work: WorkId,
  at: z.int(),
  lines: z.array(UsageLine),
  /** The Account's reservation; absent where no limit is set. */
  grant: z.string().optional(),
});
export type CurationSpent = z.infer<typeof CurationSpent>;

/** `p/<profile>/policy.json`: all that the curator may know of an account. */
export const Policy = z.object({
  v: z.literal(1),
  /** Named by a job: never moved by age, but a model may make them part of others. */
  keepSkills: z.array(SkillName).default([]),
  /** Due markers are cleared, and nothing is done. */
  paused: z.boolean().optional(),
  /** What one run may spend on models, instead of the operator's figures. */
  grantTokens: z.int().min(0).optional(),
  grantUsd: z.number().min(0).optional(),
});
export type Policy = z.infer<typeof Policy>;

/** What the curator remembers of one skill. */
const SkillNote = z.object({
  /** Age begins here at the earliest: who is seen first is not aged at once. */
  seen: Day,
  /** When its checks last ran. */
  checked: Day.optional(),
  /** The run that had it looked at while it was stale; gone when it is not stale any more. */
  looked: CurationId.optional(),
  /** The text that was given to a model to be written again. */
  rewritten: Sha256.optional(),
  /** The noted overlaps that a consolidation was shown. */
  consolidated: z.array(SkillName).optional(),
  /** The run that had a model asked for its requests. */
  asked: CurationId.optional(),
});

/** `p/<profile>/curator`: what one run leaves for the next. */
export const CuratorNotes = z.object({
  v: z.literal(1),
  seq: z.int().min(0),
  skills: z.record(SkillName, SkillNote),
  /** Work that was sent and has no outcome yet: sent again by the next run. */
  owed: z.array(z.object({ run: CurationId, work: WorkId })),
  /** The newest run that has reported. */
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

/** The message that has a piece of work done. */
export function toWorkMessage(profile: ProfileId, run: CurationId, work: WorkId): CurationMessage {
  return CurationMessage.parse({ v: 1, profile, run, ...fromWorkId(work) });
}
