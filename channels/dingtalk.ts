// DingTalk: a robot's HTTP callback in, the callback's own address or the robot API out. Loaded by channels/index.ts. Keeps nothing.
// https://open.dingtalk.com/document/orgapp/receive-message
import * as z from "zod";
import { clip, toOneLine } from "../core/clip.ts";
import type { ChatAddress, OpenChannel, OutFile, Platform, PlatformClient } from "../core/channels/platform.ts";
import { type Result, ok } from "../core/errors.ts";
import { readRetryAfter } from "../core/retry-after.ts";
import type { InboundFile } from "../core/schemas/channels/inbound.ts";
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
import { hmac, toBase64, toText } from "./support/crypto.ts";
import { isFresh, readJson, readTime, toMessage, toTime } from "./support/events.ts";
import { secret, setting, toForm } from "./support/fields.ts";
import { toMultipart } from "./support/multipart.ts";
import { withToken } from "./support/token.ts";

const Fields = z.strictObject({
  appKey: setting("The app's AppKey (Client ID), from Credentials & Basic Info."),
  appSecret: secret("The app's AppSecret (Client Secret), from the same page."),
  robotCode: setting("The robot's code, from the page of the robot. Default: the AppKey.").optional(),
});
type Fields = z.infer<typeof Fields>;

const API = "https://api.dingtalk.com";
/** Uploads are still taken by the older API. */
const OLD_API = "https://oapi.dingtalk.com";
/** [DingTalk] How old, or how far in the future, the signed time may be. */
const WINDOW_MS = 60 * 60_000;
/** [own] The callback's address is not used when it ends so soon. */
const MARGIN_MS = 10_000;
const TITLE_CHARS = 40;

const Rich = z.object({
  text: z.string().optional(),
  type: z.string().optional(),
  downloadCode: z.string().optional(),
});
const Content = z.object({
  downloadCode: z.string().optional(),
  fileName: z.string().optional(),
  recognition: z.string().optional(),
  richText: z.array(z.unknown()).optional(),
});
type Content = z.infer<typeof Content>;
const Posted = z.object({
  msgId: z.string(),
  conversationId: z.string(),
  conversationType: z.enum(["1", "2"]),
  conversationTitle: z.string().optional(),
  createAt: z.coerce.number().optional().catch(undefined),
  senderId: z.string(),
  senderStaffId: z.string().optional(),
  senderNick: z.string().optional(),
  isInAtList: z.boolean().optional(),
  robotCode: z.string().optional(),
  sessionWebhook: z.string().optional(),
  sessionWebhookExpiredTime: z.coerce.number().optional().catch(undefined),
  msgtype: z.string(),
  text: z.object({ content: z.string() }).optional().catch(undefined),
  content: Content.optional().catch(undefined),
});
type Posted = z.infer<typeof Posted>;

export const dingtalk: Platform<Fields> = {
  name: "dingtalk",
  title: "DingTalk",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Create an app at open-dev.dingtalk.com and add a robot to it, whose messages are received by HTTP at {address}.",
    "Grant the permission to send messages as the robot, and publish the app.",
  ],
  capabilities: {
    edit: false,
    typing: false,
    buttons: 0,
    filesIn: true,
    filesOut: true,
    groups: true,
    threads: false,
    replies: false,
    redactsIds: true,
  },
  limits: { text: 18_000, textUnit: "bytes", fileBytes: 16_000_000, editEveryMs: 3_000, typingMs: 0 },
  flavour: "markdown",
  pairs: true,

  async verify(request, { fields, deps }) {
    const { timestamp = "", sign = "" } = request.headers;
    const expected = toBase64(await hmac("SHA-256", fields.appSecret, `${timestamp}\n${fields.appSecret}`));
    if (!deps.isSame(sign, expected) || !isFresh(deps.clock, readTime(timestamp), WINDOW_MS)) return null;
    const text = toText(request.body);
    const robot = Posted.safeParse(readJson(text)).data?.robotCode;
    return robot !== undefined && robot !== robotOf(fields) ? null : { text };
  },

  async parse({ text }, { deps }) {
    const posted = Posted.safeParse(readJson(text)).data;
    if (!posted) return { events: [] };
    const isDirect = posted.conversationType === "1";
    const from = posted.senderStaffId ?? posted.senderId;
    const events = toMessage({
      id: posted.msgId,
      chat: { id: posted.conversationId, kind: isDirect ? "direct" : "group", title: posted.conversationTitle },
      from: { id: from, name: posted.senderNick },
      at: toTime(posted.createAt ?? Number.NaN, deps.clock),
      context: toContext(posted),
      text: readText(posted),
      // A robot gets only the messages of a group that mention it.
      addressed: isDirect || posted.isInAtList !== false,
      message: posted.msgId,
      files: readFiles(posted),
    });
    return { events };
  },

  open: openClient,

  async probe(channel) {
    // A token proves the key and the secret; the platform does not say what the robot is called.
    const token = await fetchToken(channel);
    return token.ok ? ok({ id: robotOf(channel.fields), name: "DingTalk robot" }) : token;
  },
};

function robotOf({ robotCode, appKey }: Fields): string {
  return robotCode ?? appKey;
}

function toContext({ sessionWebhook, sessionWebhookExpiredTime, senderStaffId }: Posted): Record<string, string> {
  return {
    ...(sessionWebhook && sessionWebhookExpiredTime
      ? { webhook: sessionWebhook, until: String(sessionWebhookExpiredTime) }
      : {}),
    ...(senderStaffId ? { staff: senderStaffId } : {}),
  };
}

/** The platform takes the mention away and leaves its space. It writes down what a voice message says. */
function readText({ text, content }: Posted): string {
  const rich = (content?.richText ?? []).map((raw) => Rich.safeParse(raw).data?.text ?? "").join("");
  return (text?.content ?? content?.recognition ?? rich).trim();
}

