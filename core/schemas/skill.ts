// Stored forms of a skill: head, revision, index line, evidence. See docs/STORAGE.md for keys, writers and lifetimes.
import * as z from "zod";
import { Citation, Day, Sha256, SkillName, TurnId } from "./ids.ts";
import { REQUESTS_FILE } from "./skill-requests.ts";

/** Who made a revision. `user`: through the API, an import, an edit, or a turn that begins with `/learn`. */
export const Origin = z.enum(["user", "foreground", "review", "curator", "bundled", "hub"]);
export type Origin = z.infer<typeof Origin>;

/** `pending` waits for a person; `trial` is offered like `active`; `stale` is offered last; `archived` is hidden but kept. */
export const SkillState = z.enum(["pending", "trial", "active", "stale", "archived"]);
export type SkillState = z.infer<typeof SkillState>;

export const SkillFiles = z.record(z.string(), z.object({ sha256: Sha256, size: z.int().min(0) }));
export type SkillFiles = z.infer<typeof SkillFiles>;

/** A word of a skill's text with which a call failed on this day; no call has worked with it since. */
export const FailedWord = z.object({ word: z.string(), day: Day });
export type FailedWord = z.infer<typeof FailedWord>;
/** `later`: uses of the text since that day in which no call worked with it. */
const RefutedWord = FailedWord.extend({ later: z.int().min(0).default(0) });

const Names = z.array(z.string()).optional();

/** The conditions of a SKILL.md in short; see core/skills/format/conditions.ts. Absent lists have no conditions. */
export const SkillConditions = z.object({
  platforms: Names,
  environments: Names,
  /** Offered only where all of these are present. */
  requiresTools: Names,
  requiresToolsets: Names,
  /** Offered only where none of these is present. */
  fallbackForTools: Names,
  fallbackForToolsets: Names,
  channels: Names,
  /** Names of required settings: variables, and credential files. */
  variables: Names,
  files: Names,
});
export type SkillConditions = z.infer<typeof SkillConditions>;

/** What a skill was written for, from its frontmatter. `tools`: with the fingerprint of their parameters, or "" for any. */
export const SkillContract = z.object({
  tools: z.record(z.string(), z.string()),
  hosts: z.array(z.string()),
  formats: z.array(z.string()),
});

/**
 * Where a skill came from, if it was not written here. `source`: one of a hub (core/schemas/hub/lock.ts), or the program it was moved in from
 * (`hermes`, `openclaw`, `claude`), whose count of uses it then has. Such uses were never judged: they are shown, and are no evidence.
 */
export const Provenance = z.object({
  source: z.string(),
  identifier: z.string(),
  version: z.string().optional(),
  commit: z.string().optional(),
  /** Of all files as they were at the source. */
  hash: Sha256.optional(),
  uses: z.int().min(0).optional(),
  lastUsedDay: Day.optional(),
});
export type Provenance = z.infer<typeof Provenance>;

