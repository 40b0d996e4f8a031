// What is observed of turns, who judged them, and what is known of turns like them. Kept with a session's log, carried in
// review jobs, recorded in the profile's Archive, answered by the API. See docs/ARCHITECTURE.md, "A review".
import * as z from "zod";
import { Sha256, SessionId, SkillName, TurnId } from "../ids.ts";
import { MemoryStoreName } from "../memory.ts";
import { Baseline, Judge, Outcome } from "../skill.ts";

/** One judge's word on how a turn ended. */
export const Judgement = z.object({ judge: Judge, outcome: Outcome, at: z.int() });
export type Judgement = z.infer<typeof Judgement>;

/**
 * What a turn cost. `tokens`: of all its model calls, in and out, cached ones included. `ms`: from its first entry to its
 * last, planned waits included; absent: recorded before it was measured.
 */
export const Effort = z.object({
  calls: z.int().min(0),
  failedCalls: z.int().min(0),
  tokens: z.int().min(0),
  ms: z.int().min(0).optional(),
});
export type Effort = z.infer<typeof Effort>;

/** A skill's text that was in front of the model when the turn worked. */
export const LoadedText = z.object({ skill: SkillName, text: Sha256 });
export type LoadedText = z.infer<typeof LoadedText>;

export const MAX_KIND_CHARS = 80;

/**
 * The kind of work of a turn: a short English phrase such as "renew a TLS certificate". A model's words, and which call they came
 * from: the session's title, or a review.
 */
export const TaskKind = z.object({ text: z.string().min(1).max(MAX_KIND_CHARS), by: z.enum(["title", "review"]) });
export type TaskKind = z.infer<typeof TaskKind>;

/**
 * Words of a loaded text that calls took from it: with some a call failed, and some had failed in earlier turns and now worked.
 */
export const TriedWords = LoadedText.extend({
  failed: z.array(z.string()),
  /** Of those that failed: what the turn itself proved wrong, see tried-words.ts. Absent: none, or written before it was looked for. */
  refused: z.array(z.string()).optional(),
  worked: z.array(z.string()),
});
export type TriedWords = z.infer<typeof TriedWords>;

/** A deterministic look at one finished turn, and what judges have said of it since. */
export const Observation = z.object({
  /** Absent: written before version 2. */
  v: z.literal(2).optional(),
  turn: TurnId,
  request: z.string(),
  /** Absent: no model has named it. */
  kind: TaskKind.optional(),
  steps: z.int(),
  toolCalls: z.int(),
  /** Names of the tools that worked on the task, each once. Absent: written before they were kept. */
  tools: z.array(z.string()).optional(),
  failedCalls: z.int(),
  /** Entries of a failed call, and the code the harness gave it. */
  errors: z.array(z.object({ entry: z.int(), tool: z.string(), code: z.string() })).optional(),
  /** Entries of a failed call and of the later success of the same tool. */
  recoveries: z.array(z.object({ failed: z.int(), succeeded: z.int() })),
  /** Skills whose text was loaded, and which text. */
  loaded: z.array(LoadedText),
  /** Of the loaded: texts that give an option another value than the call that succeeded. */
  unfollowed: z.array(LoadedText).optional(),
  triedWords: z.array(TriedWords).optional(),
  /** The entry in which the person corrected this turn: a later message, or a rating with words. */
  corrections: z.array(z.object({ entry: z.int() })).optional(),
  /** Of the strongest judge. */
  outcome: Outcome,
  judge: Judge,
  judgements: z.array(Judgement).optional(),
  effort: Effort.optional(),
  /** The cheapest earlier turn like it that succeeded; `null`: there is none. */
  best: Effort.extend({ turn: TurnId }).nullable().optional(),
  /** Calls of that best turn for each call of this one; above 1 it was cheaper. `null`: no such turn. */
  efficiency: z.number().nullable().optional(),
  /** How many earlier turns of the profile were like it. */
  similar: z.int().optional(),
  generalisable: z.boolean(),
  value: z.number(),
});
export type Observation = z.infer<typeof Observation>;

/** A turn, as the Archive remembers it. Recorded again when a later judge speaks: the newest record counts. */
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
  /** Its session was kept without learned skills, for comparison. */
  heldOut: z.boolean(),
});
export type TurnSignature = z.infer<typeof TurnSignature>;

/** What the Archive knows of turns like one, which is itself left out. */
export const Neighbourhood = z.object({
  /** Earlier similar turns, and those of them that succeeded. */
  similar: z.int().min(0),
  successes: z.int().min(0),
  best: Effort.extend({ turn: TurnId }).nullable(),
  /** By each skill the turn loaded: similar turns without it, and the cheapest success with this text of it. */
  skills: z.record(SkillName, z.object({ without: Baseline, best: Effort.extend({ turn: TurnId }).nullable() })),
});
export type Neighbourhood = z.infer<typeof Neighbourhood>;

/** A person's word on a turn, also days later. The last one counts. */
export const Rating = z.strictObject({
  rating: z.enum(["up", "down"]),
  /** What would have been right. */
  correction: z.string().trim().min(1).max(4_000).optional(),
});
export type Rating = z.infer<typeof Rating>;

/** `modelCalls`: those that asked for tools. Counted since skills (the first three) and memory (the last) were last reviewed, or saved by the agent itself. */
export const ReviewCounters = z.object({
  modelCalls: z.int().min(0),
  entries: z.int().min(0),
  toolCalls: z.int().min(0),
  userTurns: z.int().min(0),
  /** Stores that were over their limit when the agent last wrote to them: they wait for a review that merges entries. */
  fullStores: z.array(MemoryStoreName).min(1).optional(),
});
export type ReviewCounters = z.infer<typeof ReviewCounters>;

/** What is stored with a turn: the observation, and what a person's rating and the counters need to go on from. */
export const ObservedTurn = z.object({
  observation: Observation,
  /** Of the last rating, the how manieth, and when. */
  rating: Rating.extend({ nth: z.int().min(1), at: z.int() }).optional(),
  /** Of reviews, after this turn; absent until it has been observed behind its answer. */
  counters: ReviewCounters.optional(),
});
export type ObservedTurn = z.infer<typeof ObservedTurn>;

/** One step of a turn, in short: an answer of the model and the calls it asked for. */
export const TraceStep = z.object({
  entry: z.int(),
  /** When the model was asked, when it had answered, and when the last of its calls had a result. */
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
