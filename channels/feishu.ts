// Feishu and Lark: signed, encrypted or plain events in, cards out. Loaded by channels/index.ts. Keeps nothing.
// https://open.feishu.cn/document/server-docs/event-subscription-guide/overview
import * as z from "zod";
import { clip } from "../core/clip.ts";
import type {
  ChannelRequest,
  ChatAddress,
  OpenChannel,
  OutMessage,
  Platform,
  PlatformClient,
} from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import type { InboundEvent, InboundFile } from "../core/schemas/channels/inbound.ts";
import { FeishuFields, callFeishu } from "./feishu/api.ts";
import { describe, inUrl, refused } from "./support/call.ts";
import {
  concatBytes,
  decryptBlocks,
  digest,
  readBase64,
  removePadding,
  toBytes,
  toHex,
  toText,
} from "./support/crypto.ts";
import { FRESH_MS, isFresh, readJson, readTime, toMessage, toPress, toTime } from "./support/events.ts";
import { toForm } from "./support/fields.ts";
import { toMultipart } from "./support/multipart.ts";

/** [own] A card may have 30 KB, of which buttons and JSON take a part. */
const TEXT_BYTES = 20_000;
/** [own] Of one card; the platform allows more. */
const MAX_BUTTONS = 10;
/** [Feishu] Waits three seconds for the answer to an event. */
const ASK_TIMEOUT_MS = 2_000;
const Header = z.object({
  event_id: z.string(),
  event_type: z.string(),
  create_time: z.string().optional(),
  token: z.string(),
  app_id: z.string(),
});
const Mention = z.object({
  key: z.string(),
  name: z.string().optional(),
  id: z.object({ open_id: z.string().optional() }).optional(),
});
type Mention = z.infer<typeof Mention>;
const MessageEvent = z.object({
  sender: z.object({ sender_id: z.object({ open_id: z.string() }), sender_type: z.string() }),
  message: z.object({
    message_id: z.string(),
    root_id: z.string().optional(),
    parent_id: z.string().optional(),
    thread_id: z.string().optional(),
    create_time: z.string().optional(),
    chat_id: z.string(),
    chat_type: z.string(),
    message_type: z.string(),
    content: z.string(),
    mentions: z.array(z.unknown()).optional(),
  }),
});
const Value = z.object({ token: z.string(), kind: z.enum(["direct", "group"]), thread: z.string().optional() });
const ActionEvent = z.object({
  operator: z.object({ open_id: z.string() }),
  action: z.object({ value: z.unknown() }),
  context: z.object({ open_message_id: z.string(), open_chat_id: z.string() }),
});
const Node = z.object({
  tag: z.string(),
  text: z.string().optional(),
  href: z.string().optional(),
  user_id: z.string().optional(),
  image_key: z.string().optional(),
});
const Content = z.object({
  text: z.string().optional(),
  title: z.string().optional(),
  content: z.array(z.array(z.unknown())).optional(),
  image_key: z.string().optional(),
  file_key: z.string().optional(),
  file_name: z.string().optional(),
});

