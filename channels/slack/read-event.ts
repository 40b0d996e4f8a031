// Reads what Slack's Events API sends: messages, edits, mentions, the test of the address. Called by channels/slack.ts. Never throws.
import type { Received } from "../../core/channels/platform.ts";
import type { ChatPlace, InboundFile } from "../../core/schemas/channels/inbound.ts";
import { type DraftMessage, toMessage, toTime } from "../support/events.ts";
import type { SlackChannel } from "./call-slack.ts";
import { Envelope, type EventCallback, type File, type Written } from "./forms.ts";
import { fetchName } from "./names.ts";
import { readText } from "./read-text.ts";

const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** Messages in which somebody says something. The others report joins, topics, deletions. */
const SAYING: readonly (string | undefined)[] = [
  undefined,
  ...["file_share", "thread_broadcast", "me_message", "bot_message"],
];

export async function readEvent(body: unknown, channel: SlackChannel): Promise<Received> {
  const parsed = Envelope.safeParse(body);
  if (!parsed.success) return { events: [] };
  const envelope = parsed.data;
  if (envelope.type === "url_verification") {
    const headers = { "content-type": "text/plain" };
    return { events: [], reply: { status: 200, headers, body: envelope.challenge } };
  }
  const { event } = envelope;
  if (!("message" in event)) return { events: await readWritten(event, event, envelope, channel) };
  const { message, previous_message: previous } = event;
  // A link's preview, a reply in the thread: the message changed, and not its words.
  const isEdit = message.edited !== undefined && message.edited.ts !== previous?.edited?.ts;
  return { events: isEdit ? await readWritten(message, event, envelope, channel) : [] };
}

async function readWritten(
  written: Written,
  place: { channel: string; channel_type?: string | undefined },
  { event, api_app_id, authorizations = [] }: EventCallback,
  channel: SlackChannel,
): Promise<Received["events"]> {
  const { ts, edited, thread_ts: thread } = written;
  const sender = written.user ?? written.bot_id;
  const own = toOwnIds(channel, authorizations);
  if (!SAYING.includes(written.subtype) || sender === undefined || isOwn(written, own, channel, api_app_id)) return [];

  const name = await nameSender(written, sender, channel);
  const said = await readText(written.text, own, (id) => fetchName(channel, id));
  const shared = (written.attachments ?? []).filter((one) => one?.is_share || one?.is_msg_unfurl);
  const quotes = shared.flatMap((one) => (one?.text ? [toQuote(one.author_name, one.text)] : []));
  const parts = (written.files ?? []).filter((file) => file !== null);
  const isDirect = place.channel_type === "im" || place.channel.startsWith("D");
  const isReply = thread !== undefined && thread !== ts && written.parent_user_id !== undefined;
  const toBot = isReply && own.includes(written.parent_user_id!);
  const isMention = event.type === "app_mention" || said.mentions;
  const isEdit = "message" in event;

  return toMessage({
    // A mention in a channel arrives twice, as `message` and as `app_mention`, in events with different ids.
    id: isEdit ? `${place.channel}.${ts}.${edited!.ts}` : `${place.channel}.${ts}`,
    chat: toPlace(
      place.channel,
      isDirect,
      thread,
      isMention && channel.fields.replyInThreads === true ? ts : undefined,
    ),
    from: { id: sender, name, isBot: written.bot_id !== undefined || sender === "USLACKBOT" },
    at: toTime(Number(isEdit ? edited!.ts : ts) * 1_000, channel.deps.clock),
    text: [said.text, ...quotes, ...parts.flatMap(toExternalLink)].filter((part) => part !== "").join("\n\n"),
    addressed: isDirect || isMention || toBot,
    message: ts,
    files: parts.flatMap(toFile),
    context: { message: ts },
    ...(isEdit && { edited: true as const }),
    // Slack does not say the text.
    ...(isReply && { replyTo: { text: "", ofBot: toBot } }),
    ...(quotes.length > 0 && { forwarded: true as const }),
  } satisfies DraftMessage);
}

/** `begins`: the message that a thread of its own begins with. */
function toPlace(id: string, isDirect: boolean, thread: string | undefined, begins: string | undefined): ChatPlace {
  const kind = isDirect ? "direct" : "group";
  const at = thread ?? (isDirect ? undefined : begins);
  return { id, kind, ...(at !== undefined && { thread: at }) };
}

function toOwnIds({ self }: SlackChannel, authorizations: EventCallback["authorizations"] & {}): string[] {
  const named = authorizations.flatMap(({ user_id, is_bot }) => (is_bot && user_id !== undefined ? [user_id] : []));
  return self ? [self.id, ...named] : named;
}

function isOwn(
  { user, bot_id, app_id }: Written,
  own: readonly string[],
  { self }: SlackChannel,
  app: string | undefined,
): boolean {
  if (user !== undefined && own.includes(user)) return true;
  if (bot_id === undefined) return false;
  return bot_id === self?.also?.["bot"] || (app_id !== undefined && app_id === app);
}

async function nameSender(written: Written, sender: string, channel: SlackChannel): Promise<string> {
  const { user_profile: profile, username } = written;
  const known = profile?.display_name || profile?.real_name || (written.user === undefined ? username : undefined);
  return known ?? (written.user === undefined ? sender : fetchName(channel, sender));
}

function toQuote(author: string | undefined, text: string): string {
  const lines = text.split("\n").map((line) => `> ${line}`);
  return [author === undefined ? "Shared message:" : `Shared message of ${author}:`, ...lines].join("\n");
}

/** A file of another service has no bytes at Slack. */
function isExternal({ is_external, mode }: File): boolean {
  return is_external === true || mode === "external";
}

function toExternalLink(file: File): string[] {
  if (!isExternal(file) || file.url_private === undefined) return [];
  return [`[${file.name ?? "File"}](${file.url_private})`];
}

/** `ref`: the address of the bytes, or `file:` and the id where Slack says only that in the event. */
function toFile(file: File): InboundFile[] {
  if (isExternal(file) || file.mode === "tombstone") return [];
  const url = file.file_access === "check_file_info" ? undefined : (file.url_private_download ?? file.url_private);
  const type = file.mimetype ?? "application/octet-stream";
  const isVoice = file.subtype === "slack_audio";
  return [
    {
      kind: isVoice ? "voice" : IMAGE_TYPES.includes(type) ? "image" : "file",
      ref: url ?? `file:${file.id}`,
      ...(file.name !== undefined && { name: file.name }),
      mediaType: type,
      ...(file.size !== undefined && { bytes: file.size }),
    },
  ];
}
