// Data to train on: what may be asked of GET /v1/trajectories, the consent of a profile, and one line of each format. Forms only.
import * as z from "zod";
import { Day, SessionId, Sha256, SkillName } from "./ids.ts";

/** `sharegpt`: conversations as Hermes Agent writes them. `openai`: the form of OpenAI's fine-tuning. `preferences`: pairs for DPO, as trl reads them. */
export const TrajectoryFormat = z.enum(["sharegpt", "openai", "preferences"]);
export type TrajectoryFormat = z.infer<typeof TrajectoryFormat>;

/**
 * Which turns are wanted; a turn must satisfy every field that is set. `successful`: the strongest judge says so. `tool`: the turn called
 * it. `skill`: the model had its text. `since`: the turn ended on this UTC day or later.
 */
export const TurnFilter = z.object({
  rated: z.enum(["up", "down", "any"]).optional(),
  successful: z.boolean().optional(),
  tool: z.string().min(1).max(200).optional(),
  skill: SkillName.optional(),
  since: Day.optional(),
});
export type TurnFilter = z.infer<typeof TurnFilter>;

/** What one export asks for, the same on all of its pages. `compress`: tokens that a longer conversation is shortened to. */
export interface TrajectoryAsked {
  format: TrajectoryFormat;
  filter: TurnFilter;
  /** Only this session, which may be one that does not learn. */
  session?: SessionId;
  compress?: number;
}

/** Where the next page begins: after this session or skill. */
export const TrajectoryPlace = z.discriminatedUnion("in", [
  z.object({ in: z.literal("sessions"), after: SessionId.optional() }),
  z.object({ in: z.literal("skills"), after: SkillName.optional() }),
]);
export type TrajectoryPlace = z.infer<typeof TrajectoryPlace>;

/** How often something of each kind was replaced: `{"email": 3}`. */
export const RedactionReport = z.record(z.string(), z.int().min(1));
export type RedactionReport = z.infer<typeof RedactionReport>;

/**
 * Why sessions, or parts of one, were left out, and how many. `learning_off`: the session does not learn. `other_people`: somebody who does
 * not own the profile, or a program, wrote a message of it. `parent`: of a session whose parent is left out. `too_large`: its log is larger
 * than one page may read, or it gives more lines than one page may have and the first of them are there.
 */
export const LEFT_OUT = ["learning_off", "other_people", "parent", "too_large"] as const;
export type LeftOutReason = (typeof LEFT_OUT)[number];
export type LeftOut = Partial<Record<LeftOutReason, number>>;

/** One page of an export. `lines`: JSON, without line breaks. `next` `null`: this was the last page. */
export interface TrajectoryPage {
  lines: string[];
  next: TrajectoryPlace | null;
  redactions: RedactionReport;
  leftOut: LeftOut;
}

/** `changedAt` and `changedBy`: when consent was last given or withdrawn, and by whom, as in the audit log. Absent: never. */
export const TrajectoryConsent = z.object({
  allowed: z.boolean(),
  changedAt: z.int().optional(),
  changedBy: z.string().optional(),
});
export type TrajectoryConsent = z.infer<typeof TrajectoryConsent>;
export const PutTrajectoryConsent = z.strictObject({ allowed: z.boolean() });

/** The stored form. `salt`: random, never sent; the names of redacted values are made with it. Absent: consent is withdrawn. */
export const StoredTrajectoryConsent = z.strictObject({
  v: z.literal(1),
  allowed: z.boolean(),
  changedAt: z.int(),
  changedBy: z.string().max(500),
  salt: Sha256.optional(),
});
export type StoredTrajectoryConsent = z.infer<typeof StoredTrajectoryConsent>;

/** A line of `sharegpt`: the fields of Hermes Agent's trajectory files. `timestamp`: ISO 8601. */
export interface ShareGptLine {
  conversations: ShareGptTurn[];
  timestamp: string;
  model: string;
  /** The last turn ended with an answer. */
  completed: boolean;
}
export interface ShareGptTurn {
  from: "system" | "human" | "gpt" | "tool";
  value: string;
}

/** A tool call as OpenAI's chat form has it: `arguments` is JSON as text. */
export interface OpenAiCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}
/** `weight` 0: the message is context and is not trained on. */
export type OpenAiMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; tool_calls?: OpenAiCall[]; weight?: 0 | 1 }
  | { role: "tool"; tool_call_id: string; content: string };
export interface OpenAiTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}
/** A line of `openai`. Without `tools` the conversation has no call. */
export interface OpenAiLine {
  messages: OpenAiMessage[];
  tools?: OpenAiTool[];
}

/** Where a pair comes from. */
export const PAIR_SOURCES = ["rating", "retry", "correction", "branch", "skill"] as const;
export type PairSource = (typeof PAIR_SOURCES)[number];
/** A line of `preferences`: `prompt` followed by `chosen` was better than `prompt` followed by `rejected`. */
export interface PreferenceLine {
  prompt: OpenAiMessage[];
  chosen: OpenAiMessage[];
  rejected: OpenAiMessage[];
  source: PairSource;
}
