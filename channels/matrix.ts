// Matrix as an application service: the homeserver pushes transactions, the client-server API takes answers. Rooms with end-to-end encryption
// are not read. Loaded by channels/index.ts. Keeps nothing. https://spec.matrix.org/latest/application-service-api/
import * as z from "zod";
import type { ChatAddress, OpenChannel, OutMessage, Platform, PlatformClient } from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import type { InboundEvent, InboundFile } from "../core/schemas/channels/inbound.ts";
import {
  type ApiReply,
  type ApiRequest,
  authFailed,
  callApi,
  describe,
  inUrl,
  rateLimited,
  refused,
} from "./support/call.ts";
import { toText } from "./support/crypto.ts";
import { readJson, toMessage, toTime } from "./support/events.ts";
import { secret, serverUrl, setting, toForm } from "./support/fields.ts";
import { toPlainText } from "./support/html.ts";

const Fields = z.strictObject({
  homeserver: serverUrl("The homeserver's address, such as https://matrix.example.org."),
  userId: setting(
    "The bot's id, such as @talaria:example.org: sender_localpart of the registration, at the server's name.",
  ),
  asToken: secret("The as_token of the registration: a long random word that the bot shows to the homeserver."),
  hsToken: secret("The hs_token of the registration: a long random word that the homeserver shows to the bot."),
});
type Fields = z.infer<typeof Fields>;

const CLIENT = "/_matrix/client/v3";
/** [own] How long a typing sign is asked for. */
const TYPING_MS = 30_000;
/** [own] The homeserver waits for the answer to a transaction that needs these. */
const ASK_TIMEOUT_MS = 3_000;
const MEMBERS_KEPT_MS = 60_000;

const NOT_FOUND = {
  ...{ status: 404, headers: { "content-type": "application/json" } },
  body: JSON.stringify({ errcode: "M_NOT_FOUND", error: "The bot has no namespaces." }),
};

const Relation = z.object({
  rel_type: z.string().optional(),
  event_id: z.string().optional(),
  is_falling_back: z.boolean().optional(),
  "m.in_reply_to": z.object({ event_id: z.string() }).optional(),
});
const Content = z.object({
  msgtype: z.string(),
  body: z.string(),
  filename: z.string().optional(),
  url: z.string().optional(),
  info: z
    .object({ mimetype: z.string().optional(), size: z.int().min(0).optional() })
    .optional()
    .catch(undefined),
  "m.mentions": z
    .object({ user_ids: z.array(z.string()).optional() })
    .optional()
    .catch(undefined),
  "org.matrix.msc3245.voice": z.unknown().optional(),
});
type Content = z.infer<typeof Content>;
const RoomEvent = z.object({
  type: z.string(),
  event_id: z.string(),
  room_id: z.string(),
  sender: z.string(),
  origin_server_ts: z.number().optional(),
  state_key: z.string().optional(),
  content: z.record(z.string(), z.unknown()),
});
type RoomEvent = z.infer<typeof RoomEvent>;
const Transaction = z.object({ events: z.array(z.unknown()) });

export const matrix: Platform<Fields> = {
  name: "matrix",
  title: "Matrix",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Register an application service with the homeserver: url {address}, as_token, hs_token, sender_localpart, and no namespaces.",
    "Restart the homeserver and invite the bot to a room without end-to-end encryption, which it cannot read.",
  ],
  capabilities: {
    edit: true,
    typing: true,
    buttons: 0,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: true,
    replies: true,
    redactsIds: false,
  },
  // An event may have 65,536 bytes, and has the text as HTML and as plain text.
  limits: { text: 24_000, textUnit: "bytes", fileBytes: 16_000_000, editEveryMs: 1_000, typingMs: TYPING_MS },
  flavour: "matrix",
  pairs: true,

  async verify(request, { fields, deps }) {
    // Homeservers from before version 1.4 of the specification send the token in the query.
    const given =
      request.headers["authorization"] ?? `Bearer ${new URL(request.url).searchParams.get("access_token") ?? ""}`;
    return deps.isSame(given, `Bearer ${fields.hsToken}`) ? { text: toText(request.body) } : null;
  },

  async parse({ request, text }, channel) {
    // The homeserver asks whether a user or a room of a namespace exists. The bot has none.
    if (request.method === "GET") return { events: [], reply: NOT_FOUND };
    const events = Transaction.safeParse(readJson(text)).data?.events ?? [];
    const read = await Promise.all(events.map((event) => readEvent(event, channel)));
    return { events: read.flat(), reply: { status: 200, headers: { "content-type": "application/json" }, body: "{}" } };
  },

  open: openClient,

  async probe(channel) {
    const reply = await call(channel, `${CLIENT}/account/whoami`);
    if (!reply.ok) return reply;
    const user = z.object({ user_id: z.string() }).safeParse(reply.value.json).data?.user_id;
    if (!user) return refused(describe(reply.value));
    if (user !== channel.fields.userId)
      return refused(`The token belongs to ${user}, not to ${channel.fields.userId}.`);
    return ok({ id: user, name: localpartOf(user) });
  },
};

