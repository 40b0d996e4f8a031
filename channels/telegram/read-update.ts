// Reads an update of Telegram's as events. Called by channels/telegram.ts. Pure. Never throws.
import type { BotIdentity, Received } from "../../core/channels/platform.ts";
import type { Clock } from "../../core/ports.ts";
import type { ChatPlace, InboundFile } from "../../core/schemas/channels/inbound.ts";
import { type DraftMessage, readJson, toMessage, toPress, toTime } from "../support/events.ts";
import { readWords } from "./read-words.ts";
import { type Chat, type Content, type File, type Message, Update, type User } from "./updates.ts";

const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** `self`: as far as it is known; the id always is. */
export function readUpdate(body: string, self: BotIdentity, clock: Clock, fileBytes: number): Received {
  const parsed = Update.safeParse(readJson(body));
  if (!parsed.success) return { events: [] };
  const update = parsed.data;
  const message = update.message ?? update.edited_message;
  if (message) return readMessage(message, update, { self, clock, fileBytes });
  const query = update.callback_query;
  if (!query || query.message.chat.type === "channel") return { events: [] };
  return {
    events: toPress({
      id: String(update.update_id),
      chat: toPlace(query.message.chat, query.message),
      from: toPerson(query.from),
      at: clock.now(),
      token: query.data,
      message: String(query.message.message_id),
      context: { callback: query.id },
    }),
  };
}

interface Reading {
  self: BotIdentity;
  clock: Clock;
  fileBytes: number;
}

function readMessage(message: Message, update: Update, { self, clock, fileBytes }: Reading): Received {
  const { chat, from } = message;
  if (message.migrate_to_chat_id !== undefined) {
    return { events: [], moved: [{ from: String(chat.id), to: String(message.migrate_to_chat_id) }] };
  }
  // The supergroup's own word of it: enough if the group's never arrives.
  if (message.migrate_from_chat_id !== undefined) {
    return { events: [], moved: [{ from: String(message.migrate_from_chat_id), to: String(chat.id) }] };
  }
  // Posts of a channel have no person who wrote them; its linked group gets each as an automatic forward.
  if (chat.type === "channel" || message.is_automatic_forward) return { events: [] };
  const sender = toAuthor(message);
  if (!sender || sender.id === self.id) return { events: [] };

  const words = readWords(message, self);
  const replied = toReply(message, self);
  const isEdit = update.message === undefined;
  const draft: DraftMessage = {
    id: String(update.update_id),
    chat: toPlace(chat, message),
    from: sender,
    at: toTime((message.edit_date ?? message.date) * 1_000, clock),
    text: words.text,
    addressed: chat.type === "private" || words.addressed || replied?.ofBot === true,
    message: String(message.message_id),
    files: readFiles(message, fileBytes),
    ...(isEdit && { edited: true as const }),
    ...(replied && { replyTo: replied }),
    ...(message.forward_origin && from && { forwarded: true as const }),
    ...(message.media_group_id !== undefined && { album: `${chat.id}.${message.media_group_id}` }),
  };
  return { events: toMessage(draft) };
}

function toReply(message: Message, self: BotIdentity): DraftMessage["replyTo"] {
  const replied = message.reply_to_message;
  // Each message of a forum topic is a reply to the notice that began the topic.
  const isTopic = replied?.forum_topic_created !== undefined || replied?.message_id === message.message_thread_id;
  if (!replied || (isTopic && message.is_topic_message)) {
    return message.quote ? { text: message.quote.text, ofBot: false } : undefined;
  }
  const text = message.quote?.text ?? readWords(replied, null).text;
  return { text, ofBot: replied.from !== undefined && String(replied.from.id) === self.id };
}

/** Without a topic in groups where a thread is only a chain of replies. */
function toPlace(chat: Chat, message: Pick<Message, "message_thread_id" | "is_topic_message">): ChatPlace {
  const title = chat.title ?? toName(chat);
  return {
    id: String(chat.id),
    kind: chat.type === "private" ? "direct" : "group",
    ...(message.is_topic_message &&
      message.message_thread_id !== undefined && { thread: String(message.message_thread_id) }),
    ...(title !== "" && { title }),
  };
}

/** A chat writes for an anonymous administrator, and for who writes as a channel. */
function toAuthor({ sender_chat: chat, from }: Message): DraftMessage["from"] | null {
  if (chat) return { id: String(chat.id), name: chat.title ?? "", isBot: false };
  return from ? toPerson(from) : null;
}

function toPerson(user: User): DraftMessage["from"] {
  return {
    id: String(user.id),
    name: toName(user),
    ...(user.username ? { handle: `@${user.username}` } : {}),
    isBot: user.is_bot,
  };
}

function toName({ first_name = "", last_name = "" }: Pick<Partial<User>, "first_name" | "last_name">): string {
  return `${first_name} ${last_name}`.trim();
}

function readFiles(content: Content, maxBytes: number): InboundFile[] {
  const { photo, sticker, document } = content;
  const isStill = sticker !== undefined && !sticker.is_animated && !sticker.is_video;
  return [
    // Sizes of one photo, from small to large.
    ...toFile("image", photo?.findLast(({ file_size = 0 }) => file_size <= maxBytes) ?? photo?.at(-1), "image/jpeg"),
    ...toFile("image", isStill ? sticker : undefined, "image/webp"),
    ...toFile("voice", content.voice, "audio/ogg"),
    ...toFile("file", content.audio, "audio/mpeg"),
    ...toFile("file", content.video ?? content.video_note, "video/mp4"),
    // An animation is a document too, for older bots.
    ...toFile("file", content.animation, "video/mp4"),
    ...toFile(
      IMAGE_TYPES.includes(document?.mime_type ?? "") ? "image" : "file",
      content.animation ? undefined : document,
      "application/octet-stream",
    ),
  ];
}

function toFile(kind: InboundFile["kind"], file: File | undefined, defaultType: string): InboundFile[] {
  if (!file) return [];
  return [
    {
      kind,
      ref: file.file_id,
      ...(file.file_name !== undefined && { name: file.file_name }),
      mediaType: file.mime_type ?? defaultType,
      ...(file.file_size !== undefined && { bytes: file.file_size }),
    },
  ];
}