function readFiles({ msgtype, content }: Posted): InboundFile[] {
  const inText = (content?.richText ?? []).flatMap((raw) => Rich.safeParse(raw).data?.downloadCode ?? []);
  const images = inText.map((ref) => ({ kind: "image" as const, ref }));
  const isWritten = msgtype === "audio" && content?.recognition;
  if (!content?.downloadCode || isWritten) return images;
  const kind = msgtype === "picture" ? "image" : msgtype === "audio" ? "voice" : "file";
  return [...images, { kind, ref: content.downloadCode, name: content.fileName }];
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  const { deps, fields } = channel;
  const robotCode = robotOf(fields);

  async function post(
    to: ChatAddress,
    msgKey: string,
    param: Record<string, string>,
  ): Promise<Result<{ id: string | null }>> {
    const message = { robotCode, msgKey, msgParam: JSON.stringify(param) };
    const staff = to.context?.["staff"];
    if (to.kind === "direct" && !staff)
      return refused("The person is not a member of the organisation, so only their own messages can be answered.");
    const reply =
      to.kind === "direct"
        ? await call(channel, "/v1.0/robot/oToMessages/batchSend", { json: { ...message, userIds: [staff] } })
        : await call(channel, "/v1.0/robot/groupMessages/send", { json: { ...message, openConversationId: to.id } });
    if (!reply.ok) return reply;
    return ok({
      id: z.object({ processQueryKey: z.string() }).safeParse(reply.value.json).data?.processQueryKey ?? null,
    });
  }

  return {
    /** To the address that came with the person's message while it lasts; it needs no token and counts against no quota. */
    async send(to, { text }) {
      const title = clip(toOneLine(text), TITLE_CHARS);
      const { webhook = "", until } = to.context ?? {};
      if (!isOfPlatform(webhook, deps.apiBase) || deps.clock.now() > Number(until) - MARGIN_MS)
        return post(to, "sampleMarkdown", { title, text });
      const reply = await callApi(deps, webhook, { json: { msgtype: "markdown", markdown: { title, text } } }, judge);
      return reply.ok ? ok({ id: null }) : reply;
    },

    async sendFile(to, file) {
      const form = await toMultipart({ type: "file" }, "media", file);
      const uploaded = await call(channel, "/media/upload", { method: "POST", ...form }, OLD_API);
      if (!uploaded.ok) return uploaded;
      const mediaId = z.object({ media_id: z.string() }).safeParse(uploaded.value.json).data?.media_id;
      if (!mediaId) return refused(describe(uploaded.value));
      return post(to, "sampleFile", { mediaId, fileName: file.name, fileType: extensionOf(file) });
    },

    async fetchFile({ ref, mediaType }) {
      const found = await call(channel, "/v1.0/robot/messageFiles/download", {
        json: { downloadCode: ref, robotCode },
      });
      if (!found.ok) return found;
      const url = z.object({ downloadUrl: z.url({ protocol: /^https?$/ }) }).safeParse(found.value.json)
        .data?.downloadUrl;
      if (!url) return refused(describe(found.value));
      const reply = await callApi(deps, url, { maxBytes: dingtalk.limits.fileBytes });
      return reply.ok ? ok({ bytes: reply.value.bytes, mediaType }) : reply;
    },
  };
}

/** The signature does not cover the address, so only DingTalk's own are called. */
function isOfPlatform(webhook: string, apiBase: string | null): boolean {
  if (apiBase !== null) return webhook.startsWith(`${apiBase}/`);
  return [API, OLD_API].some((base) => webhook.startsWith(`${base}/`));
}

function extensionOf({ name }: OutFile): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1) : "bin";
}

function call(channel: OpenChannel<Fields>, path: string, request: ApiRequest, api = API): Promise<Result<ApiReply>> {
  const { deps } = channel;
  const use = (token: string) => {
    const query = api === OLD_API ? `?access_token=${inUrl(token)}` : "";
    const headers = { ...request.headers, "x-acs-dingtalk-access-token": token };
    return callApi(deps, `${deps.apiBase ?? api}${path}${query}`, { ...request, headers }, judge);
  };
  return withToken(deps, () => fetchToken(channel), use);
}

async function fetchToken({
  deps,
  fields,
}: OpenChannel<Fields>): Promise<Result<{ token: string; expiresInS: number }>> {
  const { appKey, appSecret } = fields;
  const reply = await callApi(
    deps,
    `${deps.apiBase ?? API}/v1.0/oauth2/accessToken`,
    { json: { appKey, appSecret } },
    judge,
  );
  if (!reply.ok) return reply;
  const given = z.object({ accessToken: z.string(), expireIn: z.number() }).safeParse(reply.value.json).data;
  return given ? ok({ token: given.accessToken, expiresInS: given.expireIn }) : refused(describe(reply.value));
}

const Failed = z.object({
  /** Of the robot API. */
  code: z.string().optional(),
  message: z.string().optional(),
  /** Of the older API, and of the callback's address. */
  errcode: z.number().optional(),
  errmsg: z.string().optional(),
});

function judge(reply: ApiReply): Result<never> | null {
  const { code, message, errcode = 0, errmsg } = Failed.safeParse(reply.json).data ?? {};
  if (reply.status >= 500 || (reply.status < 400 && errcode === 0)) return null;
  const detail = describe(reply, message ?? errmsg);
  if (code?.includes("Throttling") || [130101, 130102, 90018].includes(errcode))
    return rateLimited(readRetryAfter(reply.headers));
  if (code?.includes("Authentication") || [40014, 42001, 88].includes(errcode)) return authFailed(detail);
  return errcode === 0 ? null : refused(detail);
}
