// WhatsApp by Meta's Cloud API: signed webhooks in, the Graph API out. Loaded by channels/index.ts. Keeps nothing.
// https://developers.facebook.com/docs/whatsapp/cloud-api
import * as z from "zod";
import { clip, toOneLine } from "../core/clip.ts";
import type {
  ChatAddress,
  OpenChannel,
  OutFile,
  OutMessage,
  Platform,
  PlatformClient,
} from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import { readRetryAfter } from "../core/retry-after.ts";
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
  unavailable,
  windowClosed,
} from "./support/call.ts";
import { hmac, toHex, toText } from "./support/crypto.ts";
import { readJson, toMessage, toPress, toTime } from "./support/events.ts";
import { secret, setting, toForm } from "./support/fields.ts";
import { toMultipart } from "./support/multipart.ts";

const Fields = z.strictObject({
  accessToken: secret("A permanent access token of a system user, with the permission whatsapp_business_messaging."),
  phoneNumberId: setting("The phone number's id (not the number), from WhatsApp > API Setup."),
  appSecret: secret("The app's secret, from App settings > Basic."),
  verifyToken: secret("A word of your choice; you enter the same one beside the callback URL."),
  template: setting(
    "A template whose body is one variable: what it carries reaches people more than 24 hours after they wrote.",
  ).optional(),
  templateLanguage: setting("The template's language, such as en_US, which is the default.").optional(),
});
type Fields = z.infer<typeof Fields>;

const API = "https://graph.facebook.com/v25.0";
/** [WhatsApp] How long a business may answer freely after the person's last message. */
const WINDOW_MS = 24 * 60 * 60_000;
/** [WhatsApp] Most reply buttons, their characters, and the characters of a text above them. */
const BUTTONS = { most: 3, label: 20, text: 1_024 };
/** [WhatsApp] Most rows of a list, and the characters of a row and of its description. */
const ROWS = { most: 10, title: 24, description: 72 };
/** [WhatsApp] Characters of one variable of a template. */
const VARIABLE_CHARS = 1_024;

const Media = z.object({
  id: z.string(),
  mime_type: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
  voice: z.boolean().optional(),
});
const Reply = z.object({ id: z.string(), title: z.string().optional() });
const Message = z.object({
  from: z.string(),
  id: z.string(),
  timestamp: z.string().optional(),
  group_id: z.string().optional(),
  context: z.object({ id: z.string().optional() }).optional().catch(undefined),
  text: z.object({ body: z.string() }).optional(),
  image: Media.optional(),
  sticker: Media.optional(),
  video: Media.optional(),
  audio: Media.optional(),
  document: Media.optional(),
  location: z
    .object({
      latitude: z.number(),
      longitude: z.number(),
      name: z.string().optional(),
      address: z.string().optional(),
    })
    .optional(),
  interactive: z.object({ button_reply: Reply.optional(), list_reply: Reply.optional() }).optional(),
  button: z.object({ text: z.string() }).optional(),
});
type Message = z.infer<typeof Message>;
const Value = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  contacts: z.array(z.unknown()).optional(),
  messages: z.array(z.unknown()).optional(),
});
const Contact = z.object({ wa_id: z.string(), profile: z.object({ name: z.string() }) });
const Notice = z.object({
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
});

export const whatsapp: Platform<Fields> = {
  name: "whatsapp",
  title: "WhatsApp",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Create an app of the type Business at developers.facebook.com and add the product WhatsApp.",
    "Under WhatsApp > Configuration enter {address} as the callback URL and your verify token, and subscribe to the field messages.",
  ],
  capabilities: {
    edit: false,
    typing: true,
    buttons: ROWS.most,
    filesIn: true,
    filesOut: true,
    groups: false,
    threads: false,
    replies: true,
    redactsIds: true,
  },
  // Meta takes documents of 100 MB; an isolate has 128 MB.
  limits: { text: 4_096, textUnit: "utf16", fileBytes: 16_000_000, editEveryMs: 1_000, typingMs: 25_000 },
  flavour: "whatsapp",
  pairs: true,

  async verify(request, { fields, deps }) {
    if (request.method === "GET") {
      const asked = new URL(request.url).searchParams;
      const isAsked =
        asked.get("hub.mode") === "subscribe" && deps.isSame(asked.get("hub.verify_token") ?? "", fields.verifyToken);
      return isAsked ? { text: "" } : null;
    }
    const expected = `sha256=${toHex(await hmac("SHA-256", fields.appSecret, request.body))}`;
    if (!deps.isSame(request.headers["x-hub-signature-256"] ?? "", expected)) return null;
    const text = toText(request.body);
    const numbers = listValues(text).map((value) => value.metadata.phone_number_id);
    return numbers.length > 0 && !numbers.includes(fields.phoneNumberId) ? null : { text };
  },

  async parse({ request, text }, channel) {
    if (request.method === "GET") {
      const challenge = new URL(request.url).searchParams.get("hub.challenge") ?? "";
      return { events: [], reply: { status: 200, headers: { "content-type": "text/plain" }, body: challenge } };
    }
    const values = listValues(text).filter((value) => value.metadata.phone_number_id === channel.fields.phoneNumberId);
    return { events: values.flatMap((value) => readValue(value, channel)) };
  },

  open: openClient,

  async probe(channel) {
    const reply = await call(channel, `/${channel.fields.phoneNumberId}?fields=verified_name,display_phone_number`);
    if (!reply.ok) return reply;
    const found = z
      .object({ id: z.string(), verified_name: z.string().optional(), display_phone_number: z.string().optional() })
      .safeParse(reply.value.json);
    if (!found.success) return refused(describe(reply.value));
    const { id, verified_name: name, display_phone_number: number } = found.data;
    return ok({ id, name: name ?? number ?? id, also: number ? { number } : undefined });
  },

  async register(channel) {
    return setCallback(channel, { override_callback_uri: channel.address, verify_token: channel.fields.verifyToken });
  },

  async unregister(channel) {
    return setCallback(channel, { override_callback_uri: "" });
  },
};