/**
 * The only mutable object of a skill. `seq` rises at every swap: an ETag is the MD5 of the body, so a swap that left the body
 * unchanged could not be detected. `rev` rises only when `files` change; `op` is the operation that made `rev`.
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
  /** The text that this one was made from, if any. Half of what is known of it counts for this one. */
  parent: Sha256.optional(),
  /** The first revision of this skill, if it replaced an archived skill of the same name. */
  firstRev: z.int().min(1).optional(),
  /** Texts that were withdrawn as harmful; no verdict returns to one. Newest last, at most 20. */
  withdrawn: z.array(Sha256).optional(),
  /** When a person restored this text after its withdrawal. Older evidence counts by half, like a parent's. */
  restoredAt: z.int().optional(),
  /** The last move made by a verdict. A repetition of its `op` reports it and does nothing. */
  settled: z
    .object({
      op: z.string(),
      from: SkillState,
      to: SkillState,
      rev: z.int().min(1),
      /** The previous text was found harmful. Absent: it was not, or the move is older than this field. */
      withdrew: z.literal(true).optional(),
      /** Only some of its sentences were removed. */
      inPart: z.literal(true).optional(),
    })
    .optional(),
  /** What its contract, the parsing of its scripts or its checks found broken, and when it was last checked. */
  health: z.object({ checkedAt: z.int(), broken: z.array(z.string()) }).optional(),
  /** Words in its text, or removed from it, with which calls failed at its last use. Loading the skill lists them. */
  failedWords: z.array(FailedWord).optional(),
  /** Skills that a review found to be similar; for the curator. */
  overlaps: z.array(SkillName).optional(),
  /** Its text is being tried by experiment: it is not offered until then, in ms. A time that is over binds nothing. */
  heldUntil: z.int().optional(),
  /** Why the last state change happened, in plain words. */
  reason: z.string().optional(),
  /** The owner publishes it to everyone. */
  public: z.boolean().optional(),
  /** The owner shares it with the profiles that follow this one. A public skill is shared as well. */
  shared: z.boolean().optional(),
  from: Provenance.optional(),
  /** Read from its SKILL.md when the files were written. */
  conditions: SkillConditions.optional(),
  createdAt: z.int(),
  /** When `rev` was made. */
  revisedAt: z.int(),
  updatedAt: z.int(),
});
export type SkillHead = z.infer<typeof SkillHead>;

/** A past revision; create-only. */
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
  from: true,
  revisedAt: true,
});
export type SkillRevision = z.infer<typeof SkillRevision>;

export function toRevision(head: SkillHead): SkillRevision {
  return SkillRevision.parse(head);
}

/**
 * The tombstone of a purged revision, in place of the revision. `blobs` are contents still to be checked; absent once the purge
 * is finished.
 */
export const SkillTombstone = SkillRevision.pick({ v: true, name: true, rev: true, text: true }).extend({
  purgedAt: z.int(),
  blobs: z.array(Sha256).optional(),
});
export type SkillTombstone = z.infer<typeof SkillTombstone>;

/** A purged revision has none of the other's fields. */
export type PastRevision =
  | SkillRevision
  | (SkillTombstone & Lacking<Exclude<keyof SkillRevision, keyof SkillTombstone>>);
type Lacking<Keys extends string> = { [Key in Keys]?: undefined };
export const PastRevision: z.ZodType<PastRevision> = z.union([SkillRevision, SkillTombstone]);

export function isPurged(revision: PastRevision): revision is SkillTombstone {
  return "purgedAt" in revision;
}

/**
 * Which contents a purge is about to delete, its owner, and when it ends at the latest. One a profile; empty between purges.
 */
export const PurgeLease = z.object({
  v: z.literal(1),
  seq: z.int().min(1),
  token: z.int(),
  blobs: z.array(Sha256),
  until: z.int(),
});
export type PurgeLease = z.infer<typeof PurgeLease>;

/** How many turns used a skill, in any text, and how the judged ones ended. */
export const SkillUse = z.object({
  uses: z.int().min(0),
  successes: z.int().min(0),
  failures: z.int().min(0),
  lastUsedDay: Day.nullable(),
});
export type SkillUse = z.infer<typeof SkillUse>;

/** One line of the profile's index: what a prompt and a listing need, and enough to detect that it lags behind its head. */
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
  shared: true,
  conditions: true,
  health: true,
  overlaps: true,
  heldUntil: true,
}).extend({
  /** The last counts of its evidence; a write of the skill keeps them. */
  use: SkillUse.optional(),
  /** A fingerprint of its file of requests; absent without one. */
  requests: z.string().optional(),
  /** It is archived because its text did harm. Absent in older lines. */
  withdrew: z.literal(true).optional(),
});
export type IndexLine = z.infer<typeof IndexLine>;

