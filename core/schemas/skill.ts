// Stored forms of a skill: head, revision, index line, evidence. See docs/STORAGE.md for keys, writers and lifetimes.
import * as z from "zod";
import { Citation, Day, Sha256, SkillName, TurnId } from "./ids.ts";
import { REQUESTS_FILE } from "./skill-requests.ts";

/** Who made a revision. `user`: through the API, imported, edited by a person, or saved in a turn that begins with `/learn`. */
export const Origin = z.enum(["user", "foreground", "review", "curator", "bundled", "hub"]);
export type Origin = z.infer<typeof Origin>;

/** `pending` waits for a person; `trial` is offered like `active`; `stale` is offered last; `archived` is hidden, never gone. */
export const SkillState = z.enum(["pending", "trial", "active", "stale", "archived"]);
export type SkillState = z.infer<typeof SkillState>;

export const SkillFiles = z.record(z.string(), z.object({ sha256: Sha256, size: z.int().min(0) }));
export type SkillFiles = z.infer<typeof SkillFiles>;

/** Of a skill's text: a call that took it from there failed, on this day, and none has worked with it since. */
export const FailedWord = z.object({ word: z.string(), day: Day });
export type FailedWord = z.infer<typeof FailedWord>;
/** `later`: uses of the text since that day in which no call worked with it. */
const RefutedWord = FailedWord.extend({ later: z.int().min(0).default(0) });

const Names = z.array(z.string()).optional();

/** What a SKILL.md asks for, in short; see core/skills/format/conditions.ts. Absent lists ask for nothing. */
export const SkillConditions = z.object({
  platforms: Names,
  environments: Names,
  /** Offered only where all of these are. */
  requiresTools: Names,
  requiresToolsets: Names,
  /** Offered only where none of these is. */
  fallbackForTools: Names,
  fallbackForToolsets: Names,
  channels: Names,
  /** Names of settings it needs: variables, and files of credentials. */
  variables: Names,
  files: Names,
});
export type SkillConditions = z.infer<typeof SkillConditions>;

/**
 * The only mutable object of a skill. `seq` rises at every swap, because an ETag is the MD5 of the body and a swap that
 * leaves the body alone cannot be seen; `rev` rises only when `files` change; `op` is the operation that made `rev`.
 */
export const SkillHead = z.object({
  v: z.literal(1),
  name: SkillName,
  seq: z.int().min(1),
  rev: z.int().min(1),
  text: Sha256,
  description: z.string(),
  category: z.string(),
  state: SkillState,
  pinned: z.boolean(),
  origin: Origin,
  files: SkillFiles,
  citations: z.array(Citation),
  op: z.string().min(1),
  /** The protected skill this one is the companion of. */
  extends: SkillName.optional(),
  /** The text this one was made from, where the skill had one before. Half of what is known of it counts for this one. */
  parent: Sha256.optional(),
  /** Where the skill began when one of its name had been archived: revisions before it were another skill's. */
  firstRev: z.int().min(1).optional(),
  /** Texts that were withdrawn because they did harm: no verdict goes back to one. Newest last, at most 20. */
  withdrawn: z.array(Sha256).optional(),
  /** When a person put this text back although it had been withdrawn: what is older counts by half, like a parent's. */
  restoredAt: z.int().optional(),
  /** The last move that a verdict made: who asks again under its `op` is told of it, and nothing is done twice. */
  settled: z
    .object({
      ...{ op: z.string(), from: SkillState, to: SkillState, rev: z.int().min(1) },
      /** The text that was there was found to do harm. Absent: it was not, or the move is older than this field. */
      withdrew: z.literal(true).optional(),
      /** Only some of its sentences went. */
      inPart: z.literal(true).optional(),
    })
    .optional(),
  /** What its contract, the parsing of its scripts or one of its checks found broken, and when it was last looked at. */
  health: z.object({ checkedAt: z.int(), broken: z.array(z.string()) }).optional(),
  /** Words of its text, or taken out of it, with which calls failed when it was last followed. Whoever loads it is told. */
  failedWords: z.array(FailedWord).optional(),
  /** Skills that a review found to say much the same; for the curator. */
  overlaps: z.array(SkillName).optional(),
  /** Why the last state change happened, in plain words. */
  reason: z.string().optional(),
  /** The owner publishes it to whoever asks. */
  public: z.boolean().optional(),
  /** Read from its SKILL.md when the files were written. */
  conditions: SkillConditions.optional(),
  createdAt: z.int(),
  /** When `rev` was made. */
  revisedAt: z.int(),
  updatedAt: z.int(),
});
export type SkillHead = z.infer<typeof SkillHead>;

