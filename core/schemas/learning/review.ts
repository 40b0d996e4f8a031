// The records between a session and the review Worker: the message, the job (claim check), the script of steps, the result.
// Each object is create-only in R2. See docs/LEARNING.md, "A review".
import * as z from "zod";
import { Answer, Cost, Entry, JsonObject, Part, ToolCall, Usage } from "../entry.ts";
import { Citation, ProfileId, ReviewId, SessionId, Sha256, SkillName } from "../ids.ts";
import { Observation } from "./learning.ts";
import { MemoryStoreName } from "../memory.ts";

/** The queue message: a claim check. Everything else is read from the job object. */
export const ReviewMessage = z.object({ v: z.literal(1), profile: ProfileId, review: ReviewId });
export type ReviewMessage = z.infer<typeof ReviewMessage>;

/**
 * Why a review began. See docs/LEARNING.md, "A review". `skill_wrong` occurs in stored reviews only; none begins with it
 * (decision 0058).
 */
export const Trigger = z.enum([
  "model_calls",
  "value",
  "similar_turns",
  "skill_wrong",
  "cheaper",
  "correction",
  "rating",
  "memory_turns",
  "memory_full",
  "refine",
]);
export type Trigger = z.infer<typeof Trigger>;

/** What a review may spend, reserved when it is enqueued. */
export const Grant = z.object({
  tokens: z.int().min(0),
  /** Millionths of a US dollar; absent: no limit. */
  usdMicros: z.int().min(0).optional(),
  expiresAt: z.int(),
});
export type Grant = z.infer<typeof Grant>;

/** One message of a session's request in the form of core/agent/contract.ts, without its entry. */
export const SentMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), text: z.string() }),
  z.object({
    role: z.literal("assistant"),
    text: z.string(),
    calls: z.array(ToolCall),
    native: Answer.shape.native,
  }),
  z.object({ role: z.literal("tool"), call: z.string(), name: z.string(), text: z.string(), failed: z.boolean() }),
]);
export type SentMessage = z.infer<typeof SentMessage>;

/** A session's request as last sent, which its provider still caches: a review may continue from it. */
export const SentPrefix = z.object({
  /** Identifies the cache: see `Model.cache`. */
  cache: z.string(),
  /** When it was last sent. */
  at: z.int(),
  cacheKey: z.string(),
  /** One of the settings' levels. */
  effort: z.string().optional(),
  system: z.string(),
  tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: JsonObject })),
  messages: z.array(SentMessage),
});
export type SentPrefix = z.infer<typeof SentPrefix>;

export const ReviewJob = z.object({
  v: z.literal(1),
  review: ReviewId,
  profile: ProfileId,
  session: SessionId,
  trigger: Trigger,
  /** What triggered it, in a few words with the figures; absent in older jobs. */
  because: z.string().optional(),
  /** What the person asked a `/refine` to look at. */
  focus: z.string().optional(),
  /** `false`: the review may not write to that store. */
  skills: z.boolean(),
  memory: z.boolean(),
  grant: Grant,
  /** A skill that the review writes is held back for so long, in ms, while its text is tried by experiment. Absent: it is offered at once. */
  holdMs: z.int().min(1).optional(),
  model: z.string(),
  /** Fingerprints of the session's tools, for the contracts of new skills; absent in older jobs. */
  tools: z.record(z.string(), z.string()).optional(),
  createdAt: z.int(),
  observations: z.array(Observation),
  /** Pieces of the agent's own words in the range that had appeared in `content` of the session before the range. */
  tainted: z.array(z.string()).optional(),
  /** What the person has changed of the operator's settings and the review works by. Absent: nothing. */
  preferences: z
    .object({
      "memory.writeApproval": z.boolean(),
      "skills.writeApproval": z.boolean(),
      "review.notice": z.enum(["off", "on", "verbose"]),
    })
    .partial()
    .optional(),
  /** Absent if it is not cached, or contains what must not be stored. */
  prefix: SentPrefix.optional(),
  /** The entries of the range, with secrets of known shapes redacted and long parts cut in the middle. */
  entries: z.array(Entry),
});
export type ReviewJob = z.infer<typeof ReviewJob>;

/** `waiting`: no result and no tombstone yet. `superseded`: a later review of the session had finished first. */
export const ReviewState = z.enum(["waiting", "done", "superseded", "dead"]);
export type ReviewState = z.infer<typeof ReviewState>;

