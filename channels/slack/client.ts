// Sends to Slack and fetches files from it. Called by channels/slack.ts. Never throws.
import type { Button, ChatAddress, OutFile, OutMessage, PlatformClient } from "../../core/channels/platform.ts";
import { clip } from "../../core/clip.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { InboundFile, InboundPress } from "../../core/schemas/channels/inbound.ts";
import { type UnknownObject, toObject } from "../../core/unknown-object.ts";
import { callApi } from "../support/call.ts";
import { type SlackChannel, callSlack, errorOf, isSlackUrl } from "./call-slack.ts";

/** [docs] Block Kit, "button" and "actions". */
const MAX_LABEL = 75;
/** A file takes longer than a message. */
const FILE_TIMEOUT_MS = 60_000;

/** Slack lets a bot write where it is a member only. */
const NOT_THERE: readonly string[] = ["not_in_channel", "channel_not_found"];
const THREAD_GONE: readonly string[] = ["thread_not_found", "cannot_reply_to_message"];

export function openClient(channel: SlackChannel, fileBytes: number): PlatformClient {
  const call = (method: string, json: object) => callSlack(channel, method, { json });
  const post = (to: ChatAddress, message: OutMessage) =>
    call("chat.postMessage", {
      ...{ channel: to.id, ...toContent(message) },
      // Showing a preview, Slack would ask any address that the agent was made to write.
      ...{ unfurl_links: false, unfurl_media: false },
      ...(to.thread !== undefined && { thread_ts: to.thread }),
    });

  return {
    async send(to, message) {
      const { thread: _, ...chat } = to;
      let sent = await post(to, message);
      if (THREAD_GONE.includes(errorOf(sent))) sent = await post(chat, message);
      const respond = to.context?.["respond"];
      if (NOT_THERE.includes(errorOf(sent)) && respond !== undefined) {
        const told = await answerAt(channel, respond, toContent(message));
        return told.ok ? ok({ id: null }) : told;
      }
      return toSent(sent);
    },

    async edit(to, id, message) {
      const edited = await call("chat.update", { channel: to.id, ts: id, ...toContent(message) });
      return edited.ok ? ok(null) : edited;
    },

    async typing(to) {
      const thread = to.thread ?? to.context?.["message"];
      if (thread === undefined) return ok(null);
      const status = { channel_id: to.id, thread_ts: thread, status: "is typing…" };
      const shown = await call("assistant.threads.setStatus", status);
      return shown.ok ? ok(null) : shown;
    },

    async sendFile(to, file) {
      const prepared = await prepareUpload(channel, file);
      if (!prepared.ok) return prepared;
      const put = await callApi(channel.deps, prepared.value.url, {
        ...{ method: "POST", headers: { "content-type": "application/octet-stream" } },
        ...{ body: file.bytes, timeoutMs: FILE_TIMEOUT_MS },
      });
      // Nobody sees the bytes before the upload is completed.
      if (!put.ok) return { ok: false, failure: { ...put.failure, facts: { ...put.failure.facts, maybeSent: false } } };
      const shared = await call("files.completeUploadExternal", {
        files: [{ id: prepared.value.id, title: file.name }],
        channel_id: to.id,
        ...(to.thread !== undefined && { thread_ts: to.thread }),
      });
      return shared.ok ? ok({ id: null }) : shared;
    },

    async fetchFile(file) {
      const url = await findFile(channel, file);
      if (!url.ok) return url;
      if (!isSlackUrl(channel, url.value)) return err("channel_refused", "The file is not on Slack's servers.");
      const headers = { authorization: `Bearer ${channel.fields.botToken}` };
      const got = await callApi(channel.deps, url.value, { headers, timeoutMs: FILE_TIMEOUT_MS, maxBytes: fileBytes });
      if (!got.ok) return got;
      // Without the scope, Slack answers 200 with the page for signing in.
      const isPage = got.value.headers.get("content-type")?.startsWith("text/html") === true;
      if (isPage && file.mediaType !== "text/html") {
        return err(
          "channel_refused",
          "Slack did not give the file. Add the scope files:read and install the app again.",
        );
      }
      return ok({ bytes: got.value.bytes, ...(file.mediaType !== undefined && { mediaType: file.mediaType }) });
    },

    async answerPress(press: InboundPress, text) {
      const respond = press.context?.["respond"];
      if (respond === undefined || text === "") return ok(null);
      return answerAt(channel, respond, { text, response_type: "ephemeral", replace_original: false });
    },

    /** A thread is the replies to a message: here, to one with the title. */
    async openThread(to, title) {
      const sent = await post({ id: to.id, kind: to.kind }, { text: `*${escape(title)}*` });
      if (!sent.ok) return sent;
      const thread = sent.value["ts"];
      return typeof thread === "string"
        ? ok({ thread })
        : err("channel_unavailable", "Slack did not name the message.");
    },

    async renameThread(to, title) {
      if (to.thread === undefined) return err("channel_refused", "The chat is not a thread.");
      const renamed = await call("chat.update", { channel: to.id, ts: to.thread, text: `*${escape(title)}*` });
      return renamed.ok ? ok(null) : renamed;
    },
  };
}

function toContent({ text, buttons = [] }: OutMessage): { text: string; blocks: object[] } {
  // An empty list takes the buttons away.
  if (buttons.length === 0) return { text, blocks: [] };
  const section = { type: "section", text: { type: "mrkdwn", text } };
  return { text, blocks: [section, { type: "actions", elements: buttons.map(toButton) }] };
}

function toButton({ label, token }: Button): object {
  const text = { type: "plain_text", text: clip(label, MAX_LABEL), emoji: true };
  return { type: "button", text, value: token, action_id: token };
}

/** Answers a slash command or a press at the address that came with it, which Slack takes for 30 minutes. */
async function answerAt(channel: SlackChannel, url: string, json: object): Promise<Result<null>> {
  if (!isSlackUrl(channel, url)) return err("channel_refused", "The address to answer at is not Slack's.");
  const told = await callApi(channel.deps, url, { json });
  return told.ok ? ok(null) : told;
}

async function prepareUpload(channel: SlackChannel, file: OutFile): Promise<Result<{ url: string; id: string }>> {
  const form = { filename: file.name, length: String(file.bytes.length) };
  const reply = await callSlack(channel, "files.getUploadURLExternal", { form });
  if (!reply.ok) return reply;
  const { upload_url: url, file_id: id } = reply.value;
  if (typeof url === "string" && typeof id === "string") return ok({ url, id });
  return err("channel_unavailable", "Slack did not say where to upload the file.");
}

async function findFile(channel: SlackChannel, { ref }: InboundFile): Promise<Result<string>> {
  if (!ref.startsWith("file:")) return ok(ref);
  const reply = await callSlack(channel, "files.info", { form: { file: ref.slice("file:".length) } });
  if (!reply.ok) return reply;
  const file = toObject(reply.value["file"]);
  const url = file["url_private_download"] ?? file["url_private"];
  return typeof url === "string" ? ok(url) : err("channel_refused", "Slack no longer has the file.");
}

function toSent(sent: Result<UnknownObject>): Result<{ id: string | null }> {
  if (!sent.ok) return sent;
  const id = sent.value["ts"];
  return ok({ id: typeof id === "string" ? id : null });
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