/** What a past revision was; create-only. */
export const SkillRevision = SkillHead.pick({
  v: true,
  name: true,
  rev: true,
  text: true,
  description: true,
  category: true,
  origin: true,
  files: true,
  citations: true,
  op: true,
  parent: true,
  revisedAt: true,
});
export type SkillRevision = z.infer<typeof SkillRevision>;

export function toRevision(head: SkillHead): SkillRevision {
  return SkillRevision.parse(head);
}

/**
 * What is left of a revision that a person purged: it stands where the revision stood. `blobs` are the contents that are
 * still to be looked at, there until the purge is finished.
 */
export const SkillTombstone = SkillRevision.pick({ v: true, name: true, rev: true, text: true }).extend({
  purgedAt: z.int(),
  blobs: z.array(Sha256).optional(),
});
export type SkillTombstone = z.infer<typeof SkillTombstone>;

/** A purged one has none of what the other has. */
export type PastRevision =
  | SkillRevision
  | (SkillTombstone & Lacking<Exclude<keyof SkillRevision, keyof SkillTombstone>>);
type Lacking<Keys extends string> = { [Key in Keys]?: undefined };
export const PastRevision: z.ZodType<PastRevision> = z.union([SkillRevision, SkillTombstone]);

export function isPurged(revision: PastRevision): revision is SkillTombstone {
  return "purgedAt" in revision;
}

/** Which contents a purge is about to delete, by whom, and until when at most. One a profile; empty between two purges. */
export const PurgeLease = z.object({
  v: z.literal(1),
  seq: z.int().min(1),
  token: z.int(),
  blobs: z.array(Sha256),
  until: z.int(),
});
export type PurgeLease = z.infer<typeof PurgeLease>;

/** How often turns used a skill, any text of it, and how those ended that were judged. */
export const SkillUse = z.object({
  uses: z.int().min(0),
  successes: z.int().min(0),
  failures: z.int().min(0),
  lastUsedDay: Day.nullable(),
});
export type SkillUse = z.infer<typeof SkillUse>;

/** One line of the profile's index: what a prompt and a listing need, and enough to notice that it is behind its head. */
export const IndexLine = SkillHead.pick({
  description: true,
  category: true,
  state: true,
  pinned: true,
  origin: true,
  seq: true,
  rev: true,
  text: true,
  extends: true,
  public: true,
  conditions: true,
  health: true,
  overlaps: true,
}).extend({
  /** What its evidence said when it was last counted, which a write of the skill leaves as it was. */
  use: SkillUse.optional(),
  /** Tells its file of requests from another one; absent without one. */
  requests: z.string().optional(),
});
export type IndexLine = z.infer<typeof IndexLine>;

export function toIndexLine(head: SkillHead): IndexLine {
  const requests = Object.hasOwn(head.files, REQUESTS_FILE) ? head.files[REQUESTS_FILE] : undefined;
  return IndexLine.parse({ ...head, ...(requests && { requests: requests.sha256.slice(0, REQUESTS_CHARS) }) });
}

/** Of a SHA-256: a skill has few such files in its life. */
const REQUESTS_CHARS = 12;

export const SkillIndex = z.object({ v: z.literal(1), seq: z.int().min(0), skills: z.record(SkillName, IndexLine) });
export type SkillIndex = z.infer<typeof SkillIndex>;

export const EMPTY_INDEX: SkillIndex = { v: 1, seq: 0, skills: {} };