async function setCallback(
  channel: OpenChannel<Fields>,
  webhook: Record<string, string | null>,
): Promise<Result<null>> {
  const reply = await call(channel, `/${channel.fields.phoneNumberId}`, { json: { webhook_configuration: webhook } });
  return reply.ok ? ok(null) : reply;
}

function listValues(text: string): z.infer<typeof Value>[] {
  const notice = Notice.safeParse(readJson(text));
  const changes = notice.success ? notice.data.entry.flatMap((entry) => entry.changes) : [];
  return changes.flatMap(({ field, value }) => (field === "messages" ? (Value.safeParse(value).data ?? []) : []));
}

function readValue(value: z.infer<typeof Value>, { deps }: OpenChannel<Fields>): InboundEvent[] {
  const contacts = (value.contacts ?? []).flatMap((contact) => Contact.safeParse(contact).data ?? []);
  const nameOf = (id: string) => contacts.find((contact) => contact.wa_id === id)?.profile.name;
  return (value.messages ?? []).flatMap((raw): InboundEvent[] => {
    const message = Message.safeParse(raw).data;
    if (!message || message.group_id) return [];
    const at = toTime(Number(message.timestamp) * 1_000, deps.clock);
    const base = {
      id: message.id,
      chat: { id: message.from, kind: "direct" as const },
      from: { id: message.from, name: nameOf(message.from) },
      at,
      message: message.id,
      context: { message: message.id, at: String(at) },
    };
    const pressed = message.interactive?.button_reply ?? message.interactive?.list_reply;
    if (pressed) return toPress({ ...base, token: pressed.id, message: message.context?.id });
    return toMessage({ ...base, text: readText(message), files: readFiles(message) });
  });
}

function readText({ text, image, video, document, button, location }: Message): string {
  const written = text?.body ?? image?.caption ?? video?.caption ?? document?.caption ?? button?.text;
  if (written !== undefined || !location) return written ?? "";
  const { latitude, longitude, name, address } = location;
  return ["Location:", `${latitude}, ${longitude}`, name, address].filter(Boolean).join(" ");
}