export function toIndexLine(head: SkillHead): IndexLine {
  const requests = Object.hasOwn(head.files, REQUESTS_FILE) ? head.files[REQUESTS_FILE] : undefined;
  const { state, text, withdrawn = [] } = head;
  return IndexLine.parse({
    ...head,
    ...(requests && { requests: requests.sha256.slice(0, REQUESTS_CHARS) }),
    ...(state === "archived" && withdrawn.includes(text) && { withdrew: true }),
  });
}

/** A prefix of a SHA-256, long enough because a skill has few such files in its life. */
const REQUESTS_CHARS = 12;

export const SkillIndex = z.object({ v: z.literal(1), seq: z.int().min(0), skills: z.record(SkillName, IndexLine) });
export type SkillIndex = z.infer<typeof SkillIndex>;

export const EMPTY_INDEX: SkillIndex = { v: 1, seq: 0, skills: {} };

/** Only own keys count: a skill may have the name of an inherited property, such as `constructor`. */
export function lineOf(index: SkillIndex, name: SkillName): IndexLine | undefined {
  return Object.hasOwn(index.skills, name) ? index.skills[name] : undefined;
}

/** A copy of a head in `customMetadata` (under 1 KB), all strings, for the curator's scan. */
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
  /** The first characters of each file's hash. A search for a blob reads only the records that may name it. */
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

/** What a skill's evidence needs to know of its present text. */
export interface Lineage {
  text: Sha256;
  /** The text that it was made from. */
  parent?: Sha256;
  /** When a person restored it after its withdrawal. */
  since?: number;
}

export function toLineage(head: Pick<SkillHead | HeadMirror, "text" | "parent" | "restoredAt">): Lineage {
  const { text, parent, restoredAt } = head;
  return { text, ...(parent && { parent }), ...(restoredAt !== undefined && { since: Number(restoredAt) }) };
}

/** A ref: the first characters of a blob's hash. */
const REF_CHARS = 8;
/** Keeps the metadata under a kilobyte. With more files, beyond the default limit, the refs are left out. */
const MAX_REFS = 64;

export function toRefs(files: SkillFiles): { refs?: string } {
  const hashes = Object.values(files).map(({ sha256 }) => sha256.slice(0, REF_CHARS));
  return hashes.length > MAX_REFS ? {} : { refs: hashes.join("") };
}

/** False when a record with these refs names none of the blobs. A record without refs may name any. */
export function mayName(refs: string | undefined, blobs: Iterable<Sha256>): boolean {
  if (refs === undefined) return true;
  const named = new Set(splitRefs(refs));
  return [...blobs].some((sha256) => named.has(sha256.slice(0, REF_CHARS)));
}

/** Blobs by their refs, for `findNamedBlobs`. */
export function groupByRef(blobs: Iterable<Sha256>): Map<string, Sha256[]> {
  const blobsByRef = new Map<string, Sha256[]>();
  for (const sha256 of blobs) {
    const ref = sha256.slice(0, REF_CHARS);
    blobsByRef.set(ref, [...(blobsByRef.get(ref) ?? []), sha256]);
  }
  return blobsByRef;
}

/** The blobs that a record with these refs may name. */
export function findNamedBlobs(refs: string, blobsByRef: Map<string, Sha256[]>): Sha256[] {
  return splitRefs(refs).flatMap((ref) => blobsByRef.get(ref) ?? []);
}

function splitRefs(refs: string): string[] {
  const count = Math.ceil(refs.length / REF_CHARS);
  return Array.from({ length: count }, (_, i) => refs.slice(i * REF_CHARS, (i + 1) * REF_CHARS));
}

/** Who judged how a turn ended, in ascending strength. `replay`: an experiment ran the turn again with the text. */
export const Judge = z.enum(["exit", "goal", "message", "replay", "reviewer", "checker", "rating"]);
export type Judge = z.infer<typeof Judge>;

/** `unknown` is a use, never a success. */
export const Outcome = z.enum(["success", "failure", "unknown"]);
export type Outcome = z.infer<typeof Outcome>;

