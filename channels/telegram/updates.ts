// The forms of what Telegram sends, only the fields that are read. Source: https://core.telegram.org/bots/api (10.x). Forms only.
import * as z from "zod";

/** Absent where Telegram sent nonsense: a field that only decorates a message must not lose it. */
function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

const text = z.string();
const id = z.int();

const User = z.object({
  id,
  is_bot: z.boolean().catch(false),
  first_name: text.catch(""),
  last_name: lenient(text),
  username: lenient(text),
});
export type User = z.infer<typeof User>;

const Chat = z.object({
  id,
  type: z.enum(["private", "group", "supergroup", "channel"]),
  title: lenient(text),
  username: lenient(text),
  first_name: lenient(text),
  last_name: lenient(text),
});
export type Chat = z.infer<typeof Chat>;

const Entity = z.object({
  type: text,
  offset: z.int().min(0),
  length: z.int().min(1),
  url: lenient(text),
  language: lenient(text),
  user: lenient(User),
});
export type Entity = z.infer<typeof Entity>;
/** A list with one bad member loses that member only. */
const entities = lenient(z.array(Entity.nullable().catch(null)));

const file = z.object({
  file_id: text.min(1),
  file_size: lenient(z.int().min(0)),
  file_name: lenient(text),
  mime_type: lenient(text),
});
export type File = z.infer<typeof file>;

const Content = z.object({
  text: lenient(text),
  entities,
  caption: lenient(text),
  caption_entities: entities,
  photo: lenient(z.array(file)),
  document: lenient(file),
  voice: lenient(file),
  audio: lenient(file),
  video: lenient(file),
  video_note: lenient(file),
  animation: lenient(file),
  sticker: lenient(
    file.extend({ emoji: lenient(text), is_animated: lenient(z.boolean()), is_video: lenient(z.boolean()) }),
  ),
  location: lenient(z.object({ latitude: z.number(), longitude: z.number() })),
  venue: lenient(z.object({ title: text, address: text })),
  contact: lenient(z.object({ phone_number: text, first_name: text, last_name: lenient(text) })),
  poll: lenient(z.object({ question: text, options: z.array(z.object({ text })) })),
});
export type Content = z.infer<typeof Content>;

const common = {
  message_id: id,
  date: z.number().catch(0),
  chat: Chat,
  message_thread_id: lenient(id),
  is_topic_message: lenient(z.boolean()),
};

const ReplyMessage = Content.extend({
  message_id: id,
  from: lenient(User),
  forum_topic_created: lenient(z.looseObject({})),
});

export const Message = Content.extend({
  ...common,
  edit_date: lenient(z.number()),
  from: lenient(User),
  sender_chat: lenient(Chat),
  is_automatic_forward: lenient(z.boolean()),
  forward_origin: lenient(z.looseObject({})),
  media_group_id: lenient(text),
  reply_to_message: lenient(ReplyMessage),
  quote: lenient(z.object({ text })),
  migrate_to_chat_id: lenient(id),
  migrate_from_chat_id: lenient(id),
});
export type Message = z.infer<typeof Message>;

const CallbackQuery = z.object({
  id: text.min(1),
  from: User,
  data: text.min(1),
  /** Without a date where the message is too old to be read. */
  message: z.object(common),
});

/** One of the three kinds that `ALLOWED_UPDATES` asks for. */
export const Update = z.object({
  update_id: id,
  message: lenient(Message),
  edited_message: lenient(Message),
  callback_query: lenient(CallbackQuery),
});
export type Update = z.infer<typeof Update>;

export const ALLOWED_UPDATES = ["message", "edited_message", "callback_query"] as const;