function readFiles({ image, sticker, video, audio, document }: Message): InboundFile[] {
  const toFile = (kind: InboundFile["kind"], media: z.infer<typeof Media> | undefined): InboundFile[] =>
    media ? [{ kind, ref: media.id, name: media.filename, mediaType: media.mime_type }] : [];
  return [
    ...toFile("image", image ?? sticker),
    ...toFile(audio?.voice ? "voice" : "file", audio),
    ...toFile("file", video),
    ...toFile("file", document),
  ];
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  const { fields, deps } = channel;
  const base = { messaging_product: "whatsapp", recipient_type: "individual" };

  async function post(content: Record<string, unknown>): Promise<Result<{ id: string | null }>> {
    const reply = await call(channel, `/${fields.phoneNumberId}/messages`, { json: { ...base, ...content } });
    if (!reply.ok) return reply;
    const sent = z.object({ messages: z.array(z.object({ id: z.string() })) }).safeParse(reply.value.json);
    return ok({ id: sent.data?.messages[0]?.id ?? null });
  }

  /** The platform tells of a closed window only after it took the message, so the time of the person's last message decides. */
  function isClosed(to: ChatAddress): boolean {
    const at = Number(to.context?.["at"] ?? Number.NaN);
    return deps.clock.now() - at >= WINDOW_MS;
  }

  /** A template carries a short text. For a longer one, or one with buttons, it tells the person to write, and the message waits. */
  async function sendTemplate(to: ChatAddress, message: OutMessage): Promise<Result<{ id: string | null }>> {
    if (!fields.template) {
      return windowClosed(
        "WhatsApp takes messages only within 24 hours after the person wrote. This one waits until they write again.",
      );
    }
    const line = toOneLine(message.text);
    const isWhole = line.length <= VARIABLE_CHARS && !message.buttons?.length;
    const suffix = " … Answer to see this message.";
    const text = isWhole ? line : `${clip(line, VARIABLE_CHARS - suffix.length - 1)}${suffix}`;
    const template = {
      name: fields.template,
      language: { code: fields.templateLanguage ?? "en_US" },
      components: [{ type: "body", parameters: [{ type: "text", text }] }],
    };
    const sent = await post({ to: to.id, type: "template", template });
    if (!sent.ok || isWhole) return sent;
    return windowClosed("The person was told by the template. The whole message waits until they write.");
  }

  return {
    async send(to, message) {
      if (isClosed(to)) return sendTemplate(to, message);
      const context = message.replyTo ? { context: { message_id: message.replyTo } } : {};
      const sent = await post({ to: to.id, ...context, ...toContent(message) });
      return !sent.ok && sent.failure.code === "channel_window_closed" ? sendTemplate(to, message) : sent;
    },

    async typing(to) {
      const message = to.context?.["message"];
      if (!message) return ok(null);
      const sign = {
        messaging_product: "whatsapp",
        status: "read",
        message_id: message,
        typing_indicator: { type: "text" },
      };
      const reply = await call(channel, `/${fields.phoneNumberId}/messages`, { json: sign });
      return reply.ok ? ok(null) : reply;
    },

    async sendFile(to, file) {
      if (isClosed(to)) return windowClosed("WhatsApp takes files only within 24 hours after the person wrote.");
      const form = await toMultipart({ messaging_product: "whatsapp", type: file.mediaType }, "file", file);
      const uploaded = await call(channel, `/${fields.phoneNumberId}/media`, { method: "POST", ...form });
      if (!uploaded.ok) return uploaded;
      const media = z.object({ id: z.string() }).safeParse(uploaded.value.json);
      if (!media.success) return refused(describe(uploaded.value));
      const type = kindOf(file);
      return post({
        to: to.id,
        type,
        [type]: { id: media.data.id, ...(type === "document" ? { filename: file.name } : {}) },
      });
    },

    async fetchFile(file) {
      const found = await call(channel, `/${inUrl(file.ref)}`);
      if (!found.ok) return found;
      const media = z
        .object({ url: z.url({ protocol: /^https?$/ }), mime_type: z.string().optional() })
        .safeParse(found.value.json);
      if (!media.success) return refused(describe(found.value));
      const headers = { authorization: `Bearer ${fields.accessToken}` };
      const reply = await callApi(deps, media.data.url, { headers, maxBytes: whatsapp.limits.fileBytes });
      return reply.ok ? ok({ bytes: reply.value.bytes, mediaType: media.data.mime_type ?? file.mediaType }) : reply;
    },
  };
}

/** [WhatsApp] Images are JPEG or PNG up to 5 MB. Everything else is sent as a document, which has no such rules. */
function kindOf({ mediaType, bytes }: OutFile): "image" | "document" {
  return ["image/jpeg", "image/png"].includes(mediaType) && bytes.length <= 5_000_000 ? "image" : "document";
}

function toContent({ text, buttons = [] }: OutMessage): Record<string, unknown> {
  if (buttons.length === 0) return { type: "text", text: { body: text, preview_url: false } };
  const fits =
    text.length <= BUTTONS.text &&
    buttons.length <= BUTTONS.most &&
    buttons.every(({ label }) => label.length <= BUTTONS.label);
  const body = { text };
  if (fits) {
    const shown = buttons.map(({ label, token }) => ({ type: "reply", reply: { id: token, title: label } }));
    return { type: "interactive", interactive: { type: "button", body, action: { buttons: shown } } };
  }
  const rows = buttons.slice(0, ROWS.most).map(({ label, token }) => {
    const isLong = label.length > ROWS.title;
    return {
      id: token,
      title: clip(label, ROWS.title),
      ...(isLong ? { description: clip(label, ROWS.description) } : {}),
    };
  });
  return {
    type: "interactive",
    interactive: { type: "list", body, action: { button: "Choose", sections: [{ rows }] } },
  };
}

function call(channel: OpenChannel<Fields>, path: string, request: ApiRequest = {}): Promise<Result<ApiReply>> {
  const { deps, fields } = channel;
  const headers = { authorization: `Bearer ${fields.accessToken}`, ...request.headers };
  return callApi(deps, `${deps.apiBase ?? API}${path}`, { ...request, headers }, judge);
}

const ApiError = z.object({ error: z.object({ code: z.number(), message: z.string().optional() }) });

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
function judge(reply: ApiReply): Result<never> | null {
  const failed = ApiError.safeParse(reply.json).data?.error;
  if (!failed) return null;
  const { code, message } = failed;
  if (code === 131047) return windowClosed("More than 24 hours have passed since the person wrote.");
  if ([4, 613, 80007, 130429, 131048, 131056].includes(code)) return rateLimited(readRetryAfter(reply.headers));
  if (code === 0 || code === 10 || code === 190 || (code >= 200 && code < 300))
    return authFailed(describe(reply, message));
  if ([1, 2, 131000, 131016].includes(code)) return unavailable(reply.status);
  return refused(describe(reply, message));
}
