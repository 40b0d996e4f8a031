// Mattermost: outgoing webhooks, slash commands and pressed buttons in; a bot account out. Loaded by channels/index.ts. Keeps nothing.
// https://developers.mattermost.com/integrate/webhooks/outgoing/ and https://api.mattermost.com
import * as z from "zod";
import { clip } from "../core/clip.ts";
import type {
  Button,
  ChannelRequest,
  ChatAddress,
  OpenChannel,
  OutMessage,
  Platform,
  PlatformClient,
} from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import type { InboundFile } from "../core/schemas/channels/inbound.ts";
import { type ApiReply, type ApiRequest, callApi, describe, inUrl, refused } from "./support/call.ts";
import { hmac, toHex, toText } from "./support/crypto.ts";
import { readJson, toMessage, toPress, toTime } from "./support/events.ts";
import { secret, serverUrl, toForm } from "./support/fields.ts";
import { toMultipart } from "./support/multipart.ts";

const Fields = z.strictObject({
  serverUrl: serverUrl("The server's address, such as https://chat.example.org."),
  botToken: secret("The access token of a bot account, from Integrations > Bot Accounts."),
  token: secret("The token of the outgoing webhook."),
  commandToken: secret(
    "The token of the slash command, where there is one: direct messages and private channels need it.",
  ).optional(),
});
type Fields = z.infer<typeof Fields>;

const Posted = z.object({
  channel_id: z.string(),
  channel_name: z.string().optional(),
  team_id: z.string().optional(),
  user_id: z.string(),
  user_name: z.string().optional(),
  token: z.string().optional(),
  text: z.string().optional(),
  post_id: z.string().optional(),
  trigger_id: z.string().optional(),
  trigger_word: z.string().optional(),
  timestamp: z.coerce.number().optional().catch(undefined),
  command: z.string().optional(),
  file_ids: z.union([z.string(), z.array(z.string())]).optional(),
  context: z
    .object({
      token: z.string(),
      proof: z.string(),
      kind: z.enum(["direct", "group"]),
      thread: z.string().optional(),
    })
    .optional(),
});
type Posted = z.infer<typeof Posted>;

const FileInfo = z.object({ name: z.string(), mime_type: z.string(), size: z.int().min(0) });

/** [Mattermost] Most files of a post. */
const MAX_FILES = 10;
/** Of a post in a thread, the post that began it; "" of any other. */
const Threaded = z.object({ root_id: z.string() });

/** [own] Mattermost waits for the answer to the request that asks for it. */
const INFO_TIMEOUT_MS = 3_000;
/** A pressed button and a slash command want JSON; a webhook that gets nothing posts nothing. */
const ANSWER = { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
/** [own] Of one message; the platform has no limit of its own. */
const MAX_BUTTONS = 10;

export const mattermost: Platform<Fields> = {
  name: "mattermost",
  title: "Mattermost",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Make a bot account, and add it to the team and its channels.",
    "Make an outgoing webhook with the callback {address}, with a trigger word such as @talaria, or for one channel.",
    "Make a slash command with the request URL {address} for direct messages and private channels.",
  ],
  capabilities: {
    edit: true,
    typing: true,
    buttons: MAX_BUTTONS,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: true,
    replies: false,
    redactsIds: false,
  },
  limits: { text: 16_383, textUnit: "codePoints", fileBytes: 16_000_000, editEveryMs: 1_000, typingMs: 5_000 },
  flavour: "markdown",
  pairs: true,

  async verify(request, { fields, deps }) {
    const posted = readPosted(request);
    if (!posted) return null;
    const { token = "", context } = posted;
    const isPress = context !== undefined && deps.isSame(context.proof, await prove(fields, context));
    const isWebhook = deps.isSame(token, fields.token);
    const isCommand = fields.commandToken !== undefined && deps.isSame(token, fields.commandToken);
    return isPress || isWebhook || isCommand ? { text: toText(request.body) } : null;
  },

  async parse({ request, text }, channel) {
    const { self, deps } = channel;
    const posted = readPosted({ ...request, body: new TextEncoder().encode(text) });
    if (!posted || posted.user_id === self?.id) return { events: [], reply: ANSWER };
    const { post_id: post, trigger_id: trigger, context } = posted;
    const { words, isMentioned } = readText(posted, self?.name);
    const isDirect = context
      ? context.kind === "direct"
      : self !== null && posted.channel_name?.split("__").includes(self.id) === true;
    const isCommand = posted.command !== undefined;
    const isPost = post !== undefined && !context && !isDirect && !isCommand;
    const thread = context ? context.thread : isPost ? await findThread(channel, post) : undefined;
    const base = {
      id: (context ? trigger : (post ?? trigger)) ?? "",
      chat: {
        id: posted.channel_id,
        kind: isDirect ? ("direct" as const) : ("group" as const),
        ...(thread && { thread }),
        title: isDirect ? undefined : posted.channel_name,
      },
      from: { id: posted.user_id, name: posted.user_name, handle: posted.user_name && `@${posted.user_name}` },
      at: toTime(toMs(posted.timestamp), deps.clock),
      message: post,
      ...(isPost && { context: { post } }),
    };
    if (context) return { events: toPress({ ...base, token: context.token }), reply: ANSWER };
    const addressed = isDirect || isMentioned || isCommand;
    return {
      events: toMessage({ ...base, text: words, addressed, files: await readFiles(posted, channel) }),
      reply: ANSWER,
    };
  },

  open: openClient,

  async probe(channel) {
    const reply = await call(channel, "/users/me");
    if (!reply.ok) return reply;
    const user = z.object({ id: z.string(), username: z.string() }).safeParse(reply.value.json);
    return user.success ? ok({ id: user.data.id, name: user.data.username }) : refused(describe(reply.value));
  },
};

