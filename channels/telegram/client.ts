// Sends to Telegram and fetches files from it. Called by channels/telegram.ts. Never throws.
import type { Button, ChatAddress, OutFile, OutMessage, PlatformClient } from "../../core/channels/platform.ts";
import { clip } from "../../core/clip.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { InboundFile, InboundPress } from "../../core/schemas/channels/inbound.ts";
import { toObject } from "../../core/unknown-object.ts";
import { callApi } from "../support/call.ts";
import { toMultipart } from "../support/multipart.ts";
import { type TelegramChannel, callTelegram, toFileUrl } from "./call-telegram.ts";

/** [docs] Bot API, "createForumTopic" and "answerCallbackQuery". */
const MAX_TOPIC_NAME = 128;
const MAX_PRESS_TEXT = 200;
/** [own] Characters of the labels in a row of buttons. */
const MAX_ROW = 28;
/** A file takes longer than a message. */
const FILE_TIMEOUT_MS = 60_000;
/** [docs] Bot API, "Sending files". */
const MAX_PHOTO_BYTES = 10_000_000;

type Parameters = Record<string, unknown>;

export function openClient(channel: TelegramChannel, fileBytes: number): PlatformClient {
  const call = (method: string, json: Parameters) => callTelegram(channel, method, { json });

  return {
    async send(to, message) {
      const reply = message.replyTo === undefined ? null : toMessageId(message.replyTo);
      const parameters = {
        ...toText(message),
        ...(reply !== null && { reply_parameters: { message_id: reply, allow_sending_without_reply: true } }),
      };
      return toSent(await send(to, (place) => callWithText(call, "sendMessage", { ...place, ...parameters })));
    },

    async edit(to, id, message) {
      const parameters = { chat_id: to.id, message_id: toMessageId(id), ...toText(message) };
      const edited = await callWithText(call, "editMessageText", parameters);
      return edited.ok || descriptionOf(edited).includes("message is not modified") ? ok(null) : edited;
    },

    async typing(to) {
      return toNothing(await call("sendChatAction", { ...toPlace(to), action: "typing" }));
    },

    async sendFile(to, file) {
      const { method, field } = toFileMethod(file);
      const sent = await send(to, (place) => upload(channel, method, field, place, file));
      // Telegram takes photos, videos and sound of certain forms only, and documents of any.
      if (sent.ok || field === "document" || sent.failure.code !== "channel_refused") return toSent(sent);
      return toSent(await send(to, (place) => upload(channel, "sendDocument", "document", place, file)));
    },

    async fetchFile(file: InboundFile) {
      const found = await call("getFile", { file_id: file.ref });
      if (!found.ok) return found;
      const path = toObject(found.value)["file_path"];
      if (typeof path !== "string") return err("channel_refused", "Telegram no longer has the file.");
      const url = toFileUrl(channel, path);
      const got = await callApi(channel.deps, url, { timeoutMs: FILE_TIMEOUT_MS, maxBytes: fileBytes });
      if (!got.ok) return got;
      return ok({ bytes: got.value.bytes, ...(file.mediaType !== undefined && { mediaType: file.mediaType }) });
    },

    async answerPress(press: InboundPress, text) {
      const callback = press.context?.["callback"];
      if (callback === undefined) return ok(null);
      const shown = text === "" ? {} : { text: clip(text, MAX_PRESS_TEXT) };
      const answered = await call("answerCallbackQuery", { callback_query_id: callback, ...shown });
      // After a while nobody waits for the answer any more.
      return answered.ok || descriptionOf(answered).includes("query is too old") ? ok(null) : answered;
    },

    async openThread(to, title) {
      const opened = await call("createForumTopic", { chat_id: to.id, name: clip(title, MAX_TOPIC_NAME) });
      if (!opened.ok) return opened;
      const thread = toObject(opened.value)["message_thread_id"];
      if (typeof thread !== "number") return err("channel_unavailable", "Telegram did not name the new topic.");
      return ok({ thread: String(thread) });
    },

    async renameThread(to, title) {
      if (to.thread === undefined) return err("channel_refused", "The chat is not a forum topic.");
      const name = clip(title, MAX_TOPIC_NAME);
      const topic = { chat_id: to.id, message_thread_id: toMessageId(to.thread), name };
      const renamed = await call("editForumTopic", topic);
      return renamed.ok || descriptionOf(renamed).includes("TOPIC_NOT_MODIFIED") ? ok(null) : renamed;
    },
  };
}

