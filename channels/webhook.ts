// The generic webhook: any program becomes a chat by signed JSON, in both directions. Loaded by channels/index.ts. Keeps nothing.
// Signed as Standard Webhooks are: https://www.standardwebhooks.com
import * as z from "zod";
import type { ChatAddress, OpenChannel, Platform, PlatformClient } from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import { callApi, refused } from "./support/call.ts";
import { toBase64, toBytes, toText } from "./support/crypto.ts";
import { readJson, toMessage, toPress } from "./support/events.ts";
import { secret, serverUrl, toForm } from "./support/fields.ts";
import { isSigned, signWebhook } from "./support/standard-webhooks.ts";

const Fields = z.strictObject({
  secret: secret("What both sides sign with: whsec_ and at least 24 random bytes in Base64."),
  url: serverUrl(
    "Where what the agent says is posted. Without it the agent can be written to, and cannot answer.",
  ).optional(),
});
type Fields = z.infer<typeof Fields>;

/** What a program posts. The header `webhook-id` names it: a repeated one is the same event. */
const Posted = z.object({
  /** Default: one chat for everything. */
  chat: z.string().default("default"),
  kind: z.enum(["direct", "group"]).default("direct"),
  thread: z.string().optional(),
  title: z.string().optional(),
  from: z
    .object({ id: z.string(), name: z.string().optional(), isBot: z.boolean().optional() })
    .default({ id: "webhook" }),
  text: z.string().default(""),
  /** In a group: whether it is meant for the agent. */
  addressed: z.boolean().optional(),
  /** The program's id of the message. `edited`: it replaces what it was. */
  message: z.string().optional(),
  edited: z.literal(true).optional(),
  replyTo: z.object({ text: z.string(), ofBot: z.boolean() }).optional(),
  files: z
    .array(z.object({ url: z.string(), name: z.string().optional(), mediaType: z.string().optional() }))
    .default([]),
  /** The token of a button that was pressed. */
  press: z.string().optional(),
});

export const webhook: Platform<Fields> = {
  name: "webhook",
  title: "Webhook",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    'Post JSON such as {"chat":"ops","from":{"id":"ada"},"text":"hello"} to {address}, signed as Standard Webhooks.',
  ],
  capabilities: {
    edit: false,
    typing: false,
    buttons: 10,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: true,
    replies: true,
    redactsIds: true,
  },
  limits: { text: 100_000, textUnit: "utf16", fileBytes: 4_000_000, editEveryMs: 1, typingMs: 0 },
  flavour: "markdown",
  pairs: true,

  async verify(request, { fields, deps }) {
    return (await isSigned(fields.secret, request, deps)) ? { text: toText(request.body) } : null;
  },

  async parse({ request, text }, { deps }) {
    const posted = Posted.safeParse(readJson(text)).data;
    if (!posted) return { events: [], reply: refuse() };
    const { chat, kind, thread, title, press, files, ...message } = posted;
    const base = {
      ...message,
      id: request.headers["webhook-id"] ?? "",
      chat: { id: chat, kind, thread, title },
      at: deps.clock.now(),
    };
    if (press !== undefined) return { events: toPress({ ...base, token: press }) };
    const toKind = (type = "") => (type.startsWith("image/") ? "image" : type.startsWith("audio/") ? "voice" : "file");
    const listed = files.map(
      ({ url, name, mediaType }) => ({ kind: toKind(mediaType), ref: url, name, mediaType }) as const,
    );
    const addressed = message.addressed ?? (message.replyTo?.ofBot || undefined);
    return { events: toMessage({ ...base, addressed, files: listed }) };
  },

  open: openClient,

  /** There is nothing to ask: the other side says who it is with every signature. */
  async probe() {
    return ok({ id: "webhook", name: "Webhook" });
  },
};

/** The sender is a program that somebody writes: it is told what is wrong. */
function refuse() {
  const body = JSON.stringify({
    error: "Post an object with `text`, and optionally `chat`, `from`, `files`, `press`.",
  });
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

function openClient({ fields, deps }: OpenChannel<Fields>): PlatformClient {
  async function post(to: ChatAddress, content: Record<string, unknown>): Promise<Result<{ id: string }>> {
    const url = deps.apiBase ?? fields.url;
    if (!url) return refused("The channel has no `url` to which answers are posted.");
    const id = `msg_${deps.uuid()}`;
    const body = toBytes(JSON.stringify({ chat: to.id, ...(to.thread ? { thread: to.thread } : {}), ...content }));
    const signature = await signWebhook(fields.secret, id, deps.clock.now(), body);
    const headers = { "content-type": "application/json", ...signature };
    const reply = await callApi(deps, url, { method: "POST", headers, body });
    return reply.ok ? ok({ id }) : reply;
  }

  return {
    send: (to, { text, replyTo, buttons }) => post(to, { type: "message", text, replyTo, buttons }),
    sendFile: (to, { name, mediaType, bytes }) => post(to, { type: "file", name, mediaType, base64: toBase64(bytes) }),
    async fetchFile({ ref, mediaType }) {
      const reply = await callApi(deps, ref, { maxBytes: webhook.limits.fileBytes });
      return reply.ok ? ok({ bytes: reply.value.bytes, mediaType }) : reply;
    },
  };
}
