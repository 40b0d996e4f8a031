// Reads what Discord sends: interactions over HTTP, and messages that the Gateway's socket hands on. Called by channels/discord.ts. An
// interaction is answered within 3 s: deferred here, the answer follows.
import type * as z from "zod";
import type { OpenChannel, Received } from "../../core/channels/platform.ts";
import type {
  ChatPlace,
  InboundEvent,
  InboundFile,
  ReplyContext,
  Sender,
} from "../../core/schemas/channels/inbound.ts";
import { callApi } from "../support/call.ts";
import { readJson, toMessage, toPress } from "../support/events.ts";
import { type DiscordFields, atDiscord } from "./api.ts";
import {
  CommandData,
  ComponentData,
  type DiscordAttachment,
  DiscordChannel,
  type DiscordMessage,
  type DiscordUser,
  Dispatch,
  Interaction,
  Message,
  toSnowflakeMs,
} from "./wire.ts";

/** The command for a message to the agent: without the socket, Discord hands over slash commands only. */
export const ASK = "ask";
/** Of our slash commands: the words after the name, and a file. */
export const TEXT_OPTION = "text";
export const FILE_OPTION = "file";

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-interaction-type */
const PING = 1;
const COMMAND = 2;
const COMPONENT = 3;
const AUTOCOMPLETE = 4;
/** Replies: pong; a message; "thinking", the answer follows; nothing visible; suggestions. */
const PONG = 1;
const NOW = 4;
const DEFERRED = 5;
const DEFERRED_UPDATE = 6;
const SUGGESTIONS = 8;
/** Only the person who asked sees it. */
const EPHEMERAL = 64;

/** A token of an interaction is good for 15 minutes. [own] Half a minute less, for clocks and the way. */
const TOKEN_MS = 15 * 60_000 - 30_000;

/** Types of channels. https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const DIRECT = 1;
const THREADS = [10, 11, 12];
const IN_OWN_DIRECT_CHAT = 1;

/** Types of messages: an ordinary one, and a reply. */
const MESSAGE_TYPES = [0, 19];
const VOICE_FLAG = 1 << 13;
/** [own] How long it is known which channel is a thread of which. */
const CHANNEL_KNOWN_MS = 60 * 60_000;

export async function readDiscord(text: string, channel: OpenChannel<DiscordFields>): Promise<Received> {
  const json = readJson(text);
  const dispatch = Dispatch.safeParse(json);
  if (dispatch.success) return { events: await readDispatch(dispatch.data, channel) };
  const interaction = Interaction.safeParse(json);
  if (interaction.success) return readInteraction(interaction.data, channel.deps.clock.now());
  return isPing(json) ? respond([], { type: PONG }) : { events: [] };
}

/** A ping of Discord's own check may lack what an interaction of a person has. */
function isPing(json: unknown): boolean {
  return typeof json === "object" && json !== null && "type" in json && json.type === PING;
}

function readInteraction(interaction: Interaction, now: number): Received {
  if (interaction.type === PING) return respond([], { type: PONG });
  if (interaction.type === AUTOCOMPLETE) return respond([], { type: SUGGESTIONS, data: { choices: [] } });
  if (interaction.type === COMMAND) {
    const events = readCommand(interaction, now);
    return respond(events, events.length > 0 ? { type: DEFERRED } : say(`Write your message after /${ASK}.`));
  }
  if (interaction.type === COMPONENT) return respond(readComponent(interaction, now), { type: DEFERRED_UPDATE });
  return respond([], say("This is not supported."));
}

function readCommand(interaction: Interaction, now: number): InboundEvent[] {
  const data = CommandData.safeParse(interaction.data);
  const common = toCommon(interaction, now);
  if (!data.success || !common) return [];
  const { name, options, resolved } = data.data;
  const valueOf = (option: string) => {
    const value = options?.find((each) => each.name === option)?.value;
    return typeof value === "string" ? value.trim() : "";
  };
  const words = valueOf(TEXT_OPTION);
  const file = resolved?.attachments?.[valueOf(FILE_OPTION)];
  const text = name === ASK ? words : `/${name} ${words}`.trim();
  return toMessage({ ...common, text, addressed: true, files: file ? [toFile(file)] : [] });
}

function readComponent(interaction: Interaction, now: number): InboundEvent[] {
  const data = ComponentData.safeParse(interaction.data);
  const common = toCommon(interaction, now);
  if (!data.success || !common) return [];
  return toPress({ ...common, token: data.data.custom_id, message: interaction.message?.id });
}