/** Follows a group to its new id; writes to the chat itself where its topic was deleted. */
async function send(
  to: ChatAddress,
  attempt: (place: Parameters) => Promise<Result<unknown>>,
): Promise<Result<unknown>> {
  const sent = await attempt(toPlace(to));
  if (sent.ok) return sent;
  const movedTo = sent.failure.facts?.["movedTo"];
  if (typeof movedTo === "string") return attempt({ chat_id: movedTo });
  const isGone = to.thread !== undefined && descriptionOf(sent).includes("message thread not found");
  return isGone ? attempt({ chat_id: to.id }) : sent;
}

/** A text whose tags Telegram refuses is sent without them. */
async function callWithText(
  call: (method: string, json: Parameters) => Promise<Result<unknown>>,
  method: string,
  parameters: Parameters & { text: string },
): Promise<Result<unknown>> {
  const sent = await call(method, parameters);
  if (sent.ok || !descriptionOf(sent).includes("can't parse entities")) return sent;
  const { parse_mode: _, ...plain } = parameters as Parameters & { text: string; parse_mode?: string };
  return call(method, { ...plain, text: toPlainText(parameters.text) });
}

function toText({ text, buttons = [] }: OutMessage) {
  return {
    text,
    parse_mode: "HTML",
    // Showing a preview, Telegram would ask any address that the agent was made to write.
    link_preview_options: { is_disabled: true },
    ...(buttons.length > 0 && { reply_markup: { inline_keyboard: toRows(buttons) } }),
  };
}

function toRows(buttons: readonly Button[]): { text: string; callback_data: string }[][] {
  const rows: { text: string; callback_data: string }[][] = [];
  let room = 0;
  for (const { label, token } of buttons) {
    const button = { text: label, callback_data: token };
    if (label.length > room) {
      rows.push([button]);
      room = MAX_ROW - label.length;
    } else {
      rows.at(-1)!.push(button);
      room -= label.length;
    }
  }
  return rows;
}

/** The text of Telegram's HTML, with the addresses of its links. */
export function toPlainText(html: string): string {
  return html
    .replace(/<a href="([^"<>]*)">([^<>]*)<\/a>/g, (_, url: string, text: string) =>
      text === url ? url : `${text} (${url})`,
    )
    .replace(/<\/?[a-z][^<>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

function toFileMethod({ mediaType, bytes }: OutFile): { method: string; field: string } {
  if (/^image\/(jpeg|png|webp)$/.test(mediaType) && bytes.length <= MAX_PHOTO_BYTES) {
    return { method: "sendPhoto", field: "photo" };
  }
  if (mediaType === "image/gif") return { method: "sendAnimation", field: "animation" };
  if (mediaType === "video/mp4") return { method: "sendVideo", field: "video" };
  if (mediaType === "audio/ogg") return { method: "sendVoice", field: "voice" };
  if (mediaType === "audio/mpeg" || mediaType === "audio/mp4") return { method: "sendAudio", field: "audio" };
  return { method: "sendDocument", field: "document" };
}

async function upload(channel: TelegramChannel, method: string, field: string, place: Parameters, file: OutFile) {
  const fields = Object.fromEntries(Object.entries(place).map(([name, value]) => [name, String(value)]));
  const form = await toMultipart(fields, field, file);
  return callTelegram(channel, method, { method: "POST", ...form, timeoutMs: FILE_TIMEOUT_MS });
}

function toPlace(to: ChatAddress): Parameters {
  return { chat_id: to.id, ...(to.thread !== undefined && { message_thread_id: toMessageId(to.thread) }) };
}

/** Telegram's ids of messages are numbers, the interface's texts. */
function toMessageId(id: string): number {
  return Number(id);
}

function toSent(sent: Result<unknown>): Result<{ id: string | null }> {
  if (!sent.ok) return sent;
  const id = toObject(sent.value)["message_id"];
  return ok({ id: typeof id === "number" ? String(id) : null });
}

function toNothing(done: Result<unknown>): Result<null> {
  return done.ok ? ok(null) : done;
}

function descriptionOf(failed: Result<unknown>): string {
  const description = failed.ok ? "" : failed.failure.facts?.["description"];
  return typeof description === "string" ? description : "";
}
