// What Discord sends, as far as it is read: interactions (HTTP) and dispatches of the Gateway (socket). Forms only.
// https://discord.com/developers/docs/interactions/receiving-and-responding and …/resources/message.
import * as z from "zod";

/** A Discord id. Its upper bits are a time. */
export const Snowflake = z.string().regex(/^\d{1,20}$/);

/** 2015-01-01, where Discord's ids begin to count. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** When the id was made. */
export function toSnowflakeMs(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

const User = z.object({
  id: Snowflake,
  username: z.string(),
  global_name: z.string().nullish(),
  discriminator: z.string().nullish(),
  bot: z.boolean().nullish(),
});
export type DiscordUser = z.infer<typeof User>;

const Member = z.object({ nick: z.string().nullish() });

export const DiscordChannel = z.object({
  id: Snowflake,
  type: z.int(),
  name: z.string().nullish(),
  parent_id: Snowflake.nullish(),
});
export type DiscordChannel = z.infer<typeof DiscordChannel>;

const Attachment = z.object({
  filename: z.string(),
  url: z.string(),
  size: z.int().min(0).nullish(),
  content_type: z.string().nullish(),
});
export type DiscordAttachment = z.infer<typeof Attachment>;

export const Interaction = z.object({
  id: Snowflake,
  type: z.int(),
  token: z.string().min(1).max(1_000),
  guild_id: Snowflake.nullish(),
  channel: DiscordChannel.nullish(),
  channel_id: Snowflake.nullish(),
  member: Member.extend({ user: User }).nullish(),
  user: User.nullish(),
  message: z.object({ id: Snowflake }).nullish(),
  /** 0: a guild. 1: a direct chat with the bot. 2: a chat of other people. */
  context: z.int().nullish(),
  data: z.unknown().optional(),
});
export type Interaction = z.infer<typeof Interaction>;

/** `data` of a slash command. */
export const CommandData = z.object({
  name: z.string(),
  options: z.array(z.object({ name: z.string(), value: z.unknown() })).nullish(),
  resolved: z.object({ attachments: z.record(z.string(), Attachment).nullish() }).nullish(),
});

/** `data` of a pressed button. */
export const ComponentData = z.object({ custom_id: z.string().min(1) });

export const Message = z.object({
  id: Snowflake,
  type: z.int(),
  channel_id: Snowflake,
  guild_id: Snowflake.nullish(),
  author: User,
  member: Member.nullish(),
  content: z.string(),
  edited_timestamp: z.string().nullish(),
  flags: z.int().nullish(),
  mentions: z.array(User),
  attachments: z.array(Attachment),
  referenced_message: z.object({ content: z.string(), author: z.object({ id: Snowflake }) }).nullish(),
});
export type DiscordMessage = z.infer<typeof Message>;

/** A dispatch of the Gateway, as the socket hands it on. `self`: the bot's user id, which the Gateway said. */
export const Dispatch = z.object({
  op: z.literal(0),
  t: z.enum(["MESSAGE_CREATE", "MESSAGE_UPDATE"]),
  d: z.unknown().optional(),
  self: Snowflake,
});
