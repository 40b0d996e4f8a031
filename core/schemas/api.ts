// The HTTP contract: bodies and responses of /v1. Clients (cli/, scripts/) import the schemas and nothing else of the core.
// workers/api/ binds each one to its route.
import * as z from "zod";
import { Entry, TurnState, TurnStats, WaitKind } from "./entry.ts";
import {
  ApprovalMode,
  ApprovalScope,
  ClarifyApproval,
  CommandApproval,
  FileApproval,
  StandingAllowance,
} from "./approvals/approval.ts";
import { CurationRun, CurationWork, WorkId } from "./learning/curation.ts";
import { GivenImage } from "./media/image.ts";
import { FileContents } from "./file-body.ts";
import { CurationId, ProfileId, ReviewId, SessionId, Sha256, SkillName, TurnId } from "./ids.ts";
import { Replayability } from "./learning/experiment.ts";
import { Observation, TraceStep } from "./learning/learning.ts";
import { MemoryEntry, MemoryStoreName } from "./memory.ts";
import { Personality } from "./profile/personality.ts";
import { SkillAct } from "./keys/audit.ts";
import { Scope } from "./keys/scope.ts";
import { Lesson, ReviewDead, ReviewJob, ReviewResult, ReviewState, Trigger } from "./learning/review.ts";
import { ToolSettings } from "./profile/tools.ts";
import { Origin } from "./sessions/origin.ts";
import { SessionChoice } from "./sessions/session-choice.ts";
import { SessionKind } from "./sessions/session-kind.ts";
import { ForeignProgram, ForeignSession } from "./sessions/transcript.ts";
import { BusyMode } from "./settings.ts";
import { IndexLine, PastRevision, SkillContract, SkillHead, SkillRevision, SkillTombstone } from "./skill.ts";
import { SessionUsage } from "./usage.ts";

/** RFC 9457. `code` is stable; `detail` says what happened, then what to do. */
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
  /** Facts that belong to the code: a neighbour's name, the places of several matches. */
  facts: z.record(z.string(), z.unknown()).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** Common to all lists. Pass `next` as `after` to get the next page; it is absent on the last page. */
const Page = z.object({ next: z.string().optional() });

export const CreatedProfile = z.object({ profile: ProfileId, key: z.string() });
export type CreatedProfile = z.infer<typeof CreatedProfile>;
const KeyLabel = z
  .string()
  .max(100)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, "a label is one line without control characters");
const KeyScopes = z
  .array(Scope)
  .min(1)
  .max(Scope.options.length)
  .transform((scopes) => Scope.options.filter((scope) => scopes.includes(scope)));
