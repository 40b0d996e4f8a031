// LINE by the Messaging API: signed webhooks in, reply and push messages out. Loaded by channels/index.ts. Keeps nothing.
// https://developers.line.biz/en/reference/messaging-api/
import * as z from "zod";
import { clip } from "../core/clip.ts";
import type { ChatAddress, OpenChannel, OutMessage, Platform, PlatformClient } from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import type { InboundEvent, InboundFile } from "../core/schemas/channels/inbound.ts";
import { type ApiReply, type ApiRequest, callApi, describe, inUrl, refused } from "./support/call.ts";
import { hmac, toBase64, toText } from "./support/crypto.ts";
import { readJson, toMessage, toPress, toTime } from "./support/events.ts";
import { secret, toForm } from "./support/fields.ts";

const Fields = z.strictObject({
  channelSecret: secret("The channel secret, from the tab Basic settings of the Messaging API channel."),
  channelAccessToken: secret("A long-lived channel access token, from the tab Messaging API."),
});
type Fields = z.infer<typeof Fields>;

const API = "https://api.line.me";
const DATA_API = "https://api-data.line.me";
/** [LINE] A reply token works once and within a minute. */
const REPLY_WITHIN_MS = 50_000;
/** [LINE] Most quick replies of a message, and the characters of a label. */
const BUTTONS = { most: 13, label: 20 };
/** [LINE] The longest loading sign. */
const LOADING_SECONDS = 20;
/** [own] A person waits for the answer to the request that asks for a name. */
const NAME_TIMEOUT_MS = 3_000;
const NAME_KEPT_MS = 24 * 60 * 60_000;

const Source = z.object({ userId: z.string(), groupId: z.string().optional(), roomId: z.string().optional() });
type Source = z.infer<typeof Source>;
const Mentionee = z.object({ index: z.int(), length: z.int(), isSelf: z.boolean().optional() });
const Message = z.object({
  id: z.string(),
  type: z.string(),
  text: z.string().optional(),
  fileName: z.string().optional(),
  fileSize: z.int().min(0).optional(),
  quoteToken: z.string().optional(),
  imageSet: z
    .object({ id: z.string().min(1) })
    .optional()
    .catch(undefined),
  mention: z.object({ mentionees: z.array(z.unknown()) }).optional(),
  title: z.string().optional(),
  address: z.string().optional(),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
});
type Message = z.infer<typeof Message>;
const Event = z.object({
  webhookEventId: z.string(),
  timestamp: z.number(),
  mode: z.string().optional(),
  source: Source,
  replyToken: z.string().optional(),
  message: Message.optional(),
  postback: z.object({ data: z.string() }).optional(),
});
const Notice = z.object({ destination: z.string().optional(), events: z.array(z.unknown()) });

export const line: Platform<Fields> = {
  name: "line",
  title: "LINE",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Create a Messaging API channel at developers.line.biz.",
    "In the LINE Official Account Manager turn webhooks on and automatic replies off, and allow the bot to join groups.",
  ],
  capabilities: {
    edit: false,
    typing: true,
    buttons: BUTTONS.most,
    filesIn: true,
    filesOut: false,
    groups: true,
    threads: false,
    replies: true,
    redactsIds: true,
  },
  limits: {
    text: 5_000,
    textUnit: "utf16",
    fileBytes: 16_000_000,
    editEveryMs: 1_000,
    typingMs: LOADING_SECONDS * 1_000,
  },
  flavour: "plain",
  pairs: true,

  async verify(request, { fields, self, deps }) {
    const expected = toBase64(await hmac("SHA-256", fields.channelSecret, request.body));
    if (!deps.isSame(request.headers["x-line-signature"] ?? "", expected)) return null;
    const text = toText(request.body);
    const destination = Notice.safeParse(readJson(text)).data?.destination;
    return self && destination && destination !== self.id ? null : { text };
  },

  async parse({ text }, channel) {
    const notice = Notice.safeParse(readJson(text));
    const events = (notice.data?.events ?? []).map((event) => readEvent(event, channel));
    return { events: (await Promise.all(events)).flat() };
  },

  open: openClient,

  async probe(channel) {
    const reply = await call(channel, "/v2/bot/info");
    if (!reply.ok) return reply;
    const bot = z.object({ userId: z.string(), displayName: z.string() }).safeParse(reply.value.json);
    return bot.success ? ok({ id: bot.data.userId, name: bot.data.displayName }) : refused(describe(reply.value));
  },

  async register(channel) {
    const reply = await call(channel, "/v2/bot/channel/webhook/endpoint", {
      method: "PUT",
      json: { endpoint: channel.address },
    });
    return reply.ok ? ok(null) : reply;
  },
};

async function readEvent(raw: unknown, channel: OpenChannel<Fields>): Promise<InboundEvent[]> {
  const event = Event.safeParse(raw).data;
  if (!event || event.mode === "standby") return [];
  const { source, message, postback, replyToken } = event;
  const at = toTime(event.timestamp, channel.deps.clock);
  const context: Record<string, string> = { at: String(at) };
  if (replyToken) context["replyToken"] = replyToken;
  if (message?.quoteToken) Object.assign(context, { message: message.id, quoteToken: message.quoteToken });
  const base = {
    id: event.webhookEventId,
    chat: toChat(source),
    from: { id: source.userId, name: await fetchName(channel, source) },
    at,
    context,
  };
  if (postback) return toPress({ ...base, token: postback.data });
  if (!message) return [];
  const { text, isMentioned } = readText(message);
  const addressed = isMentioned || base.chat.kind === "direct";
  const album = message.imageSet && { album: `${base.chat.id}.${message.imageSet.id}` };
  return toMessage({ ...base, message: message.id, text, addressed, files: readFiles(message), ...album });
}

