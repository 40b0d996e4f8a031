// What a person sets for a channel beside the platform's own fields: who may talk, how sessions are cut, how it behaves. Forms only.
import * as z from "zod";
import { ToolSettings } from "../profile/tools.ts";
import { BusyMode } from "../settings.ts";

/** [own] Of one list of people or chats. */
const MAX_LISTED = 500;

/**
 * `owner`: the profile is theirs; what they say is a standing instruction and is learned from. `admin`: manages sessions and decides approvals. `user`: may
 * talk. What an admin or a user says is content.
 */
export const ChannelRole = z.enum(["owner", "admin", "user"]);
export type ChannelRole = z.infer<typeof ChannelRole>;

/** When the agent answers in a group. `mention`: when it is mentioned or replied to. */
export const Listening = z.enum(["mention", "all", "off"]);
export type Listening = z.infer<typeof Listening>;

const people = z.array(z.string().min(1).max(1_000)).max(MAX_LISTED);

const perChat = {
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "The model of new sessions, one of `GET /v1/models`" }),
  prompt: z.string().max(20_000).optional().meta({ description: "Words of yours for the prompt of new sessions" }),
  tools: ToolSettings.optional().meta({ description: "Which tools new sessions have" }),
  listen: Listening.optional().meta({ description: "When the agent answers in a group" }),
};

export const ChatOptions = z.strictObject(perChat);
export type ChatOptions = z.infer<typeof ChatOptions>;

export const ChannelOptions = z.strictObject({
  owners: people.default([]).meta({ description: "Ids or handles of people who own the profile" }),
  admins: people
    .default([])
    .meta({ description: "Ids or handles of people who may manage sessions and decide approvals" }),
  users: people.default([]).meta({ description: "Ids or handles of people who may talk" }),
  everyone: z.boolean().default(false).meta({ description: "Whether everybody may talk, as a user" }),
  strangers: z.enum(["pair", "ignore"]).optional().meta({
    description:
      "Whether a stranger's direct message is answered with a pairing code. Default: `pair`; for e-mail `ignore`",
  }),
  ...perChat,
  groupSessions: z
    .enum(["person", "shared"])
    .default("person")
    .meta({ description: "Whether each member of a group has a session, or all share one" }),
  threadSessions: z.enum(["person", "shared"]).default("shared").meta({ description: "The same for threads" }),
  busy: BusyMode.optional().meta({
    description: "What a message does while a turn runs. Default: the profile's `turn.busy`",
  }),
  progress: z.enum(["off", "typing", "tools", "stream"]).default("tools").meta({
    description:
      "What is shown while a turn runs. `typing`: that the agent works. `tools`: also its tool calls, as one message that is edited. `stream`: also the answer as it grows",
  }),
  learned: z.boolean().default(false).meta({
    description: "Whether a chat is told what the agent has learned from it",
  }),
  chats: z
    .record(z.string().min(1).max(1_000), ChatOptions)
    .default({})
    .meta({ description: "Options of single chats, by the platform's id of the chat" }),
});
export type ChannelOptions = z.infer<typeof ChannelOptions>;
