// A goal of a profile: an objective that one session works at over many turns, with what its judge says. Forms only. A stored form: for a
// change, raise `v` of `StoredGoal`.
import * as z from "zod";
import { SessionId } from "../ids.ts";
import { GoalId } from "./goal-mark.ts";

export { GoalId };

export const GOAL_STATES = ["active", "paused", "blocked", "done", "cleared"] as const;
export const GoalState = z.enum(GOAL_STATES);
export type GoalState = z.infer<typeof GoalState>;

const clause = z.string().trim().min(1).max(2_000);

/** What the judge holds the work against. Each field may be absent. */
export const GoalContract = z.strictObject({
  outcome: clause.optional().meta({ description: "What is there when the goal is reached" }),
  verification: clause.optional().meta({ description: "How it is proved" }),
  constraints: clause.optional().meta({ description: "What must stay as it is" }),
  boundaries: clause.optional().meta({ description: "What may be touched, and what not" }),
  stopWhen: clause.optional().meta({ description: "When to stop and ask" }),
});
export type GoalContract = z.infer<typeof GoalContract>;

/** A command of the shell that runs over a copy of the session's text files. */
export const GoalCheck = z.strictObject({
  command: z.string().trim().min(1).max(2_000),
  exitCode: z.int().min(0).max(255).default(0),
});
export type GoalCheck = z.infer<typeof GoalCheck>;

export const Subgoal = z.string().trim().min(1).max(500);
export const MAX_SUBGOALS = 20;
/** A check runs for five seconds at most, and all of them run at the end of each turn. */
export const MAX_CHECKS = 5;

/** What a person says of a goal. */
export const GoalSpec = z.strictObject({
  text: z.string().trim().min(1).max(4_000).meta({ description: "The objective, in a person's words" }),
  contract: GoalContract.default({}),
  subgoals: z.array(Subgoal).max(MAX_SUBGOALS).default([]),
  checks: z.array(GoalCheck).max(MAX_CHECKS).default([]).meta({
    description: "Commands that must succeed before the goal counts as done. They run over a copy of the files",
  }),
  maxTurns: z.int().min(1).max(200).optional().meta({ description: "Judged turns until it pauses" }),
});
export type GoalSpec = z.infer<typeof GoalSpec>;

const reason = z.string().max(500);

/** What is known after a turn. Stored by the session before it is acted on. */
export const GoalVerdict = z.discriminatedUnion("kind", [
  /** `failed`: the tail of a check that contradicts it. */
  z.object({ kind: z.literal("done"), reason, failed: z.string().max(4_000).optional() }),
  z.object({ kind: z.literal("blocked"), reason }),
  z.object({ kind: z.literal("continue"), reason }),
  z.object({ kind: z.literal("wait"), reason, seconds: z.int().min(1) }),
  /** The judge's answer has no verdict. */
  z.object({ kind: z.literal("unparsed"), reason }),
  /** The judge could not be asked. */
  z.object({ kind: z.literal("unreachable"), reason }),
  /** The turn itself did not end well: a person stopped it, or it failed. */
  z.object({ kind: z.literal("broken"), reason }),
]);
export type GoalVerdict = z.infer<typeof GoalVerdict>;

const time = z.int().min(0);

export const Goal = GoalSpec.required({ maxTurns: true }).extend({
  id: GoalId,
  session: SessionId.meta({ description: "The session that works at it" }),
  state: GoalState,
  /** Why it has its state; empty at first. */
  reason,
  /** Somebody who does not own the profile set it: its words are content. */
  source: z.literal("content").optional(),
  createdAt: time,
  /** When it last came from another session. */
  movedAt: time.optional(),
  updatedAt: time,
  /** Judged turns since it became active. */
  turns: z.int().min(0),
  /** Number of the next continuation. It only rises. */
  serial: z.int().min(1),
  /** The newest turn of its session that was judged; 0: none. */
  judged: z.int().min(0),
  /** In a row: answers without a verdict, judges that did not answer, `done` that a check contradicted. */
  failures: z.object({ parse: z.int().min(0), transport: z.int().min(0), check: z.int().min(0) }),
  /** No continuation before this time. */
  waitUntil: time.optional(),
  /** What a check printed that contradicts `done`. */
  failed: z.string().max(4_000).optional(),
});
export type Goal = z.infer<typeof Goal>;

export const StoredGoal = Goal.extend({ v: z.literal(1) });
export type StoredGoal = z.infer<typeof StoredGoal>;

/** What was said of one turn of a goal. Kept beside the goal, in order. A stored form: for a change, raise `v`. */
export const JudgedTurn = z.object({
  at: time,
  session: SessionId,
  /** Of its session. */
  turn: z.int().min(1),
  kind: z.enum(["done", "blocked", "continue", "wait", "unparsed", "unreachable", "broken"]),
  /** What the judge said, or why it said nothing. */
  reason,
  /** The end of what a check printed that contradicts `done`. */
  failed: z.string().max(4_000).optional(),
  /** The goal's state after it. */
  state: GoalState,
});
export type JudgedTurn = z.infer<typeof JudgedTurn>;
export const StoredJudgedTurn = JudgedTurn.extend({ v: z.literal(1) });

export const GoalDetail = Goal.extend({
  verdicts: z.array(JudgedTurn).meta({ description: "The newest 200 turns that were judged, oldest first" }),
});
export type GoalDetail = z.infer<typeof GoalDetail>;

/** What a person may do with a goal. */
export const GoalChange = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("pause"), reason: z.string().trim().max(300).optional() }),
  z.strictObject({ do: z.literal("resume") }),
  z.strictObject({ do: z.literal("clear") }),
  z.strictObject({
    do: z.literal("wait"),
    seconds: z
      .int()
      .min(1)
      .max(30 * 86_400),
  }),
  z.strictObject({ do: z.literal("unwait") }),
  z.strictObject({ do: z.literal("subgoals"), subgoals: z.array(Subgoal).max(MAX_SUBGOALS) }),
  z.strictObject({ do: z.literal("move"), session: SessionId }),
]);
export type GoalChange = z.infer<typeof GoalChange>;

export const GoalList = z.object({ goals: z.array(Goal), next: z.string().optional() });
export const CreateGoal = GoalSpec.extend({
  session: SessionId.meta({ description: "The session that is to work at it" }),
});

/** What the prompts of the profile's sessions say of its goals: a setting that the Agenda writes. Key `all`. */
export const ShownGoals = z.object({
  goals: z.array(z.object({ id: GoalId, session: SessionId, text: z.string().max(300), state: GoalState })).max(20),
});
export type ShownGoals = z.infer<typeof ShownGoals>;
