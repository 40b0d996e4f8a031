// A conversation that another program has kept, as it arrives here: its messages with their times, and the program's own id of it. Forms only.
import * as z from "zod";
import { JsonObject } from "../entry.ts";
import { SessionId } from "../ids.ts";

/** The programs whose homes can be moved in. */
export const FOREIGN_PROGRAMS = ["hermes", "openclaw", "claude"] as const;
export const ForeignProgram = z.enum(FOREIGN_PROGRAMS);
export type ForeignProgram = z.infer<typeof ForeignProgram>;

/** [own] One entry holds a message; escaped as JSON it stays below `FIXED.rowBytes`. */
export const MAX_TRANSCRIPT_CHARS = 100_000;
/** [own] Messages of one request. The body is limited to a megabyte anyway. */
export const MAX_TRANSCRIPT_MESSAGES = 2_000;
/** [own] Of one answer. */
export const MAX_TRANSCRIPT_CALLS = 64;
/** The largest time that a ULID holds. */
const MAX_TIME_MS = 2 ** 48 - 1;
const Time = z.int().min(0).max(MAX_TIME_MS);
const Name = z.string().min(1).max(200);

/** `callId`: of a tool's message, the call that it answers. `at`: milliseconds since 1970. */
export const TranscriptMessage = z.strictObject({
  role: z.enum(["user", "assistant", "tool"]),
  text: z.string().max(MAX_TRANSCRIPT_CHARS),
  at: Time,
  calls: z
    .array(z.strictObject({ id: Name, name: Name, args: JsonObject }))
    .max(MAX_TRANSCRIPT_CALLS)
    .optional(),
  callId: Name.optional(),
  name: Name.optional(),
  failed: z.boolean().optional(),
  model: Name.optional(),
});
export type TranscriptMessage = z.infer<typeof TranscriptMessage>;

/** A conversation in another program. */
export const ForeignSession = z.object({ program: ForeignProgram, id: Name });
export type ForeignSession = z.infer<typeof ForeignSession>;

/** How many turns and entries the pages before have made. */
export const TranscriptPlace = z.strictObject({ turn: z.int().min(0), entry: z.int().min(0) });
export type TranscriptPlace = z.infer<typeof TranscriptPlace>;

export const PostTranscript = z.strictObject({
  from: z.strictObject(ForeignSession.shape),
  title: z.string().max(200).default(""),
  createdAt: Time.meta({ description: "When it began there, in milliseconds since 1970" }),
  messages: z.array(TranscriptMessage).max(MAX_TRANSCRIPT_MESSAGES),
  place: TranscriptPlace.optional().meta({ description: "Of a later page: the `place` of the answer before" }),
  more: z.boolean().default(false).meta({ description: "Another page follows. Without one the session exists now" }),
});
export type PostTranscript = z.infer<typeof PostTranscript>;

/** `exists`: it was here before, and nothing has changed. `deleted`: its owner has deleted it here. */
export const TranscriptTaken = z.object({
  session: SessionId,
  state: z.enum(["created", "exists", "more", "deleted"]),
  place: TranscriptPlace.optional(),
});
export type TranscriptTaken = z.infer<typeof TranscriptTaken>;