/** The mirror of a head in `customMetadata` (under 1 KB), all strings: what the curator's scan reads. */
export const HeadMirror = z.object({
  seq: z.string(),
  rev: z.string(),
  text: z.string(),
  state: SkillState,
  pinned: z.enum(["0", "1"]),
  origin: Origin,
  parent: Sha256.optional(),
  restoredAt: z.string().optional(),
  createdAt: z.string(),
  revisedAt: z.string(),
  updatedAt: z.string(),
  /** The first characters of each file's hash: who looks for a blob reads only what may name it. */
  refs: z.string().optional(),
});
export type HeadMirror = z.infer<typeof HeadMirror>;

export function toHeadMirror(head: SkillHead): HeadMirror {
  return {
    seq: String(head.seq),
    rev: String(head.rev),
    text: head.text,
    state: head.state,
    pinned: head.pinned ? "1" : "0",
    origin: head.origin,
    ...(head.parent && { parent: head.parent }),
    ...(head.restoredAt !== undefined && { restoredAt: String(head.restoredAt) }),
    createdAt: String(head.createdAt),
    revisedAt: String(head.revisedAt),
    updatedAt: String(head.updatedAt),
    ...toRefs(head.files),
  };
}

/** What a skill's present text is to its evidence. */
export interface Lineage {
  text: Sha256;
  /** What it was made from. */
  parent?: Sha256;
  /** When a person put it back although it had been withdrawn. */
  since?: number;
}

export function toLineage(head: Pick<SkillHead | HeadMirror, "text" | "parent" | "restoredAt">): Lineage {
  const { text, parent, restoredAt } = head;
  return { text, ...(parent && { parent }), ...(restoredAt !== undefined && { since: Number(restoredAt) }) };
}

const REF_CHARS = 8;
/** So that the mirror stays under a kilobyte. More files than an operator allows by default go without. */
const MAX_REFS = 64;

export function toRefs(files: SkillFiles): { refs?: string } {
  const hashes = Object.values(files).map(({ sha256 }) => sha256.slice(0, REF_CHARS));
  return hashes.length > MAX_REFS ? {} : { refs: hashes.join("") };
}

/** False when a record with these refs names none of the blobs. One without refs may name any. */
export function mayName(refs: string | undefined, blobs: Iterable<Sha256>): boolean {
  if (refs === undefined) return true;
  const named = new Set<string>();
  for (let at = 0; at < refs.length; at += REF_CHARS) named.add(refs.slice(at, at + REF_CHARS));
  return [...blobs].some((sha256) => named.has(sha256.slice(0, REF_CHARS)));
}

/** Blobs by the beginnings of their hashes, for `namedIn`. */
export function toBeginnings(blobs: Iterable<Sha256>): Map<string, Sha256[]> {
  const beginnings = new Map<string, Sha256[]>();
  for (const sha256 of blobs) {
    const beginning = sha256.slice(0, REF_CHARS);
    beginnings.set(beginning, [...(beginnings.get(beginning) ?? []), sha256]);
  }
  return beginnings;
}

/** The blobs that a record with these refs may name. */
export function namedIn(refs: string, beginnings: Map<string, Sha256[]>): Sha256[] {
  const named: Sha256[] = [];
  for (let at = 0; at < refs.length; at += REF_CHARS)
    named.push(...(beginnings.get(refs.slice(at, at + REF_CHARS)) ?? []));
  return named;
}

/** Who says how a turn ended, strongest last. */
export const Judge = z.enum(["exit", "goal", "message", "reviewer", "checker", "rating"]);
export type Judge = z.infer<typeof Judge>;

/** `unknown` is a use, never a success. */
export const Outcome = z.enum(["success", "failure", "unknown"]);
export type Outcome = z.infer<typeof Outcome>;

/** Similar turns of the profile without a skill, newest first, each discounted like a use of one. */
export const Baseline = z.object({
  /** Undiscounted. */
  turns: z.int().min(0),
  /** Discounted sums of those that were judged. */
  successes: z.number().min(0),
  failures: z.number().min(0),
  /** Median tool calls of the judged ones; `null` for none. */
  calls: z.number().min(0).nullable(),
});
export type Baseline = z.infer<typeof Baseline>;

