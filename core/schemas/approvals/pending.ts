// A change of skills or memory that an agent requests and a person decides: the call as it was made, and its effect. Stored in
// R2, where a session, a review and the API can reach it. The API leaves out what only a repetition needs.
import * as z from "zod";
import { JsonObject } from "../entry.ts";
import { SessionId, Sha256, SkillName } from "../ids.ts";
import { Origin } from "../skill.ts";

/** Derived from the op of the call, so that a repeated call finds its own. */
export const PendingId = z.string().regex(/^[0-9a-f]{20}$/, "the id of a pending change is 20 hexadecimal characters");
export type PendingId = z.infer<typeof PendingId>;

/**
 * Why it waits. `approval`: a setting requires it. `scan`: the text resembles an attempt to command or deceive. `taint`: its
 * statement comes from outside only.
 */
export const PendingReason = z.enum(["approval", "scan", "taint"]);
export type PendingReason = z.infer<typeof PendingReason>;

/** `stale`: its target has changed since, so it is never carried out. */
export const PendingState = z.enum(["waiting", "approved", "rejected", "stale"]);
export type PendingState = z.infer<typeof PendingState>;

export const PendingTool = z.enum(["skill_manage", "memory"]);
export type PendingTool = z.infer<typeof PendingTool>;

export const PendingChange = z.object({
  v: z.literal(1),
  id: PendingId,
  tool: PendingTool,
  /** The call. Repeated with the same op, it is carried out once. */
  args: JsonObject,
  prepared: JsonObject,
  op: z.string().min(1),
  origin: Origin,
  session: SessionId.optional(),
  reason: PendingReason,
  /** Why it waits, for a person. */
  why: z.string(),
  /** Its effect in one line. */
  summary: z.string(),
  /** A unified diff of each file; lines of facts for memory. */
  diff: z.string(),
  /**
   * The skill and the `seq` that the change was based on, 0 for a new one; `null` for memory, whose entries are in `prepared`.
   * `text`: only the skill's text must be unchanged, because the rest of the same call was written.
   */
  seen: z.object({ skill: SkillName, seq: z.int().min(0), text: Sha256.optional() }).nullable(),
  state: PendingState,
  askedAt: z.int(),
  decidedAt: z.int().nullable(),
  /** The result of carrying it out; `null` before that. */
  outcome: z.string().nullable(),
});
export type PendingChange = z.infer<typeof PendingChange>;

export const PendingInfo = PendingChange.pick({
  id: true,
  tool: true,
  origin: true,
  session: true,
  reason: true,
  why: true,
  summary: true,
  seen: true,
  state: true,
  askedAt: true,
  decidedAt: true,
  outcome: true,
});
export type PendingInfo = z.infer<typeof PendingInfo>;

export const PendingDetail = PendingInfo.extend({
  diff: z.string(),
  /** For a stale change: its effect now, or why it is no longer possible. */
  now: z.string().optional(),
});
export type PendingDetail = z.infer<typeof PendingDetail>;
export const PendingList = z.object({ pending: z.array(PendingInfo), next: z.string().optional() });
export const DecidePending = z.strictObject({ approve: z.boolean() });