async function readEvent(raw: unknown, channel: OpenChannel<Fields>): Promise<InboundEvent[]> {
  const event = RoomEvent.safeParse(raw).data;
  const { userId } = channel.fields;
  if (!event || event.sender === userId) return [];
  if (event.type === "m.room.member" && event.state_key === userId && event.content["membership"] === "invite") {
    await call(channel, `${CLIENT}/join/${inUrl(event.room_id)}`, { json: {}, timeoutMs: ASK_TIMEOUT_MS });
  }
  if (event.type !== "m.room.message" || event.state_key !== undefined) return [];
  const relation = Relation.safeParse(event.content["m.relates_to"]).data;
  const isEdit = relation?.rel_type === "m.replace";
  const content = Content.safeParse(isEdit ? event.content["m.new_content"] : event.content).data;
  if (!content) return [];
  const replied = relation?.is_falling_back ? undefined : relation?.["m.in_reply_to"]?.event_id;
  const [isDirect, replyTo] = await Promise.all([
    fetchIsDirect(channel, event.room_id),
    fetchReplied(channel, event, replied),
  ]);
  const { text, isMentioned } = readText(content, channel, replied !== undefined);
  return toMessage({
    id: event.event_id,
    chat: {
      id: event.room_id,
      kind: isDirect ? "direct" : "group",
      thread: relation?.rel_type === "m.thread" ? relation.event_id : undefined,
    },
    from: { id: event.sender, name: localpartOf(event.sender), isBot: content.msgtype === "m.notice" },
    at: toTime(event.origin_server_ts ?? Number.NaN, channel.deps.clock),
    text,
    addressed: isDirect || isMentioned || replyTo?.ofBot === true,
    message: isEdit ? relation.event_id : event.event_id,
    edited: isEdit ? true : undefined,
    replyTo,
    files: readFiles(content),
  });
}

/** A room of two is direct. `false` where the homeserver does not say it in time: the bot then waits until it is mentioned. */
async function fetchIsDirect(channel: OpenChannel<Fields>, room: string): Promise<boolean> {
  const path = `${CLIENT}/rooms/${inUrl(room)}/joined_members`;
  const count = await channel.deps.cached(path, async () => {
    const reply = await call(channel, path, { timeoutMs: ASK_TIMEOUT_MS });
    if (!reply.ok) return reply;
    const joined = z.object({ joined: z.record(z.string(), z.unknown()) }).safeParse(reply.value.json).data?.joined;
    if (!joined) return refused(describe(reply.value));
    return ok({ value: Object.keys(joined).length, expiresAt: channel.deps.clock.now() + MEMBERS_KEPT_MS });
  });
  return count.ok && count.value <= 2;
}

async function fetchReplied(channel: OpenChannel<Fields>, { room_id: room }: RoomEvent, id: string | undefined) {
  if (id === undefined) return undefined;
  const path = `${CLIENT}/rooms/${inUrl(room)}/event/${inUrl(id)}`;
  const reply = await call(channel, path, { timeoutMs: ASK_TIMEOUT_MS });
  const replied = RoomEvent.safeParse(reply.ok ? reply.value.json : undefined).data;
  if (!replied) return undefined;
  return { text: String(replied.content["body"] ?? ""), ofBot: replied.sender === channel.fields.userId };
}

/** The words without the quote that older clients put before a reply, and without the bot's name at their beginning. */
function readText(
  content: Content,
  { fields, self }: OpenChannel<Fields>,
  isReply: boolean,
): { text: string; isMentioned: boolean } {
  const { msgtype, body, filename, url } = content;
  // The body of a file is its name, unless there is a caption.
  if (url !== undefined && (filename === undefined || filename === body)) return { text: "", isMentioned: false };
  const lines = body.split("\n");
  const start = isReply ? lines.findIndex((line) => !line.startsWith("> ")) : 0;
  const words = lines.slice(Math.max(0, start)).join("\n");
  const written = start > 0 ? words.trimStart() : words;
  const names = [fields.userId, `@${localpartOf(fields.userId)}`, self?.name ?? localpartOf(fields.userId)];
  const name = names.find((one) => written.startsWith(one));
  const rest = name === undefined ? undefined : written.slice(name.length);
  // A name that goes on, such as "botany" for "bot", is another word.
  const isNamed = rest !== undefined && !/^[\p{L}\p{N}_]/u.test(rest);
  const isMentioned = isNamed || content["m.mentions"]?.user_ids?.includes(fields.userId) === true;
  const text = isNamed ? rest.replace(/^[:,]/, "").trim() : written;
  return { text: msgtype === "m.emote" ? `* ${text}` : text, isMentioned };
}