function readPosted({ headers, body }: ChannelRequest): Posted | undefined {
  const text = toText(body);
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  return Posted.safeParse(isForm ? Object.fromEntries(new URLSearchParams(text)) : readJson(text)).data;
}

/** Mattermost does not sign presses, and shows what a button carries to nobody. So it carries a proof that we made it. */
async function prove(
  { token }: Fields,
  button: { token: string; kind: string; thread?: string | undefined },
): Promise<string> {
  const thread = button.thread === undefined ? "" : ` ${button.thread}`;
  return toHex(await hmac("SHA-256", token, `${button.kind} ${button.token}${thread}`));
}

/** An outgoing webhook does not name it, so the server is asked. Without an answer in time, the post is one of its channel. */
async function findThread(channel: OpenChannel<Fields>, post: string): Promise<string | undefined> {
  const reply = await call(channel, `/posts/${inUrl(post)}`, { timeoutMs: INFO_TIMEOUT_MS });
  return Threaded.safeParse(reply.ok ? reply.value.json : undefined).data?.root_id || undefined;
}

/** Seconds in forms of older servers, ms in newer ones. */
function toMs(timestamp: number | undefined): number {
  return timestamp === undefined ? Number.NaN : timestamp < 1e11 ? timestamp * 1_000 : timestamp;
}

/** The words without the trigger or the bot's name at their beginning. */
function readText(
  { text = "", trigger_word: trigger }: Posted,
  name: string | undefined,
): { words: string; isMentioned: boolean } {
  if (trigger && text.startsWith(trigger)) return { words: text.slice(trigger.length).trim(), isMentioned: true };
  // A name that goes on is another one. Names are letters, digits, ".", "-" and "_".
  const mention = `@${name}`;
  const places = name
    ? [...text.matchAll(/@[\w.-]{1,64}/g)].filter(([found]) => found.replace(/[.-]$/, "") === mention)
    : [];
  if (places.length === 0) return { words: text, isMentioned: Boolean(trigger) };
  return { words: places[0]!.index === 0 ? text.slice(mention.length).trim() : text, isMentioned: true };
}

