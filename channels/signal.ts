// Signal, through signal-cli that a person runs: scripts/signal-forwarder.ts posts what signal-cli receives, and takes its JSON-RPC calls.
// Loaded by channels/index.ts. Keeps nothing. https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
import * as z from "zod";
import type { ChatAddress, OpenChannel, Platform, PlatformClient } from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import type { InboundEvent, InboundFile } from "../core/schemas/channels/inbound.ts";
import { type ApiReply, callApi, inUrl, rateLimited, refused, unavailable } from "./support/call.ts";
import { readBase64, toBase64, toText } from "./support/crypto.ts";
import { readJson, toMessage, toTime } from "./support/events.ts";
import { secret, serverUrl, setting, toForm } from "./support/fields.ts";

const Fields = z.strictObject({
  account: setting("The phone number of the Signal account, such as +4915112345678."),
  url: serverUrl("The address at which the forwarder can be reached, such as that of a tunnel."),
  secret: secret("A long random word of your choice; the forwarder gets the same one."),
});
type Fields = z.infer<typeof Fields>;

const Quote = z.object({
  text: z.string().nullish(),
  authorNumber: z.string().nullish(),
  authorUuid: z.string().nullish(),
});
const Mention = z.object({ start: z.int(), length: z.int(), number: z.string().nullish(), uuid: z.string().nullish() });
type Mention = z.infer<typeof Mention>;
const Attachment = z.object({
  id: z.string(),
  contentType: z.string().nullish(),
  filename: z.string().nullish(),
  size: z.int().min(0).nullish(),
});
const Data = z.object({
  timestamp: z.int(),
  message: z.string().nullish(),
  groupInfo: z.object({ groupId: z.string(), groupName: z.string().nullish(), type: z.string().nullish() }).nullish(),
  mentions: z.array(z.unknown()).nullish(),
  quote: Quote.nullish().catch(null),
  attachments: z.array(z.unknown()).nullish(),
});
type Data = z.infer<typeof Data>;
const Received = z.object({
  account: z.string().optional(),
  envelope: z.object({
    sourceNumber: z.string().nullish(),
    sourceUuid: z.string().nullish(),
    sourceName: z.string().nullish(),
    timestamp: z.int(),
    dataMessage: Data.nullish(),
    editMessage: z.object({ targetSentTimestamp: z.int(), dataMessage: Data }).nullish(),
  }),
});

/** signal-cli's codes of JSON-RPC errors: of the network, and of a rate limit. */
const IO_ERROR = -3;
const RATE_LIMIT_ERROR = -5;
/** [own] Signal asks for a captcha, or for time. It does not say how much. */
const RATE_LIMIT_WAIT_MS = 5 * 60_000;

export const signal: Platform<Fields> = {
  name: "signal",
  title: "Signal",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Register or link a number with signal-cli, and start `signal-cli -a NUMBER daemon --http`.",
    "Start `node scripts/signal-forwarder.ts` beside it with SIGNAL_CHANNEL={address} and SIGNAL_SECRET, and make it reachable by a tunnel.",
  ],
  capabilities: {
    // Signal allows ten edits of a message, which progress would use up.
    edit: false,
    typing: true,
    buttons: 0,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: false,
    replies: true,
    redactsIds: true,
  },
  limits: { text: 8_000, textUnit: "utf16", fileBytes: 8_000_000, editEveryMs: 1_000, typingMs: 10_000 },
  flavour: "plain",
  pairs: true,

  async verify(request, { fields, deps }) {
    if (!deps.isSame(request.headers["authorization"] ?? "", `Bearer ${fields.secret}`)) return null;
    const text = toText(request.body);
    const account = readReceived(text)?.account;
    return account !== undefined && account !== fields.account ? null : { text };
  },

  async parse({ text }, channel) {
    const envelope = readReceived(text)?.envelope;
    const data = envelope?.editMessage?.dataMessage ?? envelope?.dataMessage;
    const id = envelope?.sourceUuid ?? envelope?.sourceNumber;
    if (!envelope || !data || !id || isOwn(channel, envelope.sourceNumber, envelope.sourceUuid)) return { events: [] };
    const group = data.groupInfo;
    const edits = envelope.editMessage;
    const own = listMentions(data).filter(({ number, uuid }) => isOwn(channel, number, uuid));
    const quote = data.quote;
    const replyTo = quote
      ? { text: quote.text ?? "", ofBot: isOwn(channel, quote.authorNumber, quote.authorUuid) }
      : undefined;
    const sent = edits?.targetSentTimestamp ?? data.timestamp;
    const message = toMessage({
      id: `${id}:${data.timestamp}`,
      chat: group ? { id: group.groupId, kind: "group", title: group.groupName ?? undefined } : { id, kind: "direct" },
      from: {
        id,
        name: envelope.sourceName ?? undefined,
        handle: envelope.sourceUuid ? (envelope.sourceNumber ?? undefined) : undefined,
      },
      at: toTime(data.timestamp, channel.deps.clock),
      context: { message: `${sent}`, author: id },
      text: withoutMentions(data.message ?? "", own),
      addressed: !group || own.length > 0 || replyTo?.ofBot === true,
      message: String(sent),
      edited: edits ? true : undefined,
      replyTo,
      files: readFiles(data, group?.groupId),
    });
    return { events: message satisfies InboundEvent[] };
  },

  open: openClient,

  async probe(channel) {
    const { account } = channel.fields;
    const status = await call(channel, "getUserStatus", { recipient: [account] });
    if (!status.ok) return status;
    const users = z.array(z.object({ uuid: z.string().nullish(), isRegistered: z.boolean() })).safeParse(status.value);
    const user = users.data?.[0];
    if (!user?.isRegistered) return refused(`The number ${account} is not registered with Signal.`);
    return ok({ id: account, name: account, also: user.uuid ? { uuid: user.uuid } : undefined });
  },
};