function readFiles({ msgtype, body, filename, url, info, ...more }: Content): InboundFile[] {
  const kinds: Record<string, InboundFile["kind"]> = {
    "m.image": "image",
    "m.audio": "file",
    "m.video": "file",
    "m.file": "file",
  };
  const kind = kinds[msgtype];
  if (!kind || !url?.startsWith("mxc://")) return [];
  const isVoice = msgtype === "m.audio" && more["org.matrix.msc3245.voice"] !== undefined;
  return [
    { kind: isVoice ? "voice" : kind, ref: url, name: filename ?? body, mediaType: info?.mimetype, bytes: info?.size },
  ];
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  const { deps, fields } = channel;
  const roomPath = (to: ChatAddress) => `${CLIENT}/rooms/${inUrl(to.id)}`;

  /** By a transaction id: the homeserver takes a repeated request of ours once. */
  async function post(to: ChatAddress, content: Record<string, unknown>): Promise<Result<{ id: string | null }>> {
    const reply = await call(channel, `${roomPath(to)}/send/m.room.message/${deps.uuid()}`, {
      method: "PUT",
      json: content,
    });
    if (!reply.ok) return reply;
    return ok({ id: z.object({ event_id: z.string() }).safeParse(reply.value.json).data?.event_id ?? null });
  }

  const client: PlatformClient = {
    send: (to, message) => post(to, { ...toContent(message), ...toRelation(to, message.replyTo) }),

    async edit(to, id, message) {
      const content = toContent(message);
      const relation = { "m.relates_to": { rel_type: "m.replace", event_id: id } };
      const sent = await post(to, { ...content, body: `* ${content.body}`, "m.new_content": content, ...relation });
      return sent.ok ? ok(null) : sent;
    },

    async typing(to) {
      const path = `${roomPath(to)}/typing/${inUrl(fields.userId)}`;
      const reply = await call(channel, path, { method: "PUT", json: { typing: true, timeout: TYPING_MS } });
      return reply.ok ? ok(null) : reply;
    },

    async sendFile(to, { name, mediaType, bytes }) {
      const path = `/_matrix/media/v3/upload?filename=${inUrl(name)}`;
      const uploaded = await call(channel, path, {
        method: "POST",
        headers: { "content-type": mediaType },
        body: bytes,
      });
      if (!uploaded.ok) return uploaded;
      const url = z.object({ content_uri: z.string() }).safeParse(uploaded.value.json).data?.content_uri;
      if (!url) return refused(describe(uploaded.value));
      const msgtype = mediaType.startsWith("image/") ? "m.image" : "m.file";
      const info = { mimetype: mediaType, size: bytes.length };
      return post(to, { ...CALLS_NOBODY, msgtype, body: name, filename: name, url, info, ...toRelation(to) });
    },

    async fetchFile({ ref, mediaType }) {
      const [server = "", media = ""] = ref.slice("mxc://".length).split("/", 2);
      const path = `/_matrix/client/v1/media/download/${inUrl(server)}/${inUrl(media)}`;
      const reply = await call(channel, path, { maxBytes: matrix.limits.fileBytes });
      return reply.ok ? ok({ bytes: reply.value.bytes, mediaType }) : reply;
    },

    /** A thread begins with a message: its title. */
    async openThread(to, title) {
      const sent = await client.send({ ...to, thread: undefined }, { text: title });
      if (!sent.ok) return sent;
      return sent.value.id === null ? refused("The homeserver gave the message no id.") : ok({ thread: sent.value.id });
    },
  };
  return client;
}

/** Without it, `@room` in a text calls everybody: https://spec.matrix.org/v1.16/client-server-api/#user-and-room-mentions. */
const CALLS_NOBODY = { "m.mentions": {} };

function toContent({ text }: OutMessage) {
  return {
    ...CALLS_NOBODY,
    msgtype: "m.text",
    body: toPlainText(text),
    format: "org.matrix.custom.html",
    formatted_body: text,
  };
}

function toRelation({ thread }: ChatAddress, replyTo?: string): Record<string, unknown> {
  const reply = { "m.in_reply_to": { event_id: replyTo ?? thread } };
  if (thread)
    return {
      "m.relates_to": { rel_type: "m.thread", event_id: thread, is_falling_back: replyTo === undefined, ...reply },
    };
  return replyTo ? { "m.relates_to": reply } : {};
}

/** `talaria` of `@talaria:example.org`. */
function localpartOf(userId: string): string {
  return userId.slice(1).split(":", 1)[0] ?? userId;
}

function call(
  { deps, fields }: OpenChannel<Fields>,
  path: string,
  request: ApiRequest = {},
): Promise<Result<ApiReply>> {
  const headers = { ...request.headers, authorization: `Bearer ${fields.asToken}` };
  return callApi(deps, `${deps.apiBase ?? fields.homeserver}${path}`, { ...request, headers }, judge);
}

function judge(reply: ApiReply): Result<never> | null {
  const failed = z
    .object({ errcode: z.string(), error: z.string().optional(), retry_after_ms: z.number().optional() })
    .safeParse(reply.json).data;
  if (!failed || reply.status < 400) return null;
  if (failed.errcode === "M_LIMIT_EXCEEDED")
    return failed.retry_after_ms === undefined ? null : rateLimited(failed.retry_after_ms);
  if (failed.errcode === "M_UNKNOWN_TOKEN" || failed.errcode === "M_MISSING_TOKEN")
    return authFailed(describe(reply, failed.error));
  return reply.status < 500 && reply.status !== 429 ? refused(describe(reply, failed.error)) : null;
}
