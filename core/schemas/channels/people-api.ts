// What the routes about a channel's people and chats take and answer. Forms only. Times: Unix ms.
import * as z from "zod";
import { SessionId } from "../ids.ts";
import { ChannelRole, Listening } from "./options.ts";

export const Pairing = z.object({
  id: z.string(),
  /** The platform's id of the person who asks; a hash where the operator hides ids. */
  person: z.string(),
  /** As the person calls themselves. Anybody can choose any name. */
  name: z.string(),
  at: z.int(),
  expiresAt: z.int(),
});
export type Pairing = z.infer<typeof Pairing>;
/** Oldest first. */
export const PairingList = z.object({ pairings: z.array(Pairing) });

export const ApprovePairing = z.strictObject({
  code: z.string().min(1).max(40).meta({ description: "The code that the person was given" }),
  role: ChannelRole.default("user"),
});
export const ApprovedPairing = z.object({ person: z.string(), name: z.string(), role: ChannelRole });
export type ApprovedPairing = z.infer<typeof ApprovedPairing>;

/** `by`: `pairing`, or `owner` for one whom a key of the profile has named. */
export const ChannelPerson = z.object({
  person: z.string(),
  name: z.string(),
  role: ChannelRole,
  by: z.enum(["pairing", "owner"]),
  at: z.int(),
});
export type ChannelPerson = z.infer<typeof ChannelPerson>;
/** Sorted by `person`. */
export const ChannelPersonList = z.object({ people: z.array(ChannelPerson), next: z.string().optional() });
export const PutChannelPerson = z.strictObject({ role: ChannelRole, name: z.string().max(200).optional() });

/** A conversation: a chat, a thread, or a person's part of a group. */
export const ChannelChat = z.object({
  id: z.string(),
  kind: z.enum(["direct", "group"]),
  title: z.string().optional(),
  thread: z.string().optional(),
  /** Several people share the session. */
  shared: z.boolean(),
  /** `null`: the next message begins one. */
  session: SessionId.nullable(),
  lastIn: z.int(),
  /** When the agent answers; in a direct chat always. */
  listen: Listening,
  /** The named topics of the chat. */
  topics: z.array(z.object({ name: z.string(), current: z.boolean(), thread: z.string().optional() })),
  /** What concerns no chat is sent here. */
  home: z.boolean(),
});
export type ChannelChat = z.infer<typeof ChannelChat>;
/** Sorted by `id`. */
export const ChannelChatList = z.object({ chats: z.array(ChannelChat), next: z.string().optional() });

export const ChangeChannelChat = z.strictObject({
  listen: Listening.nullable().optional().meta({ description: "`null`: as the channel says" }),
  topic: z
    .literal("off")
    .optional()
    .meta({ description: "The chat has one session again. What was said in topics stays" }),
  home: z.boolean().optional(),
});
export type ChangeChannelChat = z.infer<typeof ChangeChannelChat>;