/** A file is only named, so the server is asked what it is. One that it does not describe in time stays a file without a name. */
function readFiles({ file_ids: ids = [] }: Posted, channel: OpenChannel<Fields>): Promise<InboundFile[]> {
  const listed = (typeof ids === "string" ? ids.split(",") : ids).map((id) => id.trim()).filter((id) => id !== "");
  return Promise.all(
    listed.slice(0, MAX_FILES).map(async (ref): Promise<InboundFile> => {
      const reply = await call(channel, `/files/${inUrl(ref)}/info`, { timeoutMs: INFO_TIMEOUT_MS });
      const info = FileInfo.safeParse(reply.ok ? reply.value.json : undefined).data;
      const type = info?.mime_type ?? "";
      const kind = type.startsWith("image/") ? "image" : type.startsWith("audio/") ? "voice" : "file";
      return { kind, ref, name: info?.name, mediaType: info?.mime_type, bytes: info?.size };
    }),
  );
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  const { fields, self } = channel;

  async function toProps(to: ChatAddress, buttons: readonly Button[] = []): Promise<Record<string, unknown>> {
    const shown = buttons.slice(0, MAX_BUTTONS).map(async ({ label, token }, at) => {
      const context = { token, kind: to.kind, ...(to.thread !== undefined && { thread: to.thread }) };
      const integration = { url: channel.address, context: { ...context, proof: await prove(fields, context) } };
      return { id: `choice${at}`, type: "button", name: clip(label, 100), integration };
    });
    return { attachments: shown.length > 0 ? [{ actions: await Promise.all(shown) }] : [] };
  }

  async function post(to: ChatAddress, content: Record<string, unknown>): Promise<Result<{ id: string | null }>> {
    const place = { channel_id: to.id, ...(to.thread !== undefined && { root_id: to.thread }) };
    const reply = await call(channel, "/posts", { json: { ...place, ...content } });
    if (!reply.ok) return reply;
    return ok({ id: z.object({ id: z.string() }).safeParse(reply.value.json).data?.id ?? null });
  }

  return {
    async send(to, { text, buttons }: OutMessage) {
      return post(to, { message: text, ...(buttons?.length ? { props: await toProps(to, buttons) } : {}) });
    },

    async edit(to, id, { text, buttons }) {
      const json = { message: text, props: await toProps(to, buttons) };
      const reply = await call(channel, `/posts/${inUrl(id)}/patch`, { method: "PUT", json });
      return reply.ok ? ok(null) : reply;
    },

    async typing(to) {
      const reply = await call(channel, `/users/${self?.id ?? "me"}/typing`, {
        json: { channel_id: to.id, ...(to.thread !== undefined && { parent_id: to.thread }) },
      });
      return reply.ok ? ok(null) : reply;
    },

    async sendFile(to, file) {
      const form = await toMultipart({ channel_id: to.id }, "files", file);
      const uploaded = await call(channel, "/files", { method: "POST", ...form });
      if (!uploaded.ok) return uploaded;
      const Uploaded = z.object({ file_infos: z.array(z.object({ id: z.string() })).min(1) });
      const ids = Uploaded.safeParse(uploaded.value.json).data?.file_infos.map(({ id }) => id);
      return ids ? post(to, { message: "", file_ids: ids }) : refused(describe(uploaded.value));
    },

    /** A thread begins with a post: its title. */
    async openThread(to, title) {
      // A slash command does not say in which thread it was given.
      if (to.context?.["post"] === undefined) return refused("no post shows that messages of threads arrive here.");
      const sent = await post({ ...to, thread: undefined }, { message: withoutCalls(title) });
      if (!sent.ok) return sent;
      return sent.value.id === null ? refused("The post has no id.") : ok({ thread: sent.value.id });
    },

    async renameThread({ thread }, title) {
      if (thread === undefined) return refused("The chat is not a thread.");
      const json = { message: withoutCalls(title) };
      const reply = await call(channel, `/posts/${inUrl(thread)}/patch`, { method: "PUT", json });
      return reply.ok ? ok(null) : reply;
    },

    async fetchFile({ ref }) {
      const reply = await call(channel, `/files/${inUrl(ref)}`, { maxBytes: mattermost.limits.fileBytes });
      if (!reply.ok) return reply;
      return ok({ bytes: reply.value.bytes, mediaType: reply.value.headers.get("content-type") ?? undefined });
    },
  };
}

/** `@all` in a title would call everybody. */
function withoutCalls(title: string): string {
  return title.replaceAll("@", "@\u200B");
}

function call(
  { deps, fields }: OpenChannel<Fields>,
  path: string,
  request: ApiRequest = {},
): Promise<Result<ApiReply>> {
  const headers = { ...request.headers, authorization: `Bearer ${fields.botToken}` };
  return callApi(deps, `${deps.apiBase ?? fields.serverUrl}/api/v4${path}`, { ...request, headers });
}