/**
 * One create-only object of a review's script, numbered from 0 without gaps. A delivery that loses the create adopts the stored
 * step, so that two deliveries follow one script and repeat no model call.
 */
export const ReviewStep = z.discriminatedUnion("kind", [
  /**
   * `memoryBlock`, `skillsBlock`: memory, and the relevant part of the library, as they were when the review began, so that a
   * resumed run shows the model the same text; absent in older reviews. `read`: skills whose whole text was shown. `request`:
   * the request to the model of a curation's work, for the same reason.
   */
  z.object({
    v: z.literal(1),
    kind: z.literal("start"),
    at: z.int(),
    memoryBlock: z.string().optional(),
    skillsBlock: z.string().optional(),
    read: z.array(SkillName).optional(),
    /** The review continues from the session's own request. */
    prefix: z.literal(true).optional(),
    request: z.string().optional(),
    /** Sources of the words that the request shows. */
    sessions: z.array(SessionId).optional(),
  }),
  z.object({ v: z.literal(1), kind: z.literal("answer"), at: z.int(), answer: Answer }),
  z.object({ v: z.literal(1), kind: z.literal("intent"), at: z.int(), call: z.string(), prepared: JsonObject }),
  z.object({
    v: z.literal(1),
    kind: z.literal("outcome"),
    at: z.int(),
    call: z.string(),
    failed: z.boolean(),
    parts: z.array(Part),
    print: z.string().optional(),
  }),
]);
export type ReviewStep = z.infer<typeof ReviewStep>;

/** One accepted write, with the parts of entries that it cites. */
export const Lesson = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("skill"),
    skill: SkillName,
    action: z.string(),
    rev: z.int(),
    text: Sha256,
    citations: z.array(Citation),
    /** The beginning of the old and of the new text, if the operator wants to see them. */
    preview: z.string().optional(),
  }),
  z.object({
    kind: z.literal("memory"),
    store: MemoryStoreName,
    action: z.string(),
    id: Sha256,
    text: z.string(),
    citations: z.array(Citation),
    preview: z.string().optional(),
  }),
]);
export type Lesson = z.infer<typeof Lesson>;

/** What the person's message says about the answer before it, as the reviewer reads it. */
export const ReviewVerdict = z.object({
  /** The message. */
  entry: z.int().min(1),
  /** `none`: it says nothing about the answer. */
  verdict: z.enum(["success", "failure", "none"]),
  /** It says how the answer should have been, or how the next one should be. */
  correction: z.boolean().default(false),
  /** Words of the message that show it; empty for `none` only. */
  words: z.string().default(""),
});
export type ReviewVerdict = z.infer<typeof ReviewVerdict>;

export const ReviewResult = z.object({
  v: z.literal(1),
  review: ReviewId,
  session: SessionId,
  state: ReviewState.extract(["done", "superseded"]),
  trigger: Trigger,
  /** Copied from the job. */
  because: z.string().optional(),
  /** One readable line: what was learned, or that nothing was worth keeping. */
  summary: z.string(),
  /** The reviewer's final note. */
  note: z.string(),
  lessons: z.array(Lesson),
  refused: z.array(z.object({ tool: z.string(), code: z.string(), message: z.string() })),
  /** At most one a message; absent for none, and in older results. */
  verdicts: z.array(ReviewVerdict).min(1).optional(),
  /** Writes that wait for a person's decision; absent for none. */
  waiting: z.int().min(1).optional(),
  /** The kind of work of turns, as named by the reviewer; absent in older results and where none was named. */
  kinds: z.array(z.object({ turn: z.int().min(1), kind: z.string() })).optional(),
  modelCalls: z.int(),
  usage: Usage,
  /** One line a model, for the ledger; absent in older results. */
  spent: z.array(z.object({ model: z.string(), calls: z.int(), usage: Usage, cost: Cost })).optional(),
  finishedAt: z.int(),
});
export type ReviewResult = z.infer<typeof ReviewResult>;

/** The tombstone of a review that was given up, with the reason. Kept and listed like a result. */
export const ReviewDead = z.object({
  v: z.literal(1),
  review: ReviewId,
  session: SessionId,
  code: z.string(),
  message: z.string(),
  at: z.int(),
});
export type ReviewDead = z.infer<typeof ReviewDead>;