export const feishu: Platform<FeishuFields> = {
  name: "feishu",
  title: "Feishu / Lark",
  fields: FeishuFields,
  form: toForm(FeishuFields),
  steps: [
    "Create a custom app, add the bot to it, and grant im:message, im:message:send_as_bot and im:resource.",
    "Set the channel up here first. Then enter {address} as the request URL of events and of callbacks, and subscribe to im.message.receive_v1 and card.action.trigger.",
    "Publish a version of the app.",
  ],
  capabilities: {
    edit: true,
    typing: false,
    buttons: MAX_BUTTONS,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: true,
    replies: true,
    redactsIds: true,
  },
  limits: { text: TEXT_BYTES, textUnit: "bytes", fileBytes: 16_000_000, editEveryMs: 1_000, typingMs: 0 },
  flavour: "markdown",
  pairs: true,

  async verify(request, { fields, deps }) {
    const text = await readBody(request, fields.encryptKey);
    const posted = text === null ? undefined : readJson(text);
    if (text === null || posted === undefined) return null;
    // The challenge is not signed: it is encrypted, and has the token.
    const challenge = z.object({ type: z.literal("url_verification"), token: z.string() }).safeParse(posted).data;
    if (challenge) return deps.isSame(challenge.token, fields.verificationToken) ? { text } : null;
    const header = z.object({ header: Header }).safeParse(posted).data?.header;
    const hasToken = deps.isSame(header?.token ?? "", fields.verificationToken);
    const isSigned = !fields.encryptKey || (await isSignatureRight(request, fields.encryptKey, deps));
    return hasToken && isSigned && header?.app_id === fields.appId ? { text } : null;
  },

  async parse({ text }, channel) {
    const posted = readJson(text);
    const challenge = z.object({ challenge: z.string() }).safeParse(posted).data?.challenge;
    const reply = {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(challenge === undefined ? {} : { challenge }),
    };
    const event = z.object({ header: Header, event: z.unknown() }).safeParse(posted).data;
    if (event?.header.event_type === "im.message.receive_v1")
      return { events: await readMessage(event, channel), reply };
    if (event?.header.event_type === "card.action.trigger") return { events: readPress(event, channel), reply };
    return { events: [], reply };
  },

  open: openClient,

  async probe(channel) {
    const reply = await callFeishu(channel, "/open-apis/bot/v3/info");
    if (!reply.ok) return reply;
    const bot = z.object({ bot: z.object({ open_id: z.string(), app_name: z.string() }) }).safeParse(reply.value.json)
      .data?.bot;
    return bot ? ok({ id: bot.open_id, name: bot.app_name }) : refused(describe(reply.value));
  },
};

/** `null`: it should be encrypted and is not, or with another key. */
async function readBody({ body }: ChannelRequest, encryptKey: string | undefined): Promise<string | null> {
  const text = toText(body);
  if (encryptKey === undefined) return text;
  const encrypted = z.object({ encrypt: z.string() }).safeParse(readJson(text)).data?.encrypt;
  const bytes = encrypted === undefined ? null : readBase64(encrypted);
  if (!bytes) return null;
  const plain = await decryptBlocks(await digest("SHA-256", encryptKey), bytes.subarray(0, 16), bytes.subarray(16));
  const content = plain && removePadding(plain, 16);
  return content && toText(content);
}

async function isSignatureRight(
  { headers, body }: ChannelRequest,
  encryptKey: string,
  deps: OpenChannel["deps"],
): Promise<boolean> {
  const timestamp = headers["x-lark-request-timestamp"] ?? "";
  const signed = concatBytes([toBytes(timestamp + (headers["x-lark-request-nonce"] ?? "") + encryptKey), body]);
  const isRight = deps.isSame(headers["x-lark-signature"] ?? "", toHex(await digest("SHA-256", signed)));
  return isRight && isFresh(deps.clock, readTime(timestamp) * 1_000, FRESH_MS);
}

type Received = { header: z.infer<typeof Header>; event?: unknown };

async function readMessage({ header, event }: Received, channel: OpenChannel<FeishuFields>): Promise<InboundEvent[]> {
  const read = MessageEvent.safeParse(event).data;
  if (!read) return [];
  const { sender, message } = read;
  const isDirect = message.chat_type === "p2p";
  const mentions = (message.mentions ?? []).flatMap((mention) => Mention.safeParse(mention).data ?? []);
  const isMentioned = mentions.some(({ id }) => id?.open_id !== undefined && id.open_id === channel.self?.id);
  const replyTo = message.parent_id === undefined ? undefined : await fetchReplied(channel, message.parent_id);
  const content = Content.safeParse(readJson(message.content)).data ?? {};
  return toMessage({
    id: header.event_id,
    chat: {
      id: message.chat_id,
      kind: isDirect ? "direct" : "group",
      // A thread is answered by its first message.
      thread: message.thread_id === undefined ? undefined : (message.root_id ?? message.message_id),
    },
    from: { id: sender.sender_id.open_id, isBot: sender.sender_type !== "user" },
    at: toTime(readTime(message.create_time ?? header.create_time), channel.deps.clock),
    text: nameMentions(readText(content), mentions, channel.self?.id),
    addressed: isDirect || isMentioned || replyTo?.ofBot === true,
    message: message.message_id,
    replyTo,
    files: readFiles(message.message_id, message.message_type, content),
  });
}