function toCommon(
  interaction: Interaction,
  now: number,
): { id: string; chat: ChatPlace; from: Sender; at: number; context: ReplyContext } | null {
  const user = interaction.member?.user ?? interaction.user;
  const channel = interaction.channel ?? (interaction.channel_id ? { id: interaction.channel_id, type: -1 } : null);
  if (!user || !channel) return null;
  const isOwnChat = interaction.context === undefined || interaction.context === IN_OWN_DIRECT_CHAT;
  const isDirect = !interaction.guild_id && isOwnChat && channel.type === DIRECT;
  return {
    id: `i${interaction.id}`,
    chat: isDirect ? { id: channel.id, kind: "direct" } : toPlace(channel, interaction.guild_id),
    from: toSender(user, interaction.member?.nick),
    at: toSnowflakeMs(interaction.id),
    context: { interaction: interaction.token, channel: channel.id, until: String(now + TOKEN_MS) },
  };
}

async function readDispatch(
  { t, d, self }: z.infer<typeof Dispatch>,
  channel: OpenChannel<DiscordFields>,
): Promise<InboundEvent[]> {
  const parsed = Message.safeParse(d);
  if (!parsed.success) return [];
  const message = parsed.data;
  const isEdit = t === "MESSAGE_UPDATE";
  // An update without a time of edit is Discord's own, such as the preview of a link.
  if (!MESSAGE_TYPES.includes(message.type) || message.author.id === self) return [];
  if (isEdit && !message.edited_timestamp) return [];
  const isDirect = !message.guild_id;
  const replied = message.referenced_message;
  const isMentioned = message.mentions.some(({ id }) => id === self) || replied?.author.id === self;
  return toMessage({
    id: isEdit ? `m${message.id}.${message.edited_timestamp}` : `m${message.id}`,
    chat: isDirect
      ? { id: message.channel_id, kind: "direct" }
      : toPlace(await findChannel(message.channel_id, channel), message.guild_id),
    from: toSender(message.author, message.member?.nick),
    at: toSnowflakeMs(message.id),
    text: nameMentions(message, self),
    addressed: isDirect || isMentioned,
    message: message.id,
    ...(isEdit && { edited: true as const }),
    ...(replied && { replyTo: { text: replied.content, ofBot: replied.author.id === self } }),
    files: message.attachments.map((file) => toFile(file, ((message.flags ?? 0) & VOICE_FLAG) !== 0)),
  });
}

/** Threads are channels whose parent a message does not name. */
async function findChannel(id: string, channel: OpenChannel<DiscordFields>): Promise<DiscordChannel> {
  const { deps } = channel;
  const found = await deps.cached(`discord.channel.${id}`, async () => {
    const reply = await callApi(deps, atDiscord(channel, `/channels/${id}`), {
      headers: { authorization: `Bot ${channel.fields.botToken}` },
    });
    if (!reply.ok) return reply;
    const read = DiscordChannel.safeParse(reply.value.json);
    const value = read.success ? read.data : { id, type: -1 };
    return { ok: true, value: { value, expiresAt: deps.clock.now() + CHANNEL_KNOWN_MS } };
  });
  return found.ok ? found.value : { id, type: -1 };
}

function toPlace({ id, type, name, parent_id }: DiscordChannel, guild: string | null | undefined): ChatPlace {
  const isThread = THREADS.includes(type) && parent_id;
  return {
    id: isThread ? parent_id : id,
    kind: "group",
    ...(isThread && { thread: id }),
    ...(guild && { scope: guild }),
    ...(name && { title: name }),
  };
}

function toSender({ id, username, global_name, discriminator, bot }: DiscordUser, nick?: string | null): Sender {
  const isUnique = !discriminator || discriminator === "0";
  return {
    id,
    name: nick || global_name || username,
    handle: isUnique ? `@${username}` : `@${username}#${discriminator}`,
    isBot: bot === true,
  };
}

function toFile({ filename, url, size, content_type }: DiscordAttachment, isVoice = false): InboundFile {
  const mediaType = content_type ?? undefined;
  const kind = isVoice ? "voice" : mediaType?.startsWith("image/") ? "image" : "file";
  return { kind, ref: url, name: filename, mediaType, bytes: size ?? undefined };
}

/** Mentions as people read them; the one of the bot is left out. */
function nameMentions({ content, mentions }: DiscordMessage, self: string): string {
  const names = new Map(mentions.map((user) => [user.id, user.global_name || user.username]));
  const named = content.replace(/<@!?(\d{15,20})>/g, (mark, id: string) => {
    if (id === self) return "";
    return names.has(id) ? `@${names.get(id)}` : mark;
  });
  return named.trim();
}

function say(content: string): object {
  return { type: NOW, data: { content, flags: EPHEMERAL } };
}

function respond(events: InboundEvent[], body: object): Received {
  const headers = { "content-type": "application/json" };
  return { events, reply: { status: 200, headers, body: JSON.stringify(body) } };
}
