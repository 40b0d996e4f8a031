// Text messages (SMS, MMS) by Twilio: signed forms in, the REST API out. Loaded by channels/index.ts. Keeps nothing.
// https://www.twilio.com/docs/usage/webhooks/webhooks-security
import * as z from "zod";
import type { ChannelRequest, OpenChannel, Platform, PlatformClient } from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import type { InboundFile } from "../core/schemas/channels/inbound.ts";
import { type ApiReply, type ApiRequest, callApi, describe, inUrl, refused, windowClosed } from "./support/call.ts";
import { hmac, toBase64, toBytes, toText } from "./support/crypto.ts";
import { toMessage } from "./support/events.ts";
import { secret, setting, toForm } from "./support/fields.ts";

const Fields = z.strictObject({
  accountSid: setting("The Account SID, AC…, from the start page of the console."),
  authToken: secret("The Auth Token, from the same page."),
  from: setting("The number that people write to, such as +14155550100, or the SID of a messaging service, MG…."),
});
type Fields = z.infer<typeof Fields>;

const API = "https://api.twilio.com";
const MESSAGING_API = "https://messaging.twilio.com";
/** [Twilio] Most media of a message. */
const MAX_MEDIA = 10;
const EMPTY_ANSWER = { status: 200, headers: { "content-type": "text/xml" }, body: "<Response/>" };

export const twilio: Platform<Fields> = {
  name: "twilio",
  title: "SMS (Twilio)",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Buy a number that can send and receive text messages at console.twilio.com, or make a messaging service of several.",
  ],
  capabilities: {
    edit: false,
    typing: false,
    buttons: 0,
    filesIn: true,
    filesOut: false,
    groups: false,
    threads: false,
    replies: false,
    redactsIds: true,
  },
  limits: { text: 1_600, textUnit: "utf16", fileBytes: 5_000_000, editEveryMs: 1_000, typingMs: 0 },
  flavour: "plain",
  pairs: true,

  async verify(request, { fields, deps }) {
    if (request.method !== "POST") return null;
    const text = toText(request.body);
    const form = new URLSearchParams(text);
    const given = request.headers["x-twilio-signature"] ?? "";
    let isGenuine = false;
    for (const url of listSignedUrls(request)) {
      const expected = toBase64(await hmac("SHA-1", fields.authToken, url + toSignedForm(form)));
      isGenuine = deps.isSame(given, expected) || isGenuine;
    }
    const isAddressed = form.get("AccountSid") === fields.accountSid && addresseeOf(form, fields) === fields.from;
    return isGenuine && isAddressed ? { text } : null;
  },

  async parse({ text }, { deps }) {
    const form = new URLSearchParams(text);
    const from = form.get("From") ?? "";
    // Twilio itself answers STOP, START and HELP.
    if (form.has("OptOutType")) return { events: [], reply: EMPTY_ANSWER };
    const events = toMessage({
      id: form.get("MessageSid") ?? "",
      chat: { id: from, kind: "direct" },
      from: { id: from, name: form.get("ProfileName") ?? undefined },
      at: deps.clock.now(),
      text: form.get("Body") ?? "",
      message: form.get("MessageSid") ?? undefined,
      files: readFiles(form),
    });
    return { events, reply: EMPTY_ANSWER };
  },

  open: openClient,

  async probe(channel) {
    const reply = await call(channel, ".json", { method: "GET" });
    if (!reply.ok) return reply;
    const account = z.object({ friendly_name: z.string() }).safeParse(reply.value.json);
    if (!account.success) return refused(describe(reply.value));
    return ok({ id: channel.fields.from, name: account.data.friendly_name });
  },

  async register(channel) {
    const { fields, deps } = channel;
    const address = channel.address ?? "";
    if (isService(fields)) {
      const form = { InboundRequestUrl: address, InboundMethod: "POST" };
      const url = `${deps.apiBase ?? MESSAGING_API}/v1/Services/${inUrl(fields.from)}`;
      const reply = await callApi(deps, url, { form, headers: authorize(fields) }, judge);
      return reply.ok ? ok(null) : reply;
    }
    const found = await call(channel, `/IncomingPhoneNumbers.json?PhoneNumber=${inUrl(fields.from)}`, {
      method: "GET",
    });
    if (!found.ok) return found;
    const Numbers = z.object({ incoming_phone_numbers: z.array(z.object({ sid: z.string() })) });
    const sid = Numbers.safeParse(found.value.json).data?.incoming_phone_numbers[0]?.sid;
    if (!sid) return refused(`The account has no number ${fields.from}.`);
    const form = { SmsUrl: address, SmsMethod: "POST" };
    const reply = await call(channel, `/IncomingPhoneNumbers/${inUrl(sid)}.json`, { form });
    return reply.ok ? ok(null) : reply;
  },
};

