// E-mail: messages that the Email Worker handed in (workers/api/channels/email.ts), and answers by the binding `EMAIL`. Called by
// durable-objects/channels. A request over HTTP is never one of an e-mail. Nothing is believed but what the receiving server proved.
import PostalMime from "postal-mime";
import * as z from "zod";
import type {
  ChannelRequest,
  ChatAddress,
  OpenChannel,
  OutFile,
  Platform,
  PlatformClient,
  Received,
} from "../core/channels/platform.ts";
import { clip, toOneLine } from "../core/clip.ts";
import { type Result, err, ok } from "../core/errors.ts";
import type { InboundFile } from "../core/schemas/channels/inbound.ts";
import { EMAIL_METHOD, ENVELOPE_FROM, ENVELOPE_TO } from "./email/envelope.ts";
import { isRecipient, parseAddress, signThread, toReplyAddress, toThread } from "./email/address.ts";
import { type Header, type Mailbox, readHeaders, readIds } from "./email/headers.ts";
import { OWN_HEADER, isOfMachine, provenAuthor } from "./email/sender-rules.ts";
import { htmlToWords, toWords } from "./email/text.ts";
import { refused } from "./support/call.ts";
import { digest, toHex } from "./support/crypto.ts";
import { toMessage, toTime } from "./support/events.ts";
import { toPlainText } from "./support/html.ts";

/** What Cloudflare's servers call themselves. */
const AUTH_SERVER = "mx.cloudflare.net";
const FILE_BYTES = 10 * 1024 * 1024;
/** Of bytes that become characters at once: each is an argument of a call. */
const CHUNK = 8_192;
const MAX_SUBJECT_CHARS = 200;
/** [own] Ids of a thread that an answer names: the first one, and the newest. */
const MAX_REFERENCES = 12;

/** Of S/MIME and OpenPGP: mail programs give it a name, such as `smime.p7s`. */
const SIGNATURE = /^application\/(?:(?:x-)?pkcs7|pgp)-signature$/i;

const EmailFields = z.strictObject({
  address: z
    .string()
    .trim()
    .toLowerCase()
    .refine((text) => parseAddress(text)?.mark === null, "an e-mail address, such as ada@example.com"),
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\p{Cc}<>"]*$/u)
    .default("Talaria"),
  replySecret: z.string().min(16).max(200).optional(),
  authServer: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[\w.-]+$/)
    .default(AUTH_SERVER),
});
type EmailFields = z.infer<typeof EmailFields>;
type Channel = OpenChannel<EmailFields>;

export const email: Platform<EmailFields> = {
  name: "email",
  title: "E-mail",
  fields: EmailFields,
  form: [
    {
      name: "address",
      help: "The agent's address: one of your domain, or `name+<profile>@domain`.",
      secret: false,
      required: true,
    },
    { name: "name", help: "The name beside the address. Default: Talaria.", secret: false, required: false },
    {
      name: "replySecret",
      help: "Any long random text. With it, answers carry a reply address that only this correspondent can use.",
      secret: true,
      required: false,
    },
    {
      name: "authServer",
      help: "The receiving server's name in Authentication-Results. Default: mx.cloudflare.net.",
      secret: false,
      required: false,
    },
  ],
  steps: [
    "In Cloudflare, switch on Email Routing for a domain, with subaddressing.",
    "Add a rule that sends the agent's address to the Worker talaria-api.",
    "For answers, add the binding `EMAIL` to wrangler.toml (the lines are there, as comments), and deploy.",
    "Name the people who may write in `owners`, `admins` or `users`, each by e-mail address. Nobody else gets an answer.",
  ],
  capabilities: {
    edit: false,
    typing: false,
    buttons: 0,
    filesIn: true,
    filesOut: true,
    groups: false,
    threads: true,
    replies: true,
    redactsIds: true,
  },
  limits: { text: 100_000, textUnit: "utf16", fileBytes: FILE_BYTES, editEveryMs: 5_000, typingMs: 0 },
  flavour: "email",
  pairs: false,

  verify,
  parse: ({ request, text }, channel) => readEmail(request, text, channel),
  open: createClient,
  probe: async ({ fields, deps }) =>
    deps.sendEmail ? ok({ id: fields.address, name: fields.name }) : err("channel_unreachable", NO_BINDING),
};

const NO_BINDING =
  "Messages come in, and no answer can leave: the deployment has no binding `EMAIL`. Add it to wrangler.toml and deploy.";

async function verify(request: ChannelRequest, channel: Channel): Promise<{ text: string } | null> {
  if (request.method !== EMAIL_METHOD) return null;
  const text = toRaw(request.body);
  const headers = readHeaders(text);
  const author = headers && provenAuthor(headers, channel.fields.authServer);
  return author && (await isForUs(request, author, channel)) ? { text } : null;
}

/** Addressed to this channel, and if to a signed address, by the one it was given to. */
async function isForUs(request: ChannelRequest, author: Mailbox, channel: Channel): Promise<boolean> {
  const { fields, profile, deps } = channel;
  const own = parseAddress(fields.address);
  const recipient = parseAddress(request.headers[ENVELOPE_TO] ?? "");
  if (!own || !recipient || !isRecipient(recipient, own, profile)) return false;
  if (!recipient.mark) return true;
  if (fields.replySecret === undefined) return false;
  const { thread, signature } = recipient.mark;
  return deps.isSame(signature, await signThread(fields.replySecret, author.address, thread));
}

async function readEmail(request: ChannelRequest, text: string, channel: Channel): Promise<Received> {
  const headers = readHeaders(text);
  const author = headers && provenAuthor(headers, channel.fields.authServer);
  if (!author || isOwn(author, channel) || isOfMachine(headers, author, request.headers[ENVELOPE_FROM] ?? "")) {
    return { events: [] };
  }
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  try {
    return await toReceived(request, headers, author, bytes, channel);
  } catch {
    return { events: [] }; // not MIME, or nested too deeply
  }
}