function readPress({ header, event }: Received, { deps }: OpenChannel<FeishuFields>): InboundEvent[] {
  const read = ActionEvent.safeParse(event).data;
  const value = Value.safeParse(read?.action.value).data;
  if (!read || !value) return [];
  return toPress({
    id: header.event_id,
    chat: { id: read.context.open_chat_id, kind: value.kind, thread: value.thread },
    from: { id: read.operator.open_id },
    at: toTime(readTime(header.create_time), deps.clock),
    token: value.token,
    message: read.context.open_message_id,
  });
}

function readText({ text, title, content = [] }: z.infer<typeof Content>): string {
  if (text !== undefined) return text;
  const lines = content.map((line) => line.map((raw) => toWords(Node.safeParse(raw).data)).join(""));
  return [title, ...lines].filter(Boolean).join("\n");
}

function toWords(node: z.infer<typeof Node> | undefined): string {
  if (node?.tag === "at") return node.user_id ?? "";
  if (node?.tag === "a" && node.href) return `[${node.text ?? node.href}](${node.href})`;
  return node?.text ?? "";
}

/** Mentions are placeholders, such as `@_user_1`. The bot's own are taken away. */
function nameMentions(text: string, mentions: Mention[], selfId: string | undefined): string {
  const longestFirst = mentions.toSorted((a, b) => b.key.length - a.key.length).filter(({ key }) => key !== "");
  const isOwn = ({ id }: Mention) => id?.open_id !== undefined && id.open_id === selfId;
  const named = longestFirst.reduce(
    (left, mention) => left.replaceAll(mention.key, () => (isOwn(mention) ? "" : `@${mention.name ?? ""}`)),
    text,
  );
  return mentions.some(isOwn) ? named.trim() : named;
}

function readFiles(message: string, type: string, content: z.infer<typeof Content>): InboundFile[] {
  const inText = (content.content ?? []).flat().flatMap((raw) => Node.safeParse(raw).data?.image_key ?? []);
  const images = [content.image_key, ...inText].filter((key) => key !== undefined);
  const file = type === "media" ? undefined : content.file_key;
  return [
    ...(type === "media"
      ? []
      : images.map((key) => ({ kind: "image" as const, ref: JSON.stringify({ message, key, type: "image" }) }))),
    ...[file, type === "media" ? content.file_key : undefined]
      .filter((key) => key !== undefined)
      .map((key) => ({
        kind: type === "audio" ? ("voice" as const) : ("file" as const),
        ref: JSON.stringify({ message, key, type: "file" }),
        name: content.file_name,
      })),
  ];
}

async function fetchReplied(channel: OpenChannel<FeishuFields>, id: string) {
  const reply = await callFeishu(channel, `/open-apis/im/v1/messages/${inUrl(id)}`, {
    timeoutMs: ASK_TIMEOUT_MS,
  });
  const Items = z.object({
    items: z.array(z.object({ sender: z.object({ id: z.string() }), body: z.object({ content: z.string() }) })),
  });
  const item = z.object({ data: Items }).safeParse(reply.ok ? reply.value.json : undefined).data?.data.items[0];
  if (!item) return undefined;
  const content = Content.safeParse(readJson(item.body.content)).data;
  return { text: content ? readText(content) : "", ofBot: item.sender.id === channel.fields.appId };
}

