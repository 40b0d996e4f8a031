// The forms of what Slack sends, only the fields that are read. Source: https://docs.slack.dev/reference/events and
// https://docs.slack.dev/reference/interaction-payloads. Forms only.
import * as z from "zod";

/** Absent where Slack sent nonsense: a field that only decorates a message must not lose it. */
function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}
const text = z.string();
/** `U012AB3CD`: of a person, a bot, an app, a channel or a file. */
const id = z.string().regex(/^[A-Z][A-Z0-9_-]{0,99}$/);
/** Seconds with six decimals: a message's id in its channel. */
const ts = z.string().regex(/^\d{1,12}\.\d{1,8}$/);

const File = z.object({
  id,
  name: lenient(text),
  mimetype: lenient(text),
  subtype: lenient(text),
  size: lenient(z.int().min(0)),
  mode: lenient(text),
  is_external: lenient(z.boolean()),
  file_access: lenient(text),
  url_private: lenient(text),
  url_private_download: lenient(text),
});
export type File = z.infer<typeof File>;

const Attachment = z.object({
  text: lenient(text),
  author_name: lenient(text),
  is_share: lenient(z.boolean()),
  is_msg_unfurl: lenient(z.boolean()),
});

const words = {
  ts,
  text: text.catch(""),
  user: lenient(id),
  username: lenient(text),
  bot_id: lenient(id),
  app_id: lenient(id),
  thread_ts: lenient(ts),
  parent_user_id: lenient(id),
  edited: lenient(z.object({ ts })),
  files: lenient(z.array(File.nullable().catch(null))),
  attachments: lenient(z.array(Attachment.nullable().catch(null))),
  user_profile: lenient(z.object({ display_name: lenient(text), real_name: lenient(text) })),
};
const Written = z.object({ ...words, subtype: lenient(text) });
export type Written = z.infer<typeof Written>;

const place = { channel: id, channel_type: lenient(text) };

const MessageEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("app_mention"), subtype: lenient(text), ...place, ...words }),
  z.object({ type: z.literal("message"), subtype: lenient(text), ...place, ...words }),
]);

const ChangedEvent = z.object({
  type: z.literal("message"),
  subtype: z.literal("message_changed"),
  ...place,
  message: Written,
  previous_message: lenient(Written),
});

export const Envelope = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url_verification"), challenge: z.string().max(1_000) }),
  z.object({
    type: z.literal("event_callback"),
    api_app_id: lenient(id),
    authorizations: lenient(z.array(z.object({ user_id: lenient(id), is_bot: lenient(z.boolean()) }))),
    event: z.union([ChangedEvent, MessageEvent]),
  }),
]);
export type Envelope = z.infer<typeof Envelope>;
export type EventCallback = Extract<Envelope, { type: "event_callback" }>;

export const SlashCommand = z.object({
  command: z.string().regex(/^\/\S{1,50}$/),
  text: text.catch(""),
  trigger_id: z.string().regex(/^[\w.-]{1,200}$/),
  channel_id: id,
  channel_name: lenient(text),
  user_id: id,
  user_name: lenient(text),
  response_url: lenient(text),
});
export type SlashCommand = z.infer<typeof SlashCommand>;

export const BlockActions = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id, name: lenient(text), username: lenient(text) }),
  channel: z.object({ id, name: lenient(text) }),
  container: z.object({ message_ts: ts, thread_ts: lenient(ts) }),
  actions: z.tuple([z.object({ value: z.string().min(1).max(200), action_ts: lenient(text) })]).rest(z.unknown()),
  response_url: lenient(text),
});