function readReceived(text: string): z.infer<typeof Received> | undefined {
  const posted = readJson(text);
  // As JSON-RPC sends it, and as the event stream does.
  const inner = z.object({ params: z.unknown() }).safeParse(posted).data?.params ?? posted;
  return Received.safeParse(inner).data;
}

function isOwn({ fields, self }: OpenChannel<Fields>, number?: string | null, uuid?: string | null): boolean {
  return number === fields.account || (uuid != null && uuid === self?.also?.["uuid"]);
}

function listMentions({ mentions }: Data): Mention[] {
  return (mentions ?? []).flatMap((mention) => Mention.safeParse(mention).data ?? []);
}

/** A mention is a placeholder in the text. Positions are UTF-16 code units. */
function withoutMentions(text: string, mentions: Mention[]): string {
  const last = mentions.toSorted((a, b) => b.start - a.start);
  const rest = last.reduce((left, { start, length }) => left.slice(0, start) + left.slice(start + length), text);
  return mentions.length > 0 ? rest.trim() : text;
}

function readFiles({ attachments }: Data, group: string | undefined): InboundFile[] {
  return (attachments ?? []).flatMap((raw): InboundFile[] => {
    const file = Attachment.safeParse(raw).data;
    if (!file) return [];
    const type = file.contentType ?? "";
    const kind = type.startsWith("image/") ? "image" : type.startsWith("audio/") ? "voice" : "file";
    const ref = JSON.stringify({ id: file.id, group });
    return [
      { kind, ref, name: file.filename ?? undefined, mediaType: type || undefined, bytes: file.size ?? undefined },
    ];
  });
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  async function send(to: ChatAddress, content: Record<string, unknown>): Promise<Result<{ id: string | null }>> {
    const sent = await call(channel, "send", { ...toRecipient(to), ...content });
    if (!sent.ok) return sent;
    const timestamp = z.object({ timestamp: z.int() }).safeParse(sent.value).data?.timestamp;
    return ok({ id: timestamp === undefined ? null : String(timestamp) });
  }

  return {
    send(to, { text, replyTo }) {
      const { message, author } = to.context ?? {};
      const quote =
        replyTo && replyTo === message && author ? { quoteTimestamp: Number(replyTo), quoteAuthor: author } : {};
      return send(to, { message: text, ...quote });
    },

    async typing(to) {
      const sent = await call(channel, "sendTyping", toRecipient(to));
      return sent.ok ? ok(null) : sent;
    },

    sendFile(to, { name, mediaType, bytes }) {
      return send(to, {
        attachments: [`data:${mediaType};filename=${inUrl(name)};base64,${toBase64(bytes)}`],
      });
    },

    async fetchFile({ ref, mediaType }) {
      const { id, group } =
        z.object({ id: z.string(), group: z.string().optional() }).safeParse(readJson(ref)).data ?? {};
      const got = await call(channel, "getAttachment", { id, ...(group ? { groupId: group } : {}) });
      if (!got.ok) return got;
      const bytes = readBase64(z.object({ data: z.string() }).safeParse(got.value).data?.data ?? "");
      return bytes ? ok({ bytes, mediaType }) : refused("The file is not readable.");
    },
  };
}

function toRecipient({ kind, id }: ChatAddress): Record<string, unknown> {
  return kind === "group" ? { groupId: id } : { recipient: [id] };
}

async function call(channel: OpenChannel<Fields>, method: string, params: object): Promise<Result<unknown>> {
  const { deps, fields } = channel;
  const json = { jsonrpc: "2.0", id: deps.uuid(), method, params: { account: fields.account, ...params } };
  const headers = { authorization: `Bearer ${fields.secret}` };
  // A file comes back as Base64 in JSON.
  const maxBytes = Math.ceil(signal.limits.fileBytes * 1.4);
  const reply = await callApi(deps, `${deps.apiBase ?? fields.url}/api/v1/rpc`, { json, headers, maxBytes }, judge);
  if (!reply.ok) return reply;
  return ok(z.object({ result: z.unknown() }).safeParse(reply.value.json).data?.result);
}

function judge(reply: ApiReply): Result<never> | null {
  const failed = z.object({ error: z.object({ code: z.number(), message: z.string() }) }).safeParse(reply.json)
    .data?.error;
  if (!failed) return null;
  if (failed.code === RATE_LIMIT_ERROR) return rateLimited(RATE_LIMIT_WAIT_MS);
  if (failed.code === IO_ERROR) return unavailable(reply.status);
  return refused(failed.message);
}