/** Twilio is inconsistent about the port in the address that it signs, so its own libraries try both. */
function listSignedUrls({ url }: ChannelRequest): string[] {
  const { protocol, hostname, port } = new URL(url);
  const rest = url.slice(url.indexOf("/", protocol.length + 2));
  const bare = `${protocol}//${hostname}${rest}`;
  const withPort = `${protocol}//${hostname}:${port || (protocol === "https:" ? "443" : "80")}${rest}`;
  return [bare, withPort];
}

/** Names and values, sorted by name, without anything between them. */
function toSignedForm(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].toSorted();
  return names
    .map((name) =>
      [...new Set(form.getAll(name))]
        .toSorted()
        .map((value) => name + value)
        .join(""),
    )
    .join("");
}

function isService({ from }: Fields): boolean {
  return from.startsWith("MG");
}

function addresseeOf(form: URLSearchParams, fields: Fields): string | null {
  return form.get(isService(fields) ? "MessagingServiceSid" : "To");
}

function readFiles(form: URLSearchParams): InboundFile[] {
  return Array.from({ length: MAX_MEDIA }, (_, at) => at).flatMap((at): InboundFile[] => {
    const ref = form.get(`MediaUrl${at}`);
    const mediaType = form.get(`MediaContentType${at}`) ?? undefined;
    const kind = mediaType?.startsWith("image/") ? "image" : mediaType?.startsWith("audio/") ? "voice" : "file";
    return ref ? [{ kind, ref, mediaType }] : [];
  });
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  const { fields, deps } = channel;
  return {
    async send(to, { text }) {
      const sender: Record<string, string> = isService(fields)
        ? { MessagingServiceSid: fields.from }
        : { From: fields.from };
      const reply = await call(channel, "/Messages.json", { form: { To: to.id, Body: text, ...sender } });
      if (!reply.ok) return reply;
      return ok({ id: z.object({ sid: z.string() }).safeParse(reply.value.json).data?.sid ?? null });
    },

    async fetchFile(file) {
      // The credentials go to Twilio only; a redirect to its storage does not carry them.
      if (!file.ref.startsWith(`${deps.apiBase ?? API}/`)) return refused("The file is not at Twilio.");
      const reply = await callApi(deps, file.ref, { headers: authorize(fields), maxBytes: twilio.limits.fileBytes });
      return reply.ok ? ok({ bytes: reply.value.bytes, mediaType: file.mediaType }) : reply;
    },
  };
}

function call({ deps, fields }: OpenChannel<Fields>, path: string, request: ApiRequest): Promise<Result<ApiReply>> {
  const account = `${deps.apiBase ?? API}/2010-04-01/Accounts/${inUrl(fields.accountSid)}`;
  return callApi(deps, `${account}${path}`, { ...request, headers: authorize(fields) }, judge);
}

function authorize({ accountSid, authToken }: Fields): Record<string, string> {
  return { authorization: `Basic ${toBase64(toBytes(`${accountSid}:${authToken}`))}` };
}

/** https://www.twilio.com/docs/api/errors */
function judge(reply: ApiReply): Result<never> | null {
  const failed = z.object({ code: z.number(), message: z.string().optional() }).safeParse(reply.json).data;
  if (!failed || reply.status < 400) return null;
  if (failed.code === 63016) return windowClosed("More than 24 hours have passed since the person wrote by WhatsApp.");
  return reply.status === 400 ? refused(describe(reply, failed.message)) : null;
}
