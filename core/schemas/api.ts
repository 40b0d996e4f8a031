// The HTTP contract: bodies and answers of /v1. Clients (cli/, scripts/) import schemas and nothing else of the core.
// workers/api/ binds each one to its route.
import * as z from "zod";
import { Entry, TurnState, TurnStats } from "./entry.ts";
import { ApprovalId, ApprovalState } from "./approval.ts";
import { CurationRun, CurationWork, WorkId } from "./learning/curation.ts";
import { FileContents } from "./file-body.ts";
import { CurationId, ProfileId, ReviewId, SessionId, Sha256, SkillName, TurnId } from "./ids.ts";
import { Observation, TraceStep } from "./learning/learning.ts";
import { MemoryEntry, MemoryStoreName } from "./memory.ts";
import { Lesson, ReviewDead, ReviewJob, ReviewResult, ReviewState } from "./learning/review.ts";
import { BusyMode } from "./settings.ts";
import { IndexLine, PastRevision, SkillHead, SkillRevision, SkillTombstone } from "./skill.ts";
import { SessionUsage } from "./usage.ts";

/** RFC 9457. `code` is ours and stable; `detail` is one sentence. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  instance: z.string().optional(),
  /** Names the log line of an unknown error. */
  id: z.string().optional(),
  errors: z.array(z.object({ in: z.string(), path: z.string(), message: z.string() })).optional(),
  /** What goes with the code: a neighbour's name, the places of several matches. */
  facts: z.record(z.string(), z.unknown()).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** What every list answers beside its items: ask with `after` of this value for the next page; absent on the last one. */
const Page = z.object({ next: z.string().optional() });