async function toReceived(
  request: ChannelRequest,
  headers: readonly Header[],
  author: Mailbox,
  bytes: Uint8Array,
  { deps }: Channel,
): Promise<Received> {
  const mail = await PostalMime.parse(bytes, { maxNestingDepth: 30, maxHeadersSize: 256 * 1024 });
  const messageId = readIds(headers, "message-id")[0];
  // The same message, however often it arrives. Another author's message cannot have its id.
  const id = toHex(await digest("SHA-256", messageId === undefined ? bytes : `${author.address}\n${messageId}`));
  const references = [...readIds(headers, "references"), ...readIds(headers, "in-reply-to")];
  const root = references[0] ?? messageId ?? id;
  const words = toWords(mail.text ?? htmlToWords(mail.html ?? ""));
  const subject = clip(toOneLine(mail.subject ?? ""), MAX_SUBJECT_CHARS);
  const kept = mail.attachments.flatMap(({ filename, mimeType, disposition, content }, n) => {
    // A signature of the message, or a delivery note, is nothing that the author attached.
    if (typeof content === "string" || (filename === null && disposition !== "attachment")) return [];
    if (SIGNATURE.test(mimeType)) return [];
    const file: InboundFile = {
      kind: mimeType.startsWith("image/") ? "image" : mimeType.startsWith("audio/") ? "voice" : "file",
      ref: `${id}.${n}`,
      name: filename ?? undefined,
      mediaType: mimeType,
      bytes: content.byteLength,
    };
    return [{ file, bytes: new Uint8Array(content) }];
  });
  const events = toMessage({
    id,
    chat: {
      id: author.address,
      kind: "direct",
      thread: parseAddress(request.headers[ENVELOPE_TO] ?? "")?.mark?.thread ?? toThread(root),
      ...(subject && { title: subject }),
    },
    from: { id: author.address, name: toName(mail.from) },
    at: Math.min(toTime(Date.parse(mail.date ?? ""), deps.clock), deps.clock.now()),
    text: withSubject(subject, words.text, references.length === 0),
    ...(messageId && { message: messageId }),
    ...(words.quoted && { replyTo: { text: words.quoted, ofBot: true } }),
    files: kept.map(({ file }) => file),
    context: {
      ...(messageId && { messageId }),
      references: toReferences([...references, ...(messageId ? [messageId] : [])]),
      subject,
    },
  });
  return { events, files: kept.map(({ file, bytes: content }) => ({ ref: file.ref, bytes: content })) };
}

/** The first message of a thread says in its subject what it is about. A command stands alone. */
function withSubject(subject: string, text: string, isFirst: boolean): string {
  return !isFirst || subject === "" || text.startsWith("/") ? text : `${subject}\n\n${text}`.trim();
}

function isOwn(author: Mailbox, { fields }: Channel): boolean {
  const own = parseAddress(fields.address);
  const theirs = parseAddress(author.address);
  return own !== null && theirs !== null && theirs.name === own.name && theirs.domain === own.domain;
}

function toName(from: { name: string } | undefined): string {
  return toOneLine(from?.name ?? "");
}

/** The first one names the thread. */
function toReferences(ids: readonly string[]): string {
  const unique = [...new Set(ids)];
  return [...unique.slice(0, 1), ...unique.slice(1).slice(-(MAX_REFERENCES - 1))].join(" ");
}

function createClient(channel: Channel): PlatformClient {
  const { deps, fields } = channel;

  async function post(
    to: ChatAddress,
    body: { html: string; text: string },
    files: readonly OutFile[],
  ): Promise<Result<{ id: string | null }>> {
    if (!deps.sendEmail) return err("channel_unreachable", NO_BINDING);
    if (!parseAddress(to.id) && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(to.id))
      return refused("the chat is not an e-mail address.");
    const { messageId, references, subject = "" } = to.context ?? {};
    const replyTo = await toReplyTo(channel, to);
    return deps.sendEmail({
      from: { email: fields.address, name: fields.name },
      to: to.id,
      ...(replyTo !== null && { replyTo }),
      subject: toSubject(subject, fields.name, messageId !== undefined),
      ...body,
      headers: {
        "Auto-Submitted": "auto-replied",
        [OWN_HEADER]: "1",
        ...(messageId && { "In-Reply-To": messageId }),
        ...(references && { References: references }),
      },
      files,
    });
  }

  return {
    send: (to, { text }) => post(to, { html: text, text: toPlainText(text) }, []),
    sendFile: (to, file) => post(to, { html: "", text: file.name }, [file]),
    async fetchFile({ ref, mediaType }) {
      const bytes = await deps.keptFile?.(ref);
      return bytes ? ok({ bytes, mediaType }) : refused("the file is no longer kept.");
    },
  };
}

/** `null`: answers come to the channel's address, and the thread is known by `References`. */
async function toReplyTo({ fields }: Channel, to: ChatAddress): Promise<string | null> {
  const own = parseAddress(fields.address);
  if (!own || fields.replySecret === undefined || to.thread === undefined) return null;
  const signature = await signThread(fields.replySecret, to.id, to.thread);
  return toReplyAddress(own, { thread: to.thread, signature });
}

function toSubject(subject: string, name: string, isReply: boolean): string {
  if (subject === "") return isReply ? "Re:" : `A message of ${name}`;
  return !isReply || /^(?:re|aw|sv|antw)\s?:/i.test(subject) ? subject : `Re: ${subject}`;
}

/** One character a byte. */
function toRaw(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) parts.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return parts.join("");
}
