// Delegated work as it is stored and as it crosses between sessions: the task that a parent gives, the report that a child returns,
// and the parent's record of both. Stored records carry `v`. Pure.
import * as z from "zod";
import { DelegatedSpending, TurnStats } from "../entry.ts";
import { SessionId } from "../ids.ts";
import { ToolSettings } from "../profile/tools.ts";
import { SessionChoice } from "./session-choice.ts";

/** Limits of tokens and millionths of a US dollar. 0: no limit. */
const Limits = z.object({ tokens: z.int().min(0), usdMicros: z.int().min(0) });

/**
 * What a parent sends to a child. Sent again until it is acknowledged: the child's id makes that harmless. `source`: of `text`, which
 * the parent's model wrote; `content` if it may repeat what that model has read. `budget`: of the child's turn.
 */
export const ChildTask = z.object({
  parent: SessionId,
  title: z.string(),
  text: z.string(),
  source: z.enum(["own", "content"]),
  learning: z.enum(["on", "off"]),
  backend: z.literal("host").optional(),
  /** What the parent's creator took away from its tools. */
  tools: ToolSettings.optional(),
  /** What the person has chosen for the parent's turn. A personality is for people, so a child has none. */
  choice: SessionChoice.omit({ personality: true }).optional(),
  depth: z.int().min(1),
  budget: Limits,
  /** Revision of the profile's settings that the parent works under. Absent: none. */
  settingsRev: z.int().optional(),
  createdAt: z.int(),
});
export type ChildTask = z.infer<typeof ChildTask>;

/**
 * How a child's turn ended. `reason`: as of the turn. `text`: its answer, or what it had said by then; `cut`: only the beginning of it.
 * `source`: the worst label of what the child has read. `spent`: with the sessions that the child began.
 */
export const ChildReport = z.object({
  state: z.enum(["done", "failed", "stopped"]),
  reason: z.string(),
  text: z.string(),
  cut: z.literal(true).optional(),
  source: z.enum(["own", "content"]),
  stats: TurnStats,
  spent: DelegatedSpending,
  endedAt: z.int(),
});
export type ChildReport = z.infer<typeof ChildReport>;

/**
 * `starting`: the child has not acknowledged its task. `stalled`: it made no progress for `delegation.stallMs`, or the delegation took
 * too long. `lost`: it was deleted, or could not begin. The others are states of its turn.
 */
export const ChildState = z.enum(["starting", "running", "done", "failed", "stopped", "stalled", "lost"]);
export type ChildState = z.infer<typeof ChildState>;

/** The parent's record of a child. `op`: the call that began it. `report`: absent until the child has sent one. */
export const ChildRecord = z.object({
  v: z.literal(1),
  session: SessionId,
  op: z.string(),
  turn: z.int().min(1),
  /** Its place among the tasks of the call, from 1. */
  task: z.int().min(1),
  goal: z.string(),
  state: ChildState,
  given: ChildTask,
  endedAt: z.int().nullable(),
  report: ChildReport.optional(),
});
export type ChildRecord = z.infer<typeof ChildRecord>;

/** What a child says when its parent looks. `activeAt`: when something last came from a model or a tool. */
export const ChildProgress = z.object({
  /** The turn waits, by a plan or for children of its own, so its silence is not a stall. */
  isWaiting: z.boolean(),
  activeAt: z.int(),
  stats: TurnStats,
  spent: DelegatedSpending,
  /** The turn has ended. */
  report: ChildReport.optional(),
});
export type ChildProgress = z.infer<typeof ChildProgress>;

/** A child, as `GET /v1/sessions/{session}/children` lists it. */
export const ChildInfo = z.object({
  session: SessionId,
  /** The turn of the parent that delegated it, and its place in that call. */
  turn: z.int(),
  task: z.int(),
  goal: z.string(),
  state: ChildState,
  /** Why its turn ended. Absent while it runs, and for one that never ended by itself. */
  reason: z.string().optional(),
  startedAt: z.int(),
  endedAt: z.int().nullable(),
  modelCalls: z.int(),
  toolCalls: z.int(),
  /** With the sessions that the child began. `usd`: of the calls with a known price. */
  usage: z.object({ calls: z.int(), tokens: z.int(), usd: z.number() }),
  /** The child could not be asked just now: the counts are from before. */
  unreachable: z.literal(true).optional(),
});
export type ChildInfo = z.infer<typeof ChildInfo>;
export const ChildList = z.object({ children: z.array(ChildInfo), next: z.string().optional() });
