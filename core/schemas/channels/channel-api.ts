// What the set-up routes of channels take and answer. Forms only.
import * as z from "zod";
import { BotSelf, ChannelError, ChannelState } from "./channel.ts";
import { PlatformName } from "./inbound.ts";
import { ChannelOptions } from "./options.ts";

/** The platform's own fields are beside `options`; `GET /v1/channels` lists them. */
export const PutChannel = z.looseObject({ options: z.record(z.string(), z.unknown()).optional() }).meta({
  description:
    "The platform's fields (`GET /v1/channels` lists them: `token`, `signingSecret` and so on), and `options`: who may talk, and how the channel behaves",
});
export type PutChannel = z.infer<typeof PutChannel>;

/** A field that is `null` is removed. */
export const ChangeChannel = PutChannel;

export const TestChannel = z.strictObject({
  chat: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: "Sends a message there: an id of `GET /v1/channels/{platform}/chats`, or the platform's" }),
});

/** `null`: not tried, or the platform needs it not. */
export const TestedChannel = z.object({
  verified: z.boolean(),
  self: BotSelf.nullable(),
  registered: z.boolean().nullable(),
  sent: z.boolean().nullable(),
  error: ChannelError.nullable(),
});
export type TestedChannel = z.infer<typeof TestedChannel>;

const PlatformField = z.object({
  name: z.string(),
  help: z.string(),
  secret: z.boolean(),
  required: z.boolean(),
  /** It is the content of a file: a terminal takes the file's path. */
  file: z.literal(true).optional(),
});

export const PlatformInfo = z.object({
  platform: PlatformName,
  title: z.string(),
  /** The fields of `PUT`. */
  form: z.array(PlatformField),
  /** What a person does on the platform before. */
  steps: z.array(z.string()),
  capabilities: z.object({
    edit: z.boolean(),
    typing: z.boolean(),
    buttons: z.int(),
    filesIn: z.boolean(),
    filesOut: z.boolean(),
    groups: z.boolean(),
    threads: z.boolean(),
    replies: z.boolean(),
    redactsIds: z.boolean(),
  }),
  /** What the platform calls. `null`: the operator has set no public address. */
  address: z.string().nullable(),
  /** `null`: it is not set up. */
  channel: ChannelState.nullable(),
});
export type PlatformInfo = z.infer<typeof PlatformInfo>;

export const ChannelList = z.object({ channels: z.array(PlatformInfo) });

export const DEFAULT_OPTIONS: ChannelOptions = ChannelOptions.parse({});
