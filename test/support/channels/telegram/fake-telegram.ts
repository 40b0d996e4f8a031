// Telegram's Bot API as one function, with the chats, topics, files and updates behind it. Real enough that grammy drives it over HTTP
// (start-fake-telegram.ts) and that channels/telegram.ts is judged by it. Several bots share the chats, as on Telegram.
import type { Message, Update, User } from "@grammyjs/types";
import type { SentFile } from "../fixture.ts";
import { answerError, answerOk, parseHtml, readParameters } from "./telegram-forms.ts";

export interface FakeMessage {
  id: number;
  chat: number;
  thread?: number;
  /** The text without tags, and as it was sent. */
  text: string;
  html: string;
  buttons: { label: string; token: string }[];
  replyTo?: number;
  /** Its texts from the first one on. */
  history: string[];
}

type Parameters = Record<string, unknown>;
type Method = (parameters: Parameters, bot: FakeBot) => Response | Promise<Response>;
/** Answers in place of the server; `null`: it does not. */
export type TelegramFault = (
  method: string,
  parameters: Parameters,
  bot: FakeBot,
) => Response | Promise<Response> | null;

export interface FakeBot {
  token: string;
  user: User;
  messages: FakeMessage[];
  files: SentFile[];
  typingSigns: number;
  answeredPresses: string[];
  commands: { command: string; description: string }[];
  webhook: { url: string; secret_token?: string; allowed_updates?: string[] } | null;
  /** Not yet fetched by `getUpdates`, or not yet taken by the webhook. */
  updates: Update[];
  /** Open presses by the ids of their queries. */
  queries: Set<string>;
  wake(): void;
}

export type FakeTelegram = ReturnType<typeof createFakeTelegram>;

const MAX_TEXT = 4_096;
const MAX_FILE = 20_000_000;

