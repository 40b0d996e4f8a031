// Discord: interactions over HTTP, messages by REST, and settings for the Gateway's socket (durable-objects/channels/discord-socket.ts).
// Called by durable-objects/channels. https://discord.com/developers/docs/interactions/overview
import type {
  BotCommand,
  BotIdentity,
  ChannelRequest,
  ChatAddress,
  OpenChannel,
  OutFile,
  OutMessage,
  Platform,
  PlatformClient,
} from "../core/channels/platform.ts";
import { clip } from "../core/clip.ts";
import { type Result, ok } from "../core/errors.ts";
import type { InboundFile, InboundPress } from "../core/schemas/channels/inbound.ts";
import { isObject, toObject } from "../core/unknown-object.ts";
import { DiscordFields, atDiscord } from "./discord/api.ts";
import { ASK, FILE_OPTION, TEXT_OPTION, readDiscord } from "./discord/read.ts";
import { type ApiReply, type ApiRequest, authFailed, callApi, describe, rateLimited, refused } from "./support/call.ts";
import { concatBytes, readHex, toBytes, toText } from "./support/crypto.ts";
import { FRESH_MS, isFresh, readTime } from "./support/events.ts";
import { toMultipart } from "./support/multipart.ts";

type Channel = OpenChannel<DiscordFields>;

/** Buttons of one row, and their style: grey. */
const BUTTONS_IN_ROW = 5;
const ROW = 1;
const BUTTON = 2;
const GREY = 2;
/** Types of an option: a text, a file. */
const TEXT_TYPE = 3;
const FILE_TYPE = 11;
/** A thread that everybody of the channel sees, archived after a week. */
const PUBLIC_THREAD = 11;
const WEEK_MINUTES = 10_080;
/** Only the person who asked sees the message. */
const EPHEMERAL = 64;
/** Discord fetches no address of the message for a preview: what a page had the agent write could carry something away. */
const SUPPRESS_EMBEDS = 4;
/** Discord's limits of a thread's name, a command's description, and commands of an application. */
const MAX_TITLE_CHARS = 100;
const MAX_HELP_CHARS = 100;
const MAX_COMMANDS = 100;
const COMMAND_NAME = /^[a-z0-9_-]{1,32}$/;
/** The token of an interaction is not valid, or no longer. */
const TOKEN_CODES = [10_015, 10_062, 50_027];
/** Where Discord keeps files. */
const FILE_HOSTS = ["cdn.discordapp.com", "media.discordapp.net"];
const FILE_BYTES = 10 * 1024 * 1024;

export const discord: Platform<DiscordFields> = {
  name: "discord",
  title: "Discord",
  fields: DiscordFields,
  form: [
    {
      name: "applicationId",
      help: "The application ID, on the page General Information.",
      secret: false,
      required: true,
    },
    { name: "publicKey", help: "The public key, on the page General Information.", secret: false, required: true },
    { name: "botToken", help: "The bot's token, on the page Bot.", secret: true, required: true },
    {
      name: "gateway",
      help: "Whether the agent also reads plain messages, over a socket that stays open and costs about 4 USD a month. Default: false.",
      secret: false,
      required: false,
    },
  ],
  steps: [
    "Create an application at https://discord.com/developers/applications. Copy its application ID and its public key.",
    "On the page Bot, reset the token and copy it.",
    "On the page Installation, choose the scopes `bot` and `applications.commands` with the permissions View Channels, Send Messages, Send Messages in Threads, Create Public Threads, Attach Files and Read Message History. Open the install link and add the bot to your server.",
    "Talaria registers the slash commands and the Interactions Endpoint URL, {address}. People write to the agent with `/ask`.",
    "For answers to plain messages, set `gateway` to true and, on the page Bot, switch on Message Content Intent. Without the intent Discord hides the text of messages that do not mention the bot.",
  ],
  capabilities: {
    edit: true,
    typing: true,
    buttons: 25,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: true,
    replies: true,
    redactsIds: false,
  },
  // https://discord.com/developers/docs/resources/message#create-message. Five changes in five seconds; a typing sign lasts ten.
  limits: { text: 2_000, textUnit: "utf16", fileBytes: FILE_BYTES, editEveryMs: 1_200, typingMs: 10_000 },
  flavour: "discord",
  pairs: true,

  verify,
  parse: ({ text }, channel) => readDiscord(text, channel),
  open: (channel) => createClient(channel),
  probe,
  register,
  unregister,
};

/** Ed25519 over the time and the body, by the application's key. */
async function verify(request: ChannelRequest, channel: Channel): Promise<{ text: string } | null> {
  const signature = readHex(request.headers["x-signature-ed25519"] ?? "");
  const time = request.headers["x-signature-timestamp"];
  const atMs = readTime(time) * 1_000;
  if (request.method !== "POST" || signature?.length !== 64) return null;
  if (time === undefined || !isFresh(channel.deps.clock, atMs, FRESH_MS)) return null;
  const signed = concatBytes([toBytes(time), request.body]);
  return (await isSigned(channel.fields.publicKey, signature, signed)) ? { text: toText(request.body) } : null;
}