/** `scopes`: by default those of the key that asks, or all for the operator. `expiresAt`: a time in milliseconds. */
export const CreateKey = z.strictObject({
  profile: ProfileId.optional(),
  label: KeyLabel.optional(),
  scopes: KeyScopes.optional(),
  expiresAt: z.int().optional(),
});
export type CreateKey = z.infer<typeof CreateKey>;
/** `expiresAt` `null`: the key no longer expires. */
export const ChangeKey = z.strictObject({ label: KeyLabel.optional(), expiresAt: z.int().nullable().optional() });
export type ChangeKey = z.infer<typeof ChangeKey>;
/** For how long the old secret still works beside the new one. */
export const RotateKey = z.strictObject({ graceSeconds: z.int().min(0).max(86_400).default(0) });
export const KeyInfo = z.object({
  id: z.string(),
  label: z.string(),
  scopes: z.array(Scope),
  createdAt: z.int(),
  expiresAt: z.int().optional(),
  /** To the hour: when a request last came with the key. */
  usedAt: z.int().optional(),
  /** `operator`, the id of a key, or a person by their sign-in. Absent: the key was made before this was noted. */
  madeBy: z.string().optional(),
  /** Until when the secret before the last rotation still works. */
  oldSecretUntil: z.int().optional(),
});
export type KeyInfo = z.infer<typeof KeyInfo>;
/** The only response that ever contains the key itself. */
export const CreatedKey = KeyInfo.extend({ profile: ProfileId, key: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;
export const KeyList = Page.extend({ keys: z.array(KeyInfo) });

/** `off`: only bundled skills. Learned skills and memory are neither shown nor loadable, and no review follows. */
export const Learning = z.enum(["on", "off"]);
export type Learning = z.infer<typeof Learning>;
/** `workspace`: files of the session's own, and a shell over them. `host`: files and commands of the operator's exec host. */
export const Backend = z.enum(["workspace", "host"]);
export type Backend = z.infer<typeof Backend>;
export const CreateSession = z.strictObject({
  learning: Learning.default("on"),
  backend: Backend.default("workspace"),
  tools: ToolSettings.optional(),
  title: z.string().max(200).optional(),
});
export const SessionInfo = z.object({
  session: SessionId,
  title: z.string(),
  learning: Learning,
  createdAt: z.int(),
  /** Absent: `chat`. */
  kind: SessionKind.optional(),
  /** Of a session that another one began: which. */
  parent: SessionId.optional(),
  /** Of a branch: where its first turns were copied from, the farthest session first. */
  branchedFrom: z.array(Origin).optional(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;
/**
 * `model`, `effort`, `personality` and `tools`: as the person has chosen them for this session. Absent: the default. `from`: of a session that
 * was made from a transcript.
 */
export const CreatedSession = SessionInfo.extend({ backend: Backend, from: ForeignSession.optional() }).extend(
  SessionChoice.shape,
);
export type CreatedSession = z.infer<typeof CreatedSession>;
/** Newest first. */
export const SessionList = Page.extend({ sessions: z.array(SessionInfo) });
/** `own`: put by the profile's owner; else it ships. */
export const PersonalityInfo = Personality.extend({ name: z.string(), own: z.boolean() });
export const PersonalityList = Page.extend({ personalities: z.array(PersonalityInfo) });

/** `turn`: the last one that the branch has; by default the newest that has ended. */
export const BranchSession = z.strictObject({
  turn: z.int().min(1).optional(),
  title: z.string().trim().min(1).max(200).optional(),
  /** `then`: the files as they were after that turn. `now`: as they are now, also where the others are no longer kept. */
  files: z.enum(["then", "now"]).default("then"),
});

export const TurnInfo = z.object({
  turn: TurnId,
  n: z.int(),
  state: TurnState,
  /** For a `steered` turn: the turn that took in its input. */
  into: z.int().optional(),
  /** The entry of the input, `null` while the turn waits, and the final entry once there is one. */
  input: z.int().nullable(),
  final: z.int().nullable(),
  /**
   * Why the turn ended: `answer` for a whole one, or the code of its last notice. Such codes are `length`, `refusal`,
   * `empty_answer`, `written_call`, `step_limit`, `cut_calls`, `unusable_calls`, `no_headway`, `stopped`, `redirected`, the
   * code of a guardrail, a command or a failure. Absent while the turn runs, and for turns of an earlier version.
   */
  reason: z.string().optional(),
  /** The person took the turn back: the turn of the command that did. */
  undoneBy: z.int().optional(),
  attempts: z.int(),
  /** Until when a running turn is paused, because none of its models can answer now and one may then. */
  pausedUntil: z.int().optional(),
  /** Of a parked turn: what it waits for (`approval`, `clarify`: the decision on the approval `id`), since when, and until when at most. */
  parked: z.object({ for: WaitKind, id: z.string(), since: z.int(), until: z.int() }).optional(),
  stats: TurnStats,
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
});
export type TurnInfo = z.infer<typeof TurnInfo>;
export const SessionDetail = CreatedSession.extend({
  state: z.enum(["idle", "busy"]),
  turns: z.array(TurnInfo),
  /** Reviews that were sent and have no result yet. */
  reviewing: z.array(ReviewId),
  usage: SessionUsage,
});
export type SessionDetail = z.infer<typeof SessionDetail>;

export const TurnObservation = z.object({
  n: z.int(),
  /** `null`: nothing was observed of the turn, or not yet. */
  observation: Observation.nullable(),
  trace: z.array(TraceStep),
  /** Whether an experiment can run the turn again, and if not, why. */
  replayability: Replayability,
});
export type TurnObservation = z.infer<typeof TurnObservation>;

/** A message that a search found. `highlights`: the query's words in `text`, in UTF-16 units, `to` exclusive. */
export const SearchResult = z.object({
  session: SessionId,
  title: z.string(),
  turn: TurnId,
  /** The log entry of the message. */
  entry: z.int(),
  role: z.enum(["user", "assistant", "tool"]),
  at: z.int(),
  snippet: z.object({ text: z.string(), highlights: z.array(z.object({ from: z.int(), to: z.int() })) }),
  /** Routes that show the session, the turn's events, and the log from the message on. */
  links: z.object({ session: z.string(), turn: z.string(), entry: z.string() }),
});
export type SearchResult = z.infer<typeof SearchResult>;
export const SearchResults = z.object({
  results: z.array(SearchResult),
  /** Years whose messages could not be searched now. */
  missing: z.array(z.int()),
});

/** The operator limits the length of a text: `turn.maxMessageChars`. */
export const PostMessage = z.strictObject({
  /** May be empty if there are images. */
  text: z.string(),
  /** PNG, JPEG, WebP or GIF, recognised by their bytes. The operator limits number and size: `images`. */
  images: z.array(GivenImage).min(1).max(100).optional(),
  /** What to do when a turn is running. Default: the operator's `turn.busy`. */
  busy: BusyMode.optional(),
});
export const Accepted = z.object({
  session: SessionId,
  turn: TurnId,
  /** The entry of the input; `null` while the turn waits. */
  entry: z.int().nullable(),
  /** The same key and body came before, and this is the turn that they started. */
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

/** What the workspace was when a turn began, or before a restore or an import. */
export const Checkpoint = z.object({
  n: z.int(),
  /** The number of the turn; of another kind, of the newest turn at that time. */
  turn: z.int(),
  at: z.int(),
  kind: z.enum(["turn", "restore", "import"]),
  /** How many files, folders and links changed before the next checkpoint, and the bytes that these had. */
  files: z.int(),
  bytes: z.int(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;
/** Newest first. */
export const CheckpointList = Page.extend({ checkpoints: z.array(Checkpoint) });
const PathChanges = z.object({
  /** At most 1,000, sorted by path. */
  changes: z.array(z.object({ path: z.string(), change: z.enum(["added", "changed", "removed"]) })),
  /** How many more there are; absent: none. */
  more: z.int().optional(),
});
/** `changes`: how the workspace differs now from the checkpoint. */
export const CheckpointDetail = Checkpoint.extend(PathChanges.shape).extend({
  /** With `path`: the unified difference of that file. `null`: it is not a text file, or too large. */
  diff: z.string().nullable().optional(),
});
export type CheckpointDetail = z.infer<typeof CheckpointDetail>;
/** `undo`: the checkpoint that undoes the restore; `null` if it cannot be undone. `changes`: what the restore changed. */
export const RestoredCheckpoint = PathChanges.extend({ restored: z.int(), undo: z.int().nullable() });
export type RestoredCheckpoint = z.infer<typeof RestoredCheckpoint>;
export const DeletedCheckpoints = z.object({ deleted: z.int() });
/** `undo`: the checkpoint from before the import. */
export const ImportedWorkspace = z.object({ files: z.int(), bytes: z.int(), undo: z.int().nullable() });
export type ImportedWorkspace = z.infer<typeof ImportedWorkspace>;

/**
 * `file`: new content of a file that instructs the agent, which only the person may write. `command`: a call that a parked turn
 * wants to make. `clarify`: questions whose answer a parked turn waits for.
 */
export const ApprovalInfo = z.discriminatedUnion("kind", [
  FileApproval.omit({ v: true, content: true }),
  CommandApproval.omit({ v: true, allowance: true }).extend({
    /** What `session` and `always` would allow; `null`: only this call may be allowed. */
    covers: z.string().nullable(),
  }),
  ClarifyApproval.omit({ v: true }),
]);
export type ApprovalInfo = z.infer<typeof ApprovalInfo>;
export const AllowanceInfo = StandingAllowance.omit({ v: true }).extend({ scope: z.enum(["session", "always"]) });
export type AllowanceInfo = z.infer<typeof AllowanceInfo>;
/** Oldest first. */
export const ApprovalList = Page.extend({ approvals: z.array(ApprovalInfo) });
export const ApprovalDetail = z.discriminatedUnion("kind", [
  FileApproval.omit({ v: true }).extend({
    /** The present content of the file; `null` when there is none, or when it is too large to compare. */
    current: z.string().nullable(),
  }),
  ApprovalInfo.options[1],
  ApprovalInfo.options[2],
]);
export type ApprovalDetail = z.infer<typeof ApprovalDetail>;
/** A person's answer to one question: choices by number, from 1, or as they were offered. */
const GivenAnswer = z.strictObject({
  choices: z
    .array(z.union([z.int().min(1), z.string()]))
    .max(10)
    .optional(),
  text: z.string().max(20_000).optional(),
});
/**
 * `scope` is for calls. `reason`: why not; the model reads it. A question (`clarify`) is answered by `answer`, in words or by the
 * number of a choice as in a message, or by `answers`, one for each question; `approve: false` declines to answer.
 */
export const DecideApproval = z
  .strictObject({
    approve: z.boolean().optional(),
    scope: ApprovalScope.optional(),
    reason: z.string().max(2_000).optional(),
    answer: z.string().trim().min(1).max(20_000).optional(),
    answers: z.array(GivenAnswer).min(1).max(5).optional(),
  })
  .refine(
    ({ approve, answer, answers }) => [approve, answer, answers].filter((one) => one !== undefined).length === 1,
    "give one of approve, answer and answers",
  );
export type DecideApproval = z.infer<typeof DecideApproval>;
/** `mode`: the one in force, the stricter of the operator's and the profile's. */
export const ApprovalPolicyInfo = Page.extend({
  mode: ApprovalMode,
  operator: ApprovalMode,
  profile: ApprovalMode.nullable(),
  allowances: z.array(StandingAllowance.omit({ v: true })),
});
export const SessionAllowances = Page.extend({ allowances: z.array(AllowanceInfo) });
/** `null`: the operator's mode. */
export const PutApprovalMode = z.strictObject({ mode: ApprovalMode.nullable() });

/** `seq` and `rev` are 0 for a bundled skill, which has no head. */
export const SkillLine = IndexLine.extend({ name: SkillName, seq: z.int().min(0), rev: z.int().min(0) });
export type SkillLine = z.infer<typeof SkillLine>;
export const ListedSkill = SkillLine.extend({
  /**
   * `setup_needed`: the skill can be loaded, but lacks what `missing` lists. Skills in the last two states are neither offered
   * nor loaded.
   */
  readiness: z.enum(["available", "setup_needed", "unsupported", "disabled"]),
  missing: z.object({ variables: z.array(z.string()), files: z.array(z.string()) }).optional(),
});
export type ListedSkill = z.infer<typeof ListedSkill>;
export const SkillList = Page.extend({ skills: z.array(ListedSkill) });
export const SkillDetail = z.object({
  name: SkillName,
  /** `null` for a bundled skill that the profile has not changed. */
  head: SkillHead.nullable(),
  /** From the frontmatter. `parameters`: the meaning of each `{{name}}` in the text. */
  traits: z.object({
    tags: z.array(z.string()),
    parameters: z.record(z.string(), z.string()),
    dependencies: z.array(z.string()),
  }),
  contract: SkillContract.nullable(),
  files: FileContents,
});
export type SkillDetail = z.infer<typeof SkillDetail>;
export const PutSkill = z.strictObject({
  /** By path. `SKILL.md` is required and must be text. */
  files: FileContents,
  /** The revision that was edited; 0: none. Refused if the skill has another one by now. Absent: whatever is there is replaced. */
  base: z.int().min(0).optional(),
});
/** A purged revision is represented by its tombstone. */
export const SkillRevisionList = Page.extend({
  revisions: z.array(PastRevision),
  acts: z.array(SkillAct).optional().meta({
    description: "With the first page: what keys and people did to the skill in the last 90 days, newest first",
  }),
});
export const SkillRevisionDetail = z.object({ revision: SkillRevision, files: FileContents });
/** The difference between `rev` and `against`. 0 stands for the empty state before the first revision. */
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
  /** How many files' contents were deleted; 0 when an earlier request completed the purge. */
  deleted: z.int(),
  /** Contents that remain, because the revision named here also uses them. */
  kept: z.array(z.object({ sha256: Sha256, name: SkillName, rev: z.int() })),
});
export const PinSkill = z.strictObject({ pinned: z.boolean() });
export const RestoreSkill = z.strictObject({
  /** Absent: the present text is taken out of the archive. */
  rev: z.int().min(1).optional(),
});

export const MemoryUsage = z.object({
  chars: z.int(),
  limit: z.int(),
  percent: z.int(),
  entries: z.int(),
  /** How many of them are stored, but too old for the prompt. */
  outside: z.int(),
});
export const ListedMemory = MemoryEntry.extend({
  /** Stored, but left out of the prompt for lack of room. */
  outside: z.boolean(),
  /** The prompt contains a placeholder, because the text looks like an instruction to the agent. */
  hidden: z.boolean(),
  findings: z.array(z.object({ pattern: z.string(), category: z.string(), severity: z.string(), reason: z.string() })),
});
export const MemoryList = Page.extend({
  /** Together with `purged`, one page: all entries come before the first purged fact. */
  entries: z.array(ListedMemory),
  /** By store. */
  usage: z.partialRecord(MemoryStoreName, MemoryUsage),
  /** Purged facts. */
  purged: z.array(z.object({ store: MemoryStoreName, id: Sha256, at: z.int() })),
});
/** `from`: the program that kept the fact. It is then content, is scanned, and does not come back once it was forgotten here. */
export const PostMemory = z.strictObject({
  store: MemoryStoreName,
  content: z.string(),
  from: ForeignProgram.optional().meta({ description: "The program that kept the fact: it counts as content then" }),
});
export const PutMemory = z.strictObject({ content: z.string() });
/** `existed`: the fact was already stored. */
export const MemoryWritten = z.object({ store: MemoryStoreName, id: Sha256, existed: z.boolean() });
/** How many copies of the text were deleted; 0 when an earlier request did so. */
export const MemoryPurged = z.object({ store: MemoryStoreName, id: Sha256, deleted: z.int() });
export const Forgotten = z.object({ removed: z.int() });

export const ReviewLine = z.object({ review: ReviewId, state: ReviewState });
/** `at`: when it began. The rest is known once it has ended: `refused` counts writes, `spent` is of all its model calls. */
export const ReviewLineList = Page.extend({
  reviews: z.array(
    ReviewLine.extend({
      at: z.int(),
      summary: z.string().optional(),
      trigger: Trigger.optional(),
      lessons: z.array(Lesson).optional(),
      refused: z.int().optional(),
      spent: z.object({ calls: z.int(), tokens: z.int(), usd: z.number() }).optional(),
    }),
  ),
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
/** `work`: the results so far of the work that the run left to models; absent for none. */
export const CurationReport = z.object({
  run: CurationRun,
  markdown: z.string(),
  work: z.array(CurationWork).optional(),
});
export type CurationReport = z.infer<typeof CurationReport>;
export const CuratorStatus = z.object({
  /** When true, no curation is scheduled. */
  paused: z.boolean(),
  /** Exempt from ageing, because a job names them. */
  keepSkills: z.array(SkillName),
  /** The newest run with a report, and a run that has a plan and no report. */
  last: CurationId.nullable(),
  open: CurationId.nullable(),
  /** Work left to a model that has no outcome yet. */
  owed: z.array(z.object({ run: CurationId, work: WorkId })),
  /** Calendar days, and the minimum number of active days among them. Tokens and dollars are per run. */
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