export const CreatedProfile = z.object({ profile: ProfileId, key: z.string() });
export type CreatedProfile = z.infer<typeof CreatedProfile>;
export const CreateKey = z.strictObject({ profile: ProfileId, label: z.string().max(100).optional() });
export const KeyInfo = z.object({ id: z.string(), label: z.string(), createdAt: z.int() });
export type KeyInfo = z.infer<typeof KeyInfo>;
/** The only answer that ever holds the key itself. */
export const CreatedKey = KeyInfo.extend({ profile: ProfileId, key: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;
export const KeyList = Page.extend({ keys: z.array(KeyInfo) });

/** `off`: bundled skills stay; learned skills and memory are neither shown nor loadable; no review follows. */
export const Learning = z.enum(["on", "off"]);
export type Learning = z.infer<typeof Learning>;
export const CreateSession = z.strictObject({
  learning: Learning.default("on"),
  title: z.string().max(200).optional(),
});
export const SessionInfo = z.object({
  session: SessionId,
  title: z.string(),
  learning: Learning,
  createdAt: z.int(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;
/** Newest first. */
export const SessionList = Page.extend({ sessions: z.array(SessionInfo) });
export const TurnInfo = z.object({
  turn: TurnId,
  n: z.int(),
  state: TurnState,
  /** The turn it was put into, for one that is `steered`. */
  into: z.int().optional(),
  /** The input's entry, `null` while the turn waits in the queue, and the final one once there is one. */
  input: z.int().nullable(),
  final: z.int().nullable(),
  /**
   * Why the turn ended: `answer` (a whole one), else the code of its last notice: `length`, `refusal`, `empty_answer`, `written_call`,
   * `step_limit`, `cut_calls`, `unusable_calls`, `no_headway`, the code of a guardrail, `stopped`, `redirected`, a command's
   * or a failure's code. Absent while it runs, and for turns of an earlier version.
   */
  reason: z.string().optional(),
  attempts: z.int(),
  /** Until when a running turn waits by plan: none of its models answers now, but one may then. */
  pausedUntil: z.int().optional(),
  stats: TurnStats,
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
});
export type TurnInfo = z.infer<typeof TurnInfo>;
export const SessionDetail = SessionInfo.extend({
  state: z.enum(["idle", "busy"]),
  turns: z.array(TurnInfo),
  /** Reviews sent and not yet answered. */
  reviewing: z.array(ReviewId),
  usage: SessionUsage,
});
export type SessionDetail = z.infer<typeof SessionDetail>;

export const TurnObservation = z.object({
  n: z.int(),
  /** `null`: nothing was observed of it, or not yet. */
  observation: Observation.nullable(),
  trace: z.array(TraceStep),
});
export type TurnObservation = z.infer<typeof TurnObservation>;

/** How long a text may be is the operator's to say: `turn.maxMessageChars`. */
export const PostMessage = z.strictObject({
  text: z.string().min(1),
  /** What to do with it when a turn is running. Default: the operator's `turn.busy`. */
  busy: BusyMode.optional(),
});
export const Accepted = z.object({
  session: SessionId,
  turn: TurnId,
  /** The input's entry, `null` while the turn waits in the queue. */
  entry: z.int().nullable(),
  /** The same key and body came before: this is the turn they started. */
  replayed: z.boolean(),
  events: z.string(),
});
export type Accepted = z.infer<typeof Accepted>;
export const EntryList = Page.extend({ entries: z.array(Entry) });
export const Stopped = z.object({ stopped: z.array(TurnId) });

export const FileInfo = z.object({ path: z.string(), size: z.int(), writer: z.enum(["principal", "own", "content"]) });
export type FileInfo = z.infer<typeof FileInfo>;
export const StoredFile = z.object({ path: z.string(), size: z.int() });
export type StoredFile = z.infer<typeof StoredFile>;
export const FileList = Page.extend({ files: z.array(FileInfo) });

/** A change of a file that instructs the agent, which only the person may make. */
export const ApprovalInfo = z.object({
  id: ApprovalId,
  path: z.string(),
  state: ApprovalState,
  /** Bytes of the wanted content. */
  size: z.int(),
  askedAt: z.int(),
  decidedAt: z.int().nullable(),
});
export type ApprovalInfo = z.infer<typeof ApprovalInfo>;
/** Oldest first. */
export const ApprovalList = Page.extend({ approvals: z.array(ApprovalInfo) });
export const ApprovalDetail = ApprovalInfo.extend({
  /** The wanted content; `null` once it was decided on. */
  content: z.string().nullable(),
  /** What the file holds now; `null` for no file, or one too large to compare. */
  current: z.string().nullable(),
});
export type ApprovalDetail = z.infer<typeof ApprovalDetail>;
export const DecideApproval = z.strictObject({ approve: z.boolean() });

/** `seq` and `rev` are 0 for a bundled skill, which has no head. */
export const SkillLine = IndexLine.extend({ name: SkillName, seq: z.int().min(0), rev: z.int().min(0) });
export type SkillLine = z.infer<typeof SkillLine>;
export const ListedSkill = SkillLine.extend({
  /** `setup_needed`: it can be loaded, and lacks what is `missing`. The last two are offered to nobody, nor loaded. */
  readiness: z.enum(["available", "setup_needed", "unsupported", "disabled"]),
  missing: z.object({ variables: z.array(z.string()), files: z.array(z.string()) }).optional(),
});
export type ListedSkill = z.infer<typeof ListedSkill>;
export const SkillList = Page.extend({ skills: z.array(ListedSkill) });
export const SkillDetail = z.object({
  name: SkillName,
  /** `null` for a bundled skill the profile has not changed. */
  head: SkillHead.nullable(),
  /** As the frontmatter has them; `parameters`: what each `{{name}}` of the text is. */
  traits: z.object({
    tags: z.array(z.string()),
    parameters: z.record(z.string(), z.string()),
    dependencies: z.array(z.string()),
  }),
  files: FileContents,
});
export type SkillDetail = z.infer<typeof SkillDetail>;
export const PutSkill = z.strictObject({
  /** By path; `SKILL.md` is required, and is text. */
  files: FileContents,
});
/** What was purged is shown by its tombstone. */
export const SkillRevisionList = Page.extend({ revisions: z.array(PastRevision) });
export const SkillRevisionDetail = z.object({ revision: SkillRevision, files: FileContents });
/** How `rev` differs from `against`; 0 is the nothing before the first revision. */
export const SkillDiff = z.object({
  name: SkillName,
  rev: z.int(),
  against: z.int(),
  files: z.array(z.object({ path: z.string(), change: z.enum(["added", "removed", "changed"]), diff: z.string() })),
});
export type SkillDiff = z.infer<typeof SkillDiff>;
export const PurgeSkill = z.strictObject({ rev: z.int().min(1).max(99_999_999) });
export const PurgedSkill = z.object({
  revision: SkillTombstone,
  /** How many files' contents are gone; 0 when an earlier request finished the purge. */
  deleted: z.int(),
  /** Contents that stay, because this revision names them too. */
  kept: z.array(z.object({ sha256: Sha256, name: SkillName, rev: z.int() })),
});
export const PinSkill = z.strictObject({ pinned: z.boolean() });
export const RestoreSkill = z.strictObject({
  /** Without one the present text is taken out of the archive. */
  rev: z.int().min(1).optional(),
});

export const MemoryUsage = z.object({
  chars: z.int(),
  limit: z.int(),
  percent: z.int(),
  entries: z.int(),
  /** How many of them are stored, but too old to stand in a prompt. */
  outside: z.int(),
});
export const ListedMemory = MemoryEntry.extend({
  /** Stored, but not in the prompt, for want of room. */
  outside: z.boolean(),
  /** In the prompt a placeholder stands for it: its text looks like an order to the agent. */
  hidden: z.boolean(),
  findings: z.array(z.object({ pattern: z.string(), category: z.string(), severity: z.string(), reason: z.string() })),
});
export const MemoryList = Page.extend({
  /** With `purged`, what this page holds: all entries come before the first that was purged. */
  entries: z.array(ListedMemory),
  /** By store. */
  usage: z.partialRecord(MemoryStoreName, MemoryUsage),
  /** What was removed for good. */
  purged: z.array(z.object({ store: MemoryStoreName, id: Sha256, at: z.int() })),
});
export const PostMemory = z.strictObject({ store: MemoryStoreName, content: z.string() });
export const PutMemory = z.strictObject({ content: z.string() });
/** `existed`: the fact lived already. */
export const MemoryWritten = z.object({ store: MemoryStoreName, id: Sha256, existed: z.boolean() });
/** How many copies of the text were deleted; 0 when an earlier request did. */
export const MemoryPurged = z.object({ store: MemoryStoreName, id: Sha256, deleted: z.int() });
export const Forgotten = z.object({ removed: z.int() });

export const ReviewLine = z.object({ review: ReviewId, state: ReviewState });
export const ReviewLineList = Page.extend({
  reviews: z.array(ReviewLine.extend({ summary: z.string().optional(), lessons: z.array(Lesson).optional() })),
});
export type ReviewLineList = z.infer<typeof ReviewLineList>;
export const ReviewDetail = z.object({
  review: ReviewId,
  state: ReviewState,
  job: ReviewJob.nullable(),
  result: ReviewResult.nullable(),
  dead: ReviewDead.nullable(),
});
export type ReviewDetail = z.infer<typeof ReviewDetail>;

export const CurationStarted = z.object({ run: CurationId });
export const CurationRunList = Page.extend({ runs: z.array(CurationId) });
/** `work`: what models have made of what the run left to them, so far; absent for none. */
export const CurationReport = z.object({
  run: CurationRun,
  markdown: z.string(),
  work: z.array(CurationWork).optional(),
});
export type CurationReport = z.infer<typeof CurationReport>;
export const CuratorStatus = z.object({
  /** Then nothing is done by itself. */
  paused: z.boolean(),
  /** Never moved by age, because a job names them. */
  keepSkills: z.array(SkillName),
  /** The newest run that has reported, and one that has a plan and no report. */
  last: CurationId.nullable(),
  open: CurationId.nullable(),
  /** Work that was left to a model and has no outcome yet. */
  owed: z.array(z.object({ run: CurationId, work: WorkId })),
  /** Days of the calendar, and the least number of active ones among them. Tokens and dollars: of one run. */
  limits: z.object({
    staleDays: z.int(),
    staleActiveDays: z.int(),
    archiveDays: z.int(),
    archiveActiveDays: z.int(),
    checkDays: z.int(),
    maxChanges: z.int(),
    grantTokens: z.int(),
    grantUsd: z.number(),
  }),
});
export type CuratorStatus = z.infer<typeof CuratorStatus>;

export const Health = z.object({ ok: z.literal(true), version: z.string(), model: z.string() });