async function isSigned(
  publicKey: string,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = readHex(publicKey);
  if (!key) return false;
  try {
    const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", imported, signature, signed);
  } catch {
    return false; // not a point of the curve
  }
}

function createClient(channel: Channel): PlatformClient {
  const { deps, fields } = channel;

  /** By the bot's own right. */
  function callAsBot(path: string, request: ApiRequest): Promise<Result<ApiReply>> {
    return callDiscord(channel, path, request);
  }

  /** By the token of the interaction, while it is valid; `null` afterwards. */
  async function callByInteraction(
    context: ChatAddress["context"],
    path: string,
    request: ApiRequest,
  ): Promise<Result<ApiReply> | null> {
    const { interaction, until } = context ?? {};
    if (!interaction || !(Number(until) > deps.clock.now())) return null;
    const url = atDiscord(channel, `/webhooks/${fields.applicationId}/${encodeURIComponent(interaction)}${path}`);
    let isOver = false;
    const reply = await callApi(deps, url, request, (answer) => {
      isOver = answer.status === 404 || TOKEN_CODES.includes(Number(toObject(answer.json)["code"]));
      return judge(answer);
    });
    return isOver ? null : reply;
  }

  async function post(
    to: ChatAddress,
    request: (byInteraction: boolean) => ApiRequest,
  ): Promise<Result<{ id: string | null }>> {
    // The first message by the token takes the place of "thinking".
    const byToken = await callByInteraction(contextOf(to), "?wait=true", request(true));
    const reply = byToken ?? (await callAsBot(`/channels/${channelOf(to)}/messages`, request(false)));
    return reply.ok ? ok({ id: readId(reply.value) }) : reply;
  }

  async function edit(to: ChatAddress, id: string, message: OutMessage): Promise<Result<null>> {
    const request = { method: "PATCH", json: { ...toBody(message), components: toRows(message.buttons ?? []) } };
    const asBot = await callAsBot(`/channels/${channelOf(to)}/messages/${encodeURIComponent(id)}`, request);
    if (asBot.ok || asBot.failure.code !== "channel_refused") return toNull(asBot);
    // The bot does not see every channel in which it is spoken to.
    return toNull((await callByInteraction(contextOf(to), `/messages/${encodeURIComponent(id)}`, request)) ?? asBot);
  }

  async function sendFile(to: ChatAddress, file: OutFile): Promise<Result<{ id: string | null }>> {
    const payload = JSON.stringify({ allowed_mentions: NOBODY, attachments: [{ id: 0, filename: file.name }] });
    const form = await toMultipart({ payload_json: payload }, "files[0]", file);
    return post(to, () => ({ method: "POST", ...form }));
  }

  async function fetchFile({ ref }: InboundFile): Promise<Result<{ bytes: Uint8Array; mediaType?: string }>> {
    if (!isFileAddress(ref, deps.apiBase)) return refused("the file is not kept by Discord.");
    const reply = await callApi(deps, ref, { maxBytes: FILE_BYTES });
    if (!reply.ok) return reply;
    return ok({ bytes: reply.value.bytes, mediaType: reply.value.headers.get("content-type") ?? undefined });
  }

  async function answerPress({ context }: InboundPress, text: string): Promise<Result<null>> {
    const json = { content: clip(text, 2_000), flags: EPHEMERAL, allowed_mentions: NOBODY };
    return toNull((await callByInteraction(context, "", { json })) ?? ok(null));
  }

  async function openThread(to: ChatAddress, title: string): Promise<Result<{ thread: string }>> {
    if (to.kind === "direct") return refused("a direct chat has no threads.");
    const json = { name: clip(title, MAX_TITLE_CHARS), type: PUBLIC_THREAD, auto_archive_duration: WEEK_MINUTES };
    const reply = await callAsBot(`/channels/${encodeURIComponent(to.id)}/threads`, { json });
    if (!reply.ok) return reply;
    const thread = readId(reply.value);
    return thread === null ? refused("it did not name the new thread.") : ok({ thread });
  }

  return {
    send: (to, message) => post(to, (byInteraction) => ({ json: toNewMessage(message, byInteraction) })),
    edit,
    typing: async (to) => toNull(await callAsBot(`/channels/${channelOf(to)}/typing`, { method: "POST" })),
    sendFile,
    fetchFile,
    answerPress,
    openThread,
    renameThread: async (to, title) =>
      toNull(
        await callAsBot(`/channels/${channelOf(to)}`, {
          method: "PATCH",
          json: { name: clip(title, MAX_TITLE_CHARS) },
        }),
      ),
  };
}

