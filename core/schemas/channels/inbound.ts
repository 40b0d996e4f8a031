// What platforms send, in one form: a message or a pressed button. Written by channels/<platform>.ts, stored until it was carried out, read
// by core/channels. Forms only: the same for every platform.
import * as z from "zod";

/** The platforms that people talk to the agent on. Each has a file in `channels/` and an address `/channels/<platform>/<profile>`. */
export const PLATFORM_NAMES = [
  "telegram",
  "slack",
  "discord",
  "whatsapp",
  "teams",
  "google-chat",
  "matrix",
  "mattermost",
  "line",
  "feishu",
  "dingtalk",
  "wecom",
  "twilio",
  "email",
  "signal",
  "github",
  "webhook",
] as const;
export const PlatformName = z.enum(PLATFORM_NAMES);
export type PlatformName = z.infer<typeof PlatformName>;

/** Strings that a platform needs back when it is answered, such as an address that expires or the token of an interaction. */
export const ReplyContext = z.record(z.string(), z.string());
export type ReplyContext = z.infer<typeof ReplyContext>;

/** Where a message was written. All ids are the platform's own. */
export const ChatPlace = z.object({
  id: z.string().min(1).max(1_000),
  /** `direct`: the bot and one person. `group`: everything else. */
  kind: z.enum(["direct", "group"]),
  /** A forum topic, a thread. Absent: the chat itself. */
  thread: z.string().max(1_000).optional(),
  /** What makes `id` unique on platforms where it is not: a team, a tenant. */
  scope: z.string().max(200).optional(),
  title: z.string().max(500).optional(),
});
export type ChatPlace = z.infer<typeof ChatPlace>;

export const Sender = z.object({
  id: z.string().min(1).max(1_000),
  /** As people see it. Anybody can choose it. */
  name: z.string().max(200),
  /** A name that only this person has, such as `@ada`. Absent where the platform has none. Never `id`. */
  handle: z.string().max(200).optional(),
  isBot: z.boolean(),
});
export type Sender = z.infer<typeof Sender>;

/** A file that waits at the platform. `ref`: what `PlatformClient.fetchFile` needs to get it. */
export const InboundFile = z.object({
  kind: z.enum(["image", "voice", "file"]),
  ref: z.string().max(4_000),
  name: z.string().max(300).optional(),
  mediaType: z.string().max(200).optional(),
  bytes: z.int().min(0).optional(),
});
export type InboundFile = z.infer<typeof InboundFile>;

const base = {
  /** Unique for the channel. The platform's retry of one event has the same id. */
  id: z.string().min(1).max(500),
  chat: ChatPlace,
  from: Sender,
  /** Unix time in ms, by the platform's clock; by ours where it sends none. */
  at: z.int(),
  context: ReplyContext.optional(),
};

export const InboundMessage = z.object({
  ...base,
  kind: z.literal("message"),
  /** Without the words that address the bot (`@bot`), in plain text or Markdown. "" for a message that is only files. */
  text: z.string(),
  /** It mentions the bot, replies to it, or is one of its slash commands. True in a direct chat. */
  addressed: z.boolean(),
  /** The platform's id of the message itself, to reply to and to recognise its edits by. Absent where messages have none. */
  message: z.string().max(500).optional(),
  /** It replaces what this person wrote as the same `message` before. */
  edited: z.literal(true).optional(),
  replyTo: z.object({ text: z.string().max(20_000), ofBot: z.boolean() }).optional(),
  files: z.array(InboundFile).max(50),
  /** Somebody else wrote the text or made the files, and the sender passed them on: content, whoever sent it. */
  forwarded: z.literal(true).optional(),
  /** The same for the parts of one message that the platform sends one by one, such as the photos of an album. They are joined as they come in. */
  album: z.string().max(500).optional(),
});
export type InboundMessage = z.infer<typeof InboundMessage>;

/** A pressed button. `token`: that of the `Button`. `message`: the platform's id of the message with the button. */
export const InboundPress = z.object({
  ...base,
  kind: z.literal("press"),
  token: z.string().min(1).max(200),
  message: z.string().max(500).optional(),
});
export type InboundPress = z.infer<typeof InboundPress>;

export const InboundEvent = z.discriminatedUnion("kind", [InboundMessage, InboundPress]);
export type InboundEvent = z.infer<typeof InboundEvent>;