function toChat({ userId, groupId, roomId }: Source): ChatAddress {
  const group = groupId ?? roomId;
  return group ? { id: group, kind: "group" } : { id: userId, kind: "direct" };
}

/** `undefined`: the platform does not say it, or not soon enough. */
async function fetchName(
  channel: OpenChannel<Fields>,
  { userId, groupId, roomId }: Source,
): Promise<string | undefined> {
  const [user, group, room] = [userId, groupId, roomId].map((id) => inUrl(id ?? ""));
  const member = group ? `group/${group}/member/${user}` : `room/${room}/member/${user}`;
  const path = groupId || roomId ? `/v2/bot/${member}` : `/v2/bot/profile/${user}`;
  const name = await channel.deps.cached(path, async () => {
    const reply = await call(channel, path, { timeoutMs: NAME_TIMEOUT_MS });
    if (!reply.ok) return reply;
    const profile = z.object({ displayName: z.string() }).safeParse(reply.value.json);
    if (!profile.success) return refused(describe(reply.value));
    return ok({ value: profile.data.displayName, expiresAt: channel.deps.clock.now() + NAME_KEPT_MS });
  });
  return name.ok ? name.value : undefined;
}

/** The text without the mentions of the bot. Positions are UTF-16 code units. */
function readText(message: Message): { text: string; isMentioned: boolean } {
  const { type, title, address, latitude, longitude } = message;
  if (type === "location") {
    const words = ["Location:", `${latitude}, ${longitude}`, title, address];
    return { text: words.filter(Boolean).join(" "), isMentioned: false };
  }
  const mentions = (message.mention?.mentionees ?? []).flatMap((raw) => Mentionee.safeParse(raw).data ?? []);
  const own = mentions.filter(({ isSelf }) => isSelf).toSorted((a, b) => b.index - a.index);
  let text = message.text ?? "";
  for (const { index, length } of own) text = text.slice(0, index) + text.slice(index + length);
  return { text: text.trim(), isMentioned: own.length > 0 };
}

function readFiles({ id, type, fileName, fileSize }: Message): InboundFile[] {
  const kind = ({ image: "image", audio: "voice", video: "file", file: "file" } as const)[type];
  return kind ? [{ kind, ref: id, name: fileName, bytes: fileSize }] : [];
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  const { deps } = channel;

  async function post(path: string, body: Record<string, unknown>): Promise<Result<{ id: string | null }>> {
    const reply = await call(channel, path, { json: body });
    if (!reply.ok) return reply;
    const sent = z.object({ sentMessages: z.array(z.object({ id: z.string() })) }).safeParse(reply.value.json);
    return ok({ id: sent.data?.sentMessages[0]?.id ?? null });
  }

  return {
    /** By the reply token while it lasts, since replies are free of charge; else as a push message. */
    async send(to, message) {
      const messages = [toContent(to, message)];
      const { replyToken, at } = to.context ?? {};
      if (replyToken && deps.clock.now() - Number(at) < REPLY_WITHIN_MS) {
        const replied = await post("/v2/bot/message/reply", { replyToken, messages });
        const isUsed = !replied.ok && replied.failure.code === "channel_refused";
        if (!isUsed) return replied;
      }
      return post("/v2/bot/message/push", { to: to.id, messages });
    },

    async typing(to) {
      if (to.kind !== "direct") return ok(null);
      const reply = await call(channel, "/v2/bot/chat/loading/start", {
        json: { chatId: to.id, loadingSeconds: LOADING_SECONDS },
      });
      return reply.ok ? ok(null) : reply;
    },

    async fetchFile(file) {
      const path = `/v2/bot/message/${inUrl(file.ref)}/content`;
      const reply = await call(channel, path, { maxBytes: line.limits.fileBytes }, DATA_API);
      if (!reply.ok) return reply;
      return ok({ bytes: reply.value.bytes, mediaType: reply.value.headers.get("content-type") ?? undefined });
    },
  };
}

function toContent({ context }: ChatAddress, { text, replyTo, buttons = [] }: OutMessage): Record<string, unknown> {
  const isQuotable = replyTo !== undefined && context?.["message"] === replyTo;
  const items = buttons.slice(0, BUTTONS.most).map(({ label, token }) => ({
    type: "action",
    action: { type: "postback", label: clip(label, BUTTONS.label), data: token, displayText: label },
  }));
  return {
    type: "text",
    text,
    ...(isQuotable ? { quoteToken: context["quoteToken"] } : {}),
    ...(items.length > 0 ? { quickReply: { items } } : {}),
  };
}

function call(
  channel: OpenChannel<Fields>,
  path: string,
  request: ApiRequest = {},
  api = API,
): Promise<Result<ApiReply>> {
  const { deps, fields } = channel;
  const headers = { authorization: `Bearer ${fields.channelAccessToken}` };
  return callApi(deps, `${deps.apiBase ?? api}${path}`, { ...request, headers }, judge);
}

/** LINE answers 429 to "too fast" and to a used-up month. Waiting does not help with the latter. */
function judge(reply: ApiReply): Result<never> | null {
  const message = z.object({ message: z.string() }).safeParse(reply.json).data?.message;
  return reply.status === 429 && message?.includes("monthly limit") ? refused(describe(reply, message)) : null;
}