/** Similar turns of the profile without a skill, newest first, each discounted like a use of a skill. */
export const Baseline = z.object({
  /** Undiscounted. */
  turns: z.int().min(0),
  /** Discounted sums of the judged ones. */
  successes: z.number().min(0),
  failures: z.number().min(0),
  /** Median tool calls of the judged ones; `null` for none. */
  calls: z.number().min(0).nullable(),
});
export type Baseline = z.infer<typeof Baseline>;

/**
 * A turn used a text, and ended as this judge says. Create-only; a judge who changes the verdict uses the next `nth`. Fields
 * missing in version 1 are read as absent.
 */
export const Evidence = z.object({
  v: z.union([z.literal(1), z.literal(2)]),
  skill: SkillName,
  text: Sha256,
  turn: TurnId,
  judge: Judge,
  /** From 1: a person may change their mind. */
  nth: z.int().min(1).default(1),
  outcome: Outcome,
  day: Day,
  /** When the turn ended; 0: not known. */
  at: z.int().default(0),
  /** The kind of request. Turns with the same one are the same task. Empty: not known. */
  task: z.string().default(""),
  /**
   * A call that used a word of the text failed and another was tried, or a call succeeded with another value than the text
   * gives.
   */
  contradicted: z.boolean().default(false),
  /** Words of the text with which calls failed, and words that had failed before and now worked. */
  failedWords: z.array(z.string()).default([]),
  /** Of the failed words, those that the turn itself proved wrong; see core/learning/observe/tried-words.ts. */
  refusedWords: z.array(z.string()).default([]),
  workedWords: z.array(z.string()).default([]),
  modelCalls: z.int().min(0),
  toolCalls: z.int().min(0),
  failedCalls: z.int().min(0),
  tokens: z.int().min(0).default(0),
  /** From the Archive when the turn ended; `null`: not known. */
  baseline: Baseline.nullable().default(null),
});
export type Evidence = z.infer<typeof Evidence>;

/** Whether the turn itself used the text. An experiment's runs count in verdicts, and nobody has used the skill in them. */
export function isUse({ judge }: Pick<Evidence, "judge">): boolean {
  return judge !== "replay";
}

/** Whether verdict `a` on a turn takes precedence over `b`. */
export function outranks(a: Pick<Evidence, "judge" | "nth">, b: Pick<Evidence, "judge" | "nth">): boolean {
  const strength = Judge.options.indexOf(a.judge) - Judge.options.indexOf(b.judge);
  return strength > 0 || (strength === 0 && a.nth > b.nth);
}

/** The form before parsing; missing fields are not known. */
export type EvidenceInput = z.input<typeof Evidence>;

/** What the evidence says of one text; see core/learning/evidence/verdict.ts. */
export const TextVerdict = z.object({
  verdict: z.enum(["trial", "active", "withdrawn"]),
  /** One sentence with the figures. */
  why: z.string(),
  uses: z.int().min(0),
  /** Judged uses that did not contradict the text. */
  successes: z.int().min(0),
  failures: z.int().min(0),
  /** Uses in which a call that used the text failed, and succeeded without it. */
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
  /** The success rate of its judged uses minus that of the newest baseline; `null` when either is unknown. */
  lift: z.number().nullable(),
  /** Its success rate calls for a rewrite. */
  rewrite: z.boolean(),
});
export type TextVerdict = z.infer<typeof TextVerdict>;

/** Derived from a skill's evidence listing alone. Version 1 had no `texts`. */
export const SkillStats = z.object({
  v: z.union([z.literal(1), z.literal(2)]),
  skill: SkillName,
  /** Turns that used the skill, in any text. */
  uses: z.int().min(0),
  /** Of those, the verdict of each turn's strongest judge; the rest is unknown. */
  successes: z.int().min(0),
  failures: z.int().min(0),
  lastUsedDay: Day.nullable(),
  /** By text, for those with evidence. */
  texts: z.record(Sha256, TextVerdict).default({}),
});
export type SkillStats = z.infer<typeof SkillStats>;
