// What a session hands to the profile's channels when a turn that a channel began has something to say. Written into the session's jobs in
// the transaction that makes it true. Forms only.
import * as z from "zod";
import { AskedQuestion } from "../entry.ts";
import { SessionId } from "../ids.ts";

/** Where a message came from, as the session keeps it with its turn. `chat`: the id of a row of the profile's channels. */
export const ChannelOrigin = z.object({
  chat: z.string().min(1).max(100),
  /** The platform's id of the person's message. */
  message: z.string().max(500).optional(),
  /** Somebody who does not own the profile, or a program, wrote it: what it says is `content`. Absent: the owner. */
  source: z.literal("content").optional(),
  /** The chat wants to read what the agent learns. */
  learned: z.literal(true).optional(),
});
export type ChannelOrigin = z.infer<typeof ChannelOrigin>;

/** What a session began for: part of its frozen prompt. Nobody's name is in it. */
export const ChannelScene = z.object({
  /** As people write it: `Telegram`. */
  platform: z.string().max(100),
  kind: z.enum(["direct", "group"]),
  /** Several people write in the session, each message beginning with `[name]`. */
  shared: z.boolean(),
  /** Whether files can be sent. */
  files: z.boolean(),
  /** The owner's own words for this channel or chat. */
  prompt: z.string().max(20_000).optional(),
});
export type ChannelScene = z.infer<typeof ChannelScene>;

export const SessionDelivery = z.object({
  v: z.literal(1),
  /** Names this saying of this turn: repeated, it is the same delivery. */
  id: z.string().min(1).max(200),
  origin: ChannelOrigin,
  session: SessionId,
  turn: z.int().min(1),
  at: z.int(),
  /**
   * `answer`: the model's. `notice`: of the harness, such as why there is no answer, or what a command did. `question`: the turn waits.
   * `settled`: the question `settles` needs no answer any more; the text says why.
   */
  kind: z.enum(["answer", "notice", "question", "settled"]),
  /** Markdown. */
  text: z.string(),
  question: AskedQuestion.optional(),
  /** How the turn ended, for the board or the job that began it. `code`: of the closing notice. Absent: the turn goes on. */
  ended: z.object({ state: z.enum(["done", "failed", "stopped"]), code: z.string().optional() }).optional(),
  settles: z.string().optional(),
});
export type SessionDelivery = z.infer<typeof SessionDelivery>;
