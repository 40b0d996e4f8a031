// What people do on the fake Telegram, as the updates that Telegram makes of it. Used by the fixture of the conformance kit and by the
// test of the whole story.
import type { Message, Update, User } from "@grammyjs/types";
import type { SaidFile } from "../fixture.ts";
import { type FakeBot, type FakeTelegram, toChat } from "./fake-telegram.ts";
import { findEntities } from "./telegram-forms.ts";

export interface Written {
  from: User;
  chat: number;
  text: string;
  at: number;
  update?: number;
  message?: number;
  thread?: number;
  edited?: boolean;
  repliesTo?: { text: string; from: User };
  files?: readonly SaidFile[];
  /** More fields of the message, as Telegram names them. */
  more?: object;
}

export function toPerson(id: number, name: string, isBot = false): User {
  return { id, is_bot: isBot, first_name: name, username: `${name}_tg` };
}

export function toMessageUpdate(fake: FakeTelegram, written: Written): Update {
  const { from, chat, text, thread, files = [], repliesTo } = written;
  const date = Math.floor(written.at / 1_000);
  const words = text === "" ? {} : toWords(text, files.length > 0);
  if (thread !== undefined && !fake.topics.has(`${chat}/${thread}`)) fake.addTopic(chat, thread, "A topic");
  const topic = thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true };
  // In a topic, what replies to nothing replies to the topic's first notice.
  const begun = {
    message_id: thread,
    date,
    chat: toChat(chat),
    from,
    forum_topic_created: { name: "A topic", icon_color: 1 },
  };
  const replied = repliesTo
    ? { message_id: fake.nextId(), date, chat: toChat(chat), from: repliesTo.from, text: repliesTo.text }
    : thread === undefined
      ? undefined
      : begun;
  const message = {
    ...{ message_id: written.message ?? fake.nextId(), date, chat: toChat(chat), from, ...topic, ...words },
    ...(replied && { reply_to_message: replied }),
    ...Object.assign({}, ...files.map((file) => toFile(fake, file))),
    ...(written.edited && { edit_date: date }),
    ...written.more,
  } as unknown as Message;
  const update_id = written.update ?? fake.nextId();
  return (written.edited ? { update_id, edited_message: message } : { update_id, message }) as Update;
}

export function toPressUpdate(
  fake: FakeTelegram,
  bot: FakeBot,
  pressed: { from: User; chat: number; message: number; token: string; at: number; update?: number; thread?: number },
): Update {
  const query = `query-${pressed.update ?? fake.nextId()}`;
  bot.queries.add(query);
  const topic = pressed.thread === undefined ? {} : { message_thread_id: pressed.thread, is_topic_message: true };
  const message = {
    message_id: pressed.message,
    chat: toChat(pressed.chat),
    date: Math.floor(pressed.at / 1_000),
    ...topic,
  };
  return {
    update_id: pressed.update ?? fake.nextId(),
    callback_query: { id: query, from: pressed.from, chat_instance: "1", data: pressed.token, message },
  } as unknown as Update;
}

function toWords(text: string, isCaption: boolean): object {
  const entities = findEntities(text);
  if (isCaption) return { caption: text, ...(entities.length > 0 && { caption_entities: entities }) };
  return { text, ...(entities.length > 0 && { entities }) };
}

function toFile(fake: FakeTelegram, { kind, name, mediaType, bytes }: SaidFile): object {
  const file = { file_id: fake.addFile(bytes), file_unique_id: "u", file_size: bytes.length };
  if (kind === "voice") return { voice: { ...file, duration: 1, mime_type: mediaType } };
  if (kind === "file") return { document: { ...file, file_name: name, mime_type: mediaType } };
  const small = { ...file, file_id: fake.addFile(new Uint8Array(3)), file_size: 3, width: 90, height: 90 };
  return { photo: [small, { ...file, width: 800, height: 800 }] };
}