function openClient(channel: OpenChannel<FeishuFields>): PlatformClient {
  const { deps } = channel;

  async function post(
    to: ChatAddress,
    type: string,
    content: unknown,
    replyTo?: string,
  ): Promise<Result<{ id: string | null }>> {
    // The platform takes a repeated request with the same uuid once.
    const message = { msg_type: type, content: JSON.stringify(content), uuid: deps.uuid() };
    const answered = replyTo ?? to.thread;
    const reply = answered
      ? await callFeishu(channel, `/open-apis/im/v1/messages/${inUrl(answered)}/reply`, {
          json: { ...message, reply_in_thread: to.thread !== undefined },
        })
      : await callFeishu(channel, "/open-apis/im/v1/messages?receive_id_type=chat_id", {
          json: { ...message, receive_id: to.id },
        });
    if (!reply.ok) return reply;
    const sent = z.object({ data: z.object({ message_id: z.string() }) }).safeParse(reply.value.json);
    return ok({ id: sent.data?.data.message_id ?? null });
  }

  const client: PlatformClient = {
    send: (to, message) => post(to, "interactive", toCard(to, message), message.replyTo),

    async edit(to, id, message) {
      const json = { content: JSON.stringify(toCard(to, message)) };
      const reply = await callFeishu(channel, `/open-apis/im/v1/messages/${inUrl(id)}`, {
        method: "PATCH",
        json,
      });
      return reply.ok ? ok(null) : reply;
    },

    async sendFile(to, file) {
      const isImage = file.mediaType.startsWith("image/");
      const form = isImage
        ? await toMultipart({ image_type: "message" }, "image", file)
        : await toMultipart({ file_type: "stream", file_name: file.name }, "file", file);
      const uploaded = await callFeishu(channel, `/open-apis/im/v1/${isImage ? "images" : "files"}`, {
        method: "POST",
        ...form,
      });
      if (!uploaded.ok) return uploaded;
      const Keys = z.object({ image_key: z.string().optional(), file_key: z.string().optional() });
      const keys = z.object({ data: Keys }).safeParse(uploaded.value.json).data?.data;
      return keys ? post(to, isImage ? "image" : "file", keys) : refused(describe(uploaded.value));
    },

    async fetchFile({ ref, mediaType }) {
      const {
        message = "",
        key = "",
        type = "",
      } = z.record(z.string(), z.string()).safeParse(readJson(ref)).data ?? {};
      const path = `/open-apis/im/v1/messages/${inUrl(message)}/resources/${inUrl(key)}`;
      const reply = await callFeishu(channel, `${path}?type=${inUrl(type)}`, {
        maxBytes: feishu.limits.fileBytes,
      });
      if (!reply.ok) return reply;
      return ok({
        bytes: reply.value.bytes,
        mediaType: mediaType ?? reply.value.headers.get("content-type") ?? undefined,
      });
    },

    /** A thread begins with a message: its title. */
    async openThread(to, title) {
      const sent = await client.send({ ...to, thread: undefined }, { text: title });
      if (!sent.ok) return sent;
      return sent.value.id === null ? refused("The message has no id.") : ok({ thread: sent.value.id });
    },
  };
  return client;
}

/** `<at id=all></at>` would call everybody, and some clients read it in code too. An invisible character keeps the mark apart. */
function withoutCalls(text: string): string {
  return text.replaceAll(/<(?=at[\s>])/gi, "<\u200B");
}

function toCard({ kind, thread }: ChatAddress, { text, buttons = [] }: OutMessage): Record<string, unknown> {
  const actions = buttons.slice(0, MAX_BUTTONS).map(({ label, token }) => ({
    tag: "button",
    text: { tag: "plain_text", content: clip(label, 100) },
    value: { token, kind, ...(thread ? { thread } : {}) },
  }));
  const row = actions.length > 0 ? [{ tag: "action", actions }] : [];
  return {
    config: { update_multi: true, wide_screen_mode: true },
    elements: [{ tag: "markdown", content: withoutCalls(text) }, ...row],
  };
}