export function createFakeTelegram(now: () => number = Date.now) {
  const bots = new Map<string, FakeBot>();
  const files = new Map<string, Uint8Array>();
  const topics = new Map<string, string>();
  const movedChats = new Map<number, number>();
  let fault: TelegramFault | null = null;
  let count = 1_000;

  const methods: Record<string, Method> = {
    getMe: (_, bot) => answerOk(bot.user),

    setWebhook({ url, secret_token, allowed_updates }, bot) {
      if (typeof url !== "string" || !URL.canParse(url))
        return answerError(400, "Bad Request: bad webhook: invalid URL");
      bot.webhook = { url, ...({ secret_token, allowed_updates } as object) };
      bot.wake();
      return answerOk(true);
    },
    deleteWebhook(_, bot) {
      bot.webhook = null;
      return answerOk(true);
    },
    getWebhookInfo: (_, bot) => answerOk({ url: bot.webhook?.url ?? "", pending_update_count: bot.updates.length }),

    async getUpdates({ offset = 0, timeout = 0, limit = 100 }, bot) {
      if (bot.webhook) {
        const words =
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        return answerError(409, `Conflict: ${words}`);
      }
      bot.updates = bot.updates.filter(({ update_id }) => update_id >= Number(offset));
      if (bot.updates.length === 0 && Number(timeout) > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Number(timeout) * 1_000);
          bot.wake = () => (clearTimeout(timer), resolve());
        });
      }
      return answerOk(bot.updates.slice(0, Number(limit)));
    },

    setMyCommands({ commands }, bot) {
      bot.commands = commands as FakeBot["commands"];
      const isGood = bot.commands.every(({ command }) => /^[a-z0-9_]{1,32}$/.test(command));
      return isGood ? answerOk(true) : answerError(400, "Bad Request: BOT_COMMAND_INVALID");
    },

    sendMessage(parameters, bot) {
      const text = readText(parameters);
      if (text instanceof Response) return text;
      const place = readPlace(parameters);
      if (place instanceof Response) return place;
      const buttons = readButtons(parameters);
      if (buttons instanceof Response) return buttons;
      const reply = (parameters["reply_parameters"] as { message_id?: number } | undefined)?.message_id;
      const message: FakeMessage = {
        ...{ id: ++count, ...place, ...text, buttons, history: [text.text] },
        ...(reply !== undefined && { replyTo: reply }),
      };
      bot.messages.push(message);
      return answerOk(toMessage(message, bot));
    },

    editMessageText(parameters, bot) {
      const message = bot.messages.find(
        ({ id, chat }) => id === Number(parameters["message_id"]) && chat === Number(parameters["chat_id"]),
      );
      if (!message) return answerError(400, "Bad Request: message to edit not found");
      const text = readText(parameters);
      if (text instanceof Response) return text;
      const buttons = readButtons(parameters);
      if (buttons instanceof Response) return buttons;
      if (text.text === message.text && JSON.stringify(buttons) === JSON.stringify(message.buttons)) {
        const words = "specified new message content and reply markup are exactly the same as a current content";
        return answerError(400, `Bad Request: message is not modified: ${words}`);
      }
      Object.assign(message, text, { buttons });
      message.history.push(text.text);
      return answerOk(toMessage(message, bot));
    },

    sendChatAction(parameters, bot) {
      const place = readPlace(parameters);
      if (place instanceof Response) return place;
      bot.typingSigns++;
      return answerOk(true);
    },

    answerCallbackQuery({ callback_query_id, text = "" }, bot) {
      if (!bot.queries.delete(String(callback_query_id))) {
        return answerError(400, "Bad Request: query is too old and response timeout expired or query ID is invalid");
      }
      bot.answeredPresses.push(text as string);
      return answerOk(true);
    },

    getFile({ file_id }) {
      const bytes = files.get(String(file_id));
      if (!bytes) return answerError(400, "Bad Request: wrong file_id or the file is temporarily unavailable");
      if (bytes.length > MAX_FILE) return answerError(400, "Bad Request: file is too big");
      return answerOk({ file_id, file_size: bytes.length, file_path: `documents/${file_id as string}` });
    },

    createForumTopic({ chat_id, name }) {
      const thread = ++count;
      topics.set(`${chat_id as number}/${thread}`, name as string);
      return answerOk({ message_thread_id: thread, name, icon_color: 7322096 });
    },
    editForumTopic({ chat_id, message_thread_id, name }) {
      const topic = `${chat_id as number}/${message_thread_id as number}`;
      if (!topics.has(topic)) return answerError(400, "Bad Request: message thread not found");
      if (topics.get(topic) === name) return answerError(400, "Bad Request: TOPIC_NOT_MODIFIED");
      topics.set(topic, name as string);
      return answerOk(true);
    },
  };
  for (const field of ["photo", "document", "animation", "video", "audio", "voice"]) {
    methods[`send${field[0]!.toUpperCase()}${field.slice(1)}`] = (parameters, bot) => takeFile(field, parameters, bot);
  }

  async function takeFile(field: string, parameters: Parameters, bot: FakeBot): Promise<Response> {
    const file = parameters[field];
    if (!(file instanceof File)) return answerError(400, `Bad Request: there is no ${field} in the request`);
    const place = readPlace(parameters);
    if (place instanceof Response) return place;
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (field === "photo" && !isPicture(bytes)) return answerError(400, "Bad Request: IMAGE_PROCESS_FAILED");
    const thread = place.thread === undefined ? {} : { thread: String(place.thread) };
    bot.files.push({ chat: String(place.chat), ...thread, name: file.name, bytes });
    return answerOk({ message_id: ++count, date: seconds(), chat: toChat(place.chat), from: bot.user });
  }

  function readText(parameters: Parameters): { text: string; html: string } | Response {
    const html = parameters["text"];
    if (typeof html !== "string" || html.trim() === "") return answerError(400, "Bad Request: message text is empty");
    const parsed = parameters["parse_mode"] === "HTML" ? parseHtml(html) : { text: html };
    if (parsed.problem) return answerError(400, `Bad Request: can't parse entities: ${parsed.problem}`);
    if (parsed.text.length > MAX_TEXT) return answerError(400, "Bad Request: message is too long");
    return { text: parsed.text, html };
  }

  function readPlace({ chat_id, message_thread_id }: Parameters): { chat: number; thread?: number } | Response {
    const chat = Number(chat_id);
    if (!Number.isSafeInteger(chat) || chat === 0) return answerError(400, "Bad Request: chat not found");
    const movedTo = movedChats.get(chat);
    if (movedTo !== undefined) {
      const words = "Bad Request: group chat was upgraded to a supergroup chat";
      return answerError(400, words, { migrate_to_chat_id: movedTo });
    }
    if (message_thread_id === undefined) return { chat };
    const thread = Number(message_thread_id);
    return topics.has(`${chat}/${thread}`)
      ? { chat, thread }
      : answerError(400, "Bad Request: message thread not found");
  }

  function readButtons({ reply_markup }: Parameters): FakeMessage["buttons"] | Response {
    const rows = (reply_markup as { inline_keyboard?: { text: string; callback_data: string }[][] } | undefined)
      ?.inline_keyboard;
    const buttons = (rows ?? []).flat().map(({ text, callback_data }) => ({ label: text, token: callback_data }));
    const isGood = buttons.every(({ token }) => token.length > 0 && Buffer.byteLength(token) <= 64);
    return isGood ? buttons : answerError(400, "Bad Request: BUTTON_DATA_INVALID");
  }

  function toMessage({ id, chat, thread, text }: FakeMessage, bot: FakeBot): Message {
    const place = thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true };
    return { message_id: id, date: seconds(), chat: toChat(chat), from: bot.user, text, ...place } as Message;
  }

  function seconds(): number {
    return Math.floor(now() / 1_000);
  }

  return {
    bots,
    topics,
    nextId: () => ++count,
    addFile(bytes: Uint8Array): string {
      const id = `file-${++count}`;
      files.set(id, bytes);
      return id;
    },
    addTopic: (chat: number, thread: number, name: string) => void topics.set(`${chat}/${thread}`, name),
    /** From now on the group has another id. */
    moveChat: (from: number, to: number) => void movedChats.set(from, to),
    addBot(token: string, username: string): FakeBot {
      const id = Number(token.split(":")[0]);
      const user: User = { id, is_bot: true, first_name: username, username };
      const bot: FakeBot = {
        ...{ token, user, messages: [], files: [], typingSigns: 0, answeredPresses: [], commands: [] },
        ...{ webhook: null, updates: [], queries: new Set<string>(), wake() {} },
      };
      bots.set(token, bot);
      return bot;
    },
    setFault: (next: TelegramFault | null) => void (fault = next),
    /** `path`: with the query, below the server's address. */
    async serve(path: string, init: { headers: Headers; body: Uint8Array }): Promise<Response> {
      const url = new URL(path, "http://telegram");
      const [, isFile, token = "", rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
      const bot = bots.get(decodeURIComponent(token));
      if (!bot) return answerError(401, "Unauthorized");
      if (isFile) {
        const bytes = files.get(rest.replace(/^documents\//, ""));
        return bytes ? new Response(bytes.slice()) : answerError(404, "Not Found");
      }
      const parameters = await readParameters(init.headers, init.body, url.searchParams);
      const answer = await fault?.(rest, parameters, bot);
      if (answer) return answer;
      const method = methods[rest];
      return method ? method(parameters, bot) : answerError(404, "Not Found: method not found");
    },
  };
}

/** Groups have negative ids. */
export function toChat(id: number) {
  if (id > 0) return { id, type: "private" as const, first_name: `Person ${id}` };
  return { id, type: "supergroup" as const, title: `Group ${-id}`, is_forum: true as const };
}

function isPicture(bytes: Uint8Array): boolean {
  return bytes[0] === 0x89 || bytes[0] === 0xff || bytes[0] === 0x52;
}