async function probe(channel: Channel): Promise<Result<BotIdentity>> {
  const reply = await callDiscord(channel, "/applications/@me", {});
  if (!reply.ok) return reply;
  const { id, verify_key: key, bot } = toObject(reply.value.json);
  const { fields } = channel;
  if (id !== fields.applicationId) return authFailed("`botToken` belongs to another application than `applicationId`.");
  if (typeof key === "string" && key.toLowerCase() !== fields.publicKey.toLowerCase()) {
    return authFailed("`publicKey` is not that of the application.");
  }
  if (!isObject(bot) || typeof bot["id"] !== "string") return authFailed("the application has no bot.");
  const name = typeof bot["username"] === "string" ? bot["username"] : bot["id"];
  return ok({ id: bot["id"], name, also: { application: fields.applicationId } });
}

/** Discord calls the address before it answers. */
async function register(channel: Channel, commands: readonly BotCommand[]): Promise<Result<null>> {
  const json = { interactions_endpoint_url: channel.address };
  const endpoint = await callDiscord(channel, "/applications/@me", { method: "PATCH", json });
  return endpoint.ok ? putCommands(channel, toCommands(commands)) : endpoint;
}

async function unregister(channel: Channel): Promise<Result<null>> {
  const json = { interactions_endpoint_url: null };
  const endpoint = await callDiscord(channel, "/applications/@me", { method: "PATCH", json });
  return endpoint.ok ? putCommands(channel, []) : endpoint;
}

async function putCommands(channel: Channel, json: object[]): Promise<Result<null>> {
  return toNull(
    await callDiscord(channel, `/applications/${channel.fields.applicationId}/commands`, { method: "PUT", json }),
  );
}

function toCommands(commands: readonly BotCommand[]): object[] {
  const ask = toCommand({ name: ASK, help: "Write to the agent" }, [
    { type: FILE_TYPE, name: FILE_OPTION, description: "A file", required: false },
  ]);
  const others = commands.filter(({ name }) => name !== ASK && COMMAND_NAME.test(name));
  return [ask, ...others.map((command) => toCommand(command))].slice(0, MAX_COMMANDS);
}

/** Usable in servers and in direct chats. */
function toCommand({ name, help }: BotCommand, more: object[] = []): object {
  const words = { type: TEXT_TYPE, name: TEXT_OPTION, description: "Your words", required: false };
  return {
    type: 1,
    name,
    description: clip(help || name, MAX_HELP_CHARS),
    options: [words, ...more],
    contexts: [0, 1],
  };
}

/** A mark in a text, such as `@everyone`, never calls anybody. */
const NOBODY = { parse: [] };

function toBody({ text }: OutMessage): Record<string, unknown> {
  return { content: text, flags: SUPPRESS_EMBEDS, allowed_mentions: NOBODY };
}

function toNewMessage(message: OutMessage, byInteraction: boolean): Record<string, unknown> {
  const { replyTo, buttons = [] } = message;
  return {
    ...toBody(message),
    ...(buttons.length > 0 && { components: toRows(buttons) }),
    ...(replyTo && !byInteraction && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
  };
}

function toRows(buttons: NonNullable<OutMessage["buttons"]>): object[] {
  const rows: object[] = [];
  for (let at = 0; at < buttons.length; at += BUTTONS_IN_ROW) {
    const components = buttons
      .slice(at, at + BUTTONS_IN_ROW)
      .map(({ label, token }) => ({ type: BUTTON, style: GREY, label: clip(label, 80), custom_id: token }));
    rows.push({ type: ROW, components });
  }
  return rows;
}

/** A thread is a channel of its own. */
function channelOf(to: ChatAddress): string {
  return encodeURIComponent(to.thread ?? to.id);
}

/** An interaction's token writes in its own channel, not in a thread that was opened since. */
function contextOf({ context, thread, id }: ChatAddress): ChatAddress["context"] {
  return context?.["channel"] === (thread ?? id) ? context : undefined;
}

function isFileAddress(ref: string, apiBase: string | null): boolean {
  const url = URL.parse(ref);
  if (apiBase !== null && ref.startsWith(`${apiBase}/`)) return true;
  return url?.protocol === "https:" && FILE_HOSTS.includes(url.hostname);
}

function callDiscord(channel: Channel, path: string, request: ApiRequest): Promise<Result<ApiReply>> {
  const headers = { authorization: `Bot ${channel.fields.botToken}`, ...request.headers };
  return callApi(channel.deps, atDiscord(channel, path), { ...request, headers }, judge);
}

/** Its own words instead of the whole body. */
function judge(reply: ApiReply): Result<never> | null {
  const { message, retry_after: seconds } = toObject(reply.json);
  if (reply.status === 429 && typeof seconds === "number") return rateLimited(Math.ceil(seconds * 1_000));
  if (reply.status === 401) return authFailed(describe(reply, message));
  return reply.status >= 400 && reply.status < 500 && reply.status !== 408 && reply.status !== 429
    ? refused(describe(reply, message))
    : null;
}

function readId({ json }: ApiReply): string | null {
  const { id } = toObject(json);
  return typeof id === "string" ? id : null;
}

function toNull(reply: Result<unknown>): Result<null> {
  return reply.ok ? ok(null) : reply;
}