/**
 * A turn used a text, and ended so, as this judge says. Create-only; a judge who speaks again has the next `nth`. What
 * version 1 lacked is read as its absence.
 */
export const Evidence = z.object({
  v: z.union([z.literal(1), z.literal(2)]),
  skill: SkillName,
  text: Sha256,
  turn: TurnId,
  judge: Judge,
  /** 1 and up: a person may change their mind. */
  nth: z.int().min(1).default(1),
  outcome: Outcome,
  day: Day,
  /** When the turn ended; 0: not known. */
  at: z.int().default(0),
  /** The kind of request: turns with the same one are the same task. Empty: not known. */
  task: z.string().default(""),
  /** A call that took a word from the text failed and another was tried, or one succeeded with another value than the text gives. */
  contradicted: z.boolean().default(false),
  /** Words of the text: calls that took them from it failed; and those that had failed before and now worked. */
  failedWords: z.array(z.string()).default([]),
  /** Of those that failed: what the turn itself proved wrong, see core/learning/observe/tried-words.ts. */
  refusedWords: z.array(z.string()).default([]),
  workedWords: z.array(z.string()).default([]),
  modelCalls: z.int().min(0),
  toolCalls: z.int().min(0),
  failedCalls: z.int().min(0),
  tokens: z.int().min(0).default(0),
  /** As the Archive knew it when the turn ended; `null`: not known. */
  baseline: Baseline.nullable().default(null),
});
export type Evidence = z.infer<typeof Evidence>;
/** Whether the one counts rather than the other, of two words on how one turn ended. */
export function outranks(a: Pick<Evidence, "judge" | "nth">, b: Pick<Evidence, "judge" | "nth">): boolean {
  const strength = Judge.options.indexOf(a.judge) - Judge.options.indexOf(b.judge);
  return strength > 0 || (strength === 0 && a.nth > b.nth);
}

/** As it is given: what is left out is not known. */
export type EvidenceInput = z.input<typeof Evidence>;

/** What the evidence says of one text; see core/learning/evidence/verdict.ts. */
export const TextVerdict = z.object({
  verdict: z.enum(["trial", "active", "withdrawn"]),
  /** One sentence with the figures. */
  why: z.string(),
  uses: z.int().min(0),
  /** Judged ones that the text was not contradicted in. */
  successes: z.int().min(0),
  failures: z.int().min(0),
  /** Uses in which a call that took something from the text failed, and succeeded without it. */
  contradicted: z.int().min(0),
  failedWords: z.array(RefutedWord).default([]),
  /** Words that had failed before, with which a call worked in its uses. */
  workedWords: z.array(z.string()).default([]),
  /** Moving success rate; `null` before the first judged use. */
  rate: z.number().nullable(),
  pBetter: z.number(),
  pWorse: z.number(),
  /** Median tool calls of its judged uses, and of the baseline. */
  calls: z.number().nullable(),
  baselineCalls: z.number().nullable(),
  /** The success rate of its judged uses less that of the newest baseline; `null` when either is unknown. */
  lift: z.number().nullable(),
  /** Its rate wants a rewrite. */
  rewrite: z.boolean(),
});
export type TextVerdict = z.infer<typeof TextVerdict>;

/** A pure function of a skill's evidence listing. Version 1 had no `texts`. */
export const SkillStats = z.object({
  v: z.union([z.literal(1), z.literal(2)]),
  skill: SkillName,
  /** Turns that used the skill, any text of it. */
  uses: z.int().min(0),
  /** Of those, what the strongest judge of each said; the rest is unknown. */
  successes: z.int().min(0),
  failures: z.int().min(0),
  lastUsedDay: Day.nullable(),
  /** By text: those that have evidence. */
  texts: z.record(Sha256, TextVerdict).default({}),
});
export type SkillStats = z.infer<typeof SkillStats>;
