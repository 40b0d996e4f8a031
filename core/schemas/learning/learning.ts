// Observations of turns, their judges, and what is known of similar turns. Stored with a session's log, carried in review jobs,
// recorded in the profile's Archive, returned by the API. See docs/LEARNING.md, "A review".
import * as z from "zod";
import { Sha256, SessionId, SkillName, TurnId } from "../ids.ts";
import { MemoryStoreName } from "../memory.ts";
import { Baseline, Judge, Outcome } from "../skill.ts";

/** One judge's verdict on how a turn ended. */
export const Judgement = z.object({ judge: Judge, outcome: Outcome, at: z.int() });
export type Judgement = z.infer<typeof Judgement>;

/**
 * The cost of a turn. `tokens`: of all model calls, in and out, cached ones included. `ms`: from its first entry to its last,
 * planned waits included; absent in older records.
 */
export const Effort = z.object({
  calls: z.int().min(0),
  failedCalls: z.int().min(0),
  tokens: z.int().min(0),
  ms: z.int().min(0).optional(),
});
export type Effort = z.infer<typeof Effort>;

/** A skill's text that the model had in front of it during the turn. */
export const LoadedText = z.object({ skill: SkillName, text: Sha256 });
export type LoadedText = z.infer<typeof LoadedText>;

export const MAX_KIND_CHARS = 80;

/**
 * The kind of work of a turn: a short English phrase such as "renew a TLS certificate". A model wrote it; the source is the
 * call that titled the session, or a review.
 */
export const TaskKind = z.object({ text: z.string().min(1).max(MAX_KIND_CHARS), by: z.enum(["title", "review"]) });
export type TaskKind = z.infer<typeof TaskKind>;

/**
 * Words of a loaded text that calls used: those with which a call failed, and those that had failed in earlier turns and now
 * worked.
 */
export const TriedWords = LoadedText.extend({
  failed: z.array(z.string()),
  /**
   * Of the failed words, those that the turn itself proved wrong; see core/learning/observe/tried-words.ts. Absent: none, or an
   * older record.
   */
  refused: z.array(z.string()).optional(),
  worked: z.array(z.string()),
});
export type TriedWords = z.infer<typeof TriedWords>;

/** A deterministic observation of one finished turn, and what judges have said of it since. */
export const Observation = z.object({
  /** Absent in version 1. */
  v: z.literal(2).optional(),
  turn: TurnId,
  request: z.string(),
  /** Absent: no model has named it. */
  kind: TaskKind.optional(),
  steps: z.int(),
  toolCalls: z.int(),
  /** Distinct names of the tools that worked on the task. Absent in older records. */
  tools: z.array(z.string()).optional(),
  failedCalls: z.int(),
  /** Entries of failed calls, with the harness's error codes. */
  errors: z.array(z.object({ entry: z.int(), tool: z.string(), code: z.string() })).optional(),
  /** Entries of a failed call and of the same tool's later success. */
  recoveries: z.array(z.object({ failed: z.int(), succeeded: z.int() })),
  /** Skills whose text was loaded, and which text. */
  loaded: z.array(LoadedText),
  /** Loaded texts that give an option another value than the call that succeeded. */
  unfollowed: z.array(LoadedText).optional(),
  triedWords: z.array(TriedWords).optional(),
  /** The entry in which the person corrected this turn: a later message, or a rating with words. */
  corrections: z.array(z.object({ entry: z.int() })).optional(),
  /** Of the strongest judge. */
  outcome: Outcome,
  judge: Judge,
  judgements: z.array(Judgement).optional(),
  effort: Effort.optional(),
  /** The cheapest similar earlier turn that succeeded; `null` for none. */
  best: Effort.extend({ turn: TurnId }).nullable().optional(),
  /** Calls of that best turn divided by the calls of this one; above 1 this one was cheaper. `null`: no such turn. */
  efficiency: z.number().nullable().optional(),
  /** How many earlier turns of the profile were similar. */
  similar: z.int().optional(),
  generalisable: z.boolean(),
  value: z.number(),
});
export type Observation = z.infer<typeof Observation>;

/** A turn as the Archive records it. A later judge adds a record; the newest one counts. */
export const TurnSignature = z.object({
  turn: TurnId,
  session: SessionId,
  /** When the turn ended. */
  at: z.int(),
  request: z.string(),
  kind: TaskKind.optional(),
  /** Tools that worked on the task, with the number of calls. */
  tools: z.record(z.string(), z.int()),
  loaded: z.array(LoadedText),
  outcome: Outcome,
  judge: Judge,
  recovered: z.boolean(),
  effort: Effort,
  /** Its session worked without learned skills, for comparison. */
  heldOut: z.boolean(),
  /** Every word of the request is the owner's, in a conversation. Absent: somebody else's, a program's, or not known. */
  asked: z.literal("owner").optional(),
});
export type TurnSignature = z.infer<typeof TurnSignature>;

/** What the Archive knows of turns similar to one, which is itself excluded. */
export const Neighbourhood = z.object({
  /** Similar earlier turns, and how many of them succeeded. */
  similar: z.int().min(0),
  successes: z.int().min(0),
  best: Effort.extend({ turn: TurnId }).nullable(),
  /** For each skill that the turn loaded: similar turns without it, and the cheapest success with this text of it. */
  skills: z.record(SkillName, z.object({ without: Baseline, best: Effort.extend({ turn: TurnId }).nullable() })),
});
export type Neighbourhood = z.infer<typeof Neighbourhood>;

/** A person's rating of a turn, possibly days later. The last one counts. */
export const Rating = z.strictObject({
  rating: z.enum(["up", "down"]),
  /** What would have been right. */
  correction: z.string().trim().min(1).max(4_000).optional(),
});
export type Rating = z.infer<typeof Rating>;

/**
 * `modelCalls`: those that requested tools. The counters restart when skills (the first three) or memory (the last) are
 * reviewed, or saved by the agent itself.
 */
export const ReviewCounters = z.object({
  modelCalls: z.int().min(0),
  entries: z.int().min(0),
  toolCalls: z.int().min(0),
  userTurns: z.int().min(0),
  /** Stores that exceeded their limit at the agent's last write, and wait for a review to merge entries. */
  fullStores: z.array(MemoryStoreName).min(1).optional(),
});
export type ReviewCounters = z.infer<typeof ReviewCounters>;

/** Stored with a turn: the observation, and what later ratings and the counters need. */
export const ObservedTurn = z.object({
  observation: Observation,
  /** The number and time of the last rating. */
  rating: Rating.extend({ nth: z.int().min(1), at: z.int() }).optional(),
  /** Counters for reviews, after this turn; absent until the turn has been observed. */
  counters: ReviewCounters.optional(),
});
export type ObservedTurn = z.infer<typeof ObservedTurn>;

/** One step of a turn in short: an answer of the model and the calls that it requested. */
export const TraceStep = z.object({
  entry: z.int(),
  /** When the model was called, when it had answered, and when the last of its calls had a result. */
  startedAt: z.int(),
  answeredAt: z.int(),
  endedAt: z.int(),
  thought: z.string().optional(),
  answer: z.string().optional(),
  calls: z.array(
    z.object({
      entry: z.int(),
      tool: z.string(),
      args: z.string(),
      failed: z.boolean(),
      code: z.string().optional(),
      /** `null`: it has none. */
      result: z.string().nullable(),
      endedAt: z.int().nullable(),
    }),
  ),
});
export type TraceStep = z.infer<typeof TraceStep>;
