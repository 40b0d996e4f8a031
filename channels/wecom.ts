// WeCom (WeChat Work): encrypted XML callbacks of an app in, the server API out. Loaded by channels/index.ts. Keeps nothing.
// https://developer.work.weixin.qq.com/document/path/90930
import * as z from "zod";
import type { ChannelRequest, ChatAddress, OpenChannel, Platform, PlatformClient } from "../core/channels/platform.ts";
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
  unavailable,
} from "./support/call.ts";
import { decryptBlocks, digest, readBase64, removePadding, toHex, toText } from "./support/crypto.ts";
import { FRESH_MS, isFresh, readTime, toMessage, toTime } from "./support/events.ts";
import { secret, setting, toForm } from "./support/fields.ts";
import { toMultipart } from "./support/multipart.ts";
import { withToken } from "./support/token.ts";
import { readElements } from "./support/xml.ts";

const Fields = z.strictObject({
  corpId: setting("The company's id, from My Company."),
  agentId: setting("The app's AgentId, from the app's page."),
  secret: secret("The app's Secret, from the app's page."),
  token: secret("The Token, from the app's page under Receive Messages > Set API."),
  encodingAESKey: secret("The EncodingAESKey of 43 characters, from the same page."),
});
type Fields = z.infer<typeof Fields>;

const API = "https://qyapi.weixin.qq.com";
/** [WeCom] The block size of its PKCS#7 padding; AES itself has 16. */
const PADDED_BLOCK = 32;
/** [WeCom] Random bytes, then the length of the message as four bytes, before the message. */
const RANDOM_BYTES = 16;
const LENGTH_BYTES = 4;
/** https://developer.work.weixin.qq.com/document/path/90313 */
const RATE_CODES = [45009, 45033];
const AUTH_CODES = [40001, 40013, 40014, 41001, 42001, 42009];
const BUSY = -1;

export const wecom: Platform<Fields> = {
  name: "wecom",
  title: "WeCom",
  fields: Fields,
  form: toForm(Fields),
  steps: [
    "Create a self-built app in the admin console.",
    "Set the channel up here first. Then enter {address}, the Token and the EncodingAESKey under Receive Messages > Set API.",
    "List the addresses that Talaria's requests come from as the app's trusted IPs, or give it a relay by `channels.wecom.apiBase`: WeCom refuses others.",
  ],
  capabilities: {
    edit: false,
    typing: false,
    buttons: 0,
    filesIn: true,
    filesOut: true,
    groups: false,
    threads: false,
    replies: false,
    redactsIds: true,
  },
  limits: { text: 2_048, textUnit: "bytes", fileBytes: 16_000_000, editEveryMs: 1_000, typingMs: 0 },
  flavour: "markdown",
  pairs: true,

  async verify(request, { fields, deps }) {
    const query = new URL(request.url).searchParams;
    const encrypted = readEncrypted(request) ?? "";
    const [timestamp, nonce] = [query.get("timestamp") ?? "", query.get("nonce") ?? ""];
    const expected = toHex(await digest("SHA-1", [fields.token, timestamp, nonce, encrypted].toSorted().join("")));
    if (!deps.isSame(query.get("msg_signature") ?? "", expected)) return null;
    if (!isFresh(deps.clock, readTime(timestamp) * 1_000, FRESH_MS)) return null;
    const text = await decrypt(encrypted, fields);
    const agent = text === null ? undefined : readElements(text).get("AgentID");
    return text === null || (agent !== undefined && agent !== fields.agentId) ? null : { text };
  },

  async parse({ request, text }, { deps }) {
    if (request.method === "GET")
      return { events: [], reply: { status: 200, headers: { "content-type": "text/plain" }, body: text } };
    const message = readElements(text);
    const from = message.get("FromUserName") ?? "";
    const id = message.get("MsgId");
    const events = toMessage({
      id: id ?? "",
      chat: { id: from, kind: "direct" },
      from: { id: from },
      at: toTime(readTime(message.get("CreateTime")) * 1_000, deps.clock),
      text: readText(message),
      message: id,
      files: readFiles(message),
    });
    return { events };
  },

  open: openClient,

  async probe(channel) {
    const { agentId } = channel.fields;
    const reply = await call(channel, "/cgi-bin/agent/get", `agentid=${inUrl(agentId)}`);
    if (!reply.ok) return reply;
    const app = z.object({ name: z.string() }).safeParse(reply.value.json).data;
    return app ? ok({ id: agentId, name: app.name }) : refused(describe(reply.value));
  },
};

/** When the address is set, WeCom asks by GET for the decrypted `echostr`. */
function readEncrypted({ method, url, body }: ChannelRequest): string | undefined {
  if (method === "GET") return new URL(url).searchParams.get("echostr") ?? undefined;
  return readElements(toText(body)).get("Encrypt");
}

/** `null`: it was encrypted with another key, or for another company. */
async function decrypt(encrypted: string, { encodingAESKey, corpId }: Fields): Promise<string | null> {
  const [key, data] = [readBase64(`${encodingAESKey}=`), readBase64(encrypted)];
  const plain = key && data && (await decryptBlocks(key, key.subarray(0, 16), data));
  const content = plain && removePadding(plain, PADDED_BLOCK);
  if (!content || content.length < RANDOM_BYTES + LENGTH_BYTES) return null;
  const start = RANDOM_BYTES + LENGTH_BYTES;
  const length = new DataView(content.buffer, content.byteOffset + RANDOM_BYTES, LENGTH_BYTES).getUint32(0);
  const receiver = toText(content.subarray(start + length));
  return receiver === corpId ? toText(content.subarray(start, start + length)) : null;
}

function readText(message: Map<string, string>): string {
  const type = message.get("MsgType");
  if (type === "text") return message.get("Content") ?? "";
  if (type === "voice") return message.get("Recognition") ?? "";
  if (type === "link") return [message.get("Title"), message.get("Url")].filter(Boolean).join(" ");
  if (type !== "location") return "";
  const place = [message.get("Location_X"), message.get("Location_Y")].join(", ");
  return ["Location:", place, message.get("Label")].filter(Boolean).join(" ");
}

function readFiles(message: Map<string, string>): InboundFile[] {
  const kinds: Record<string, InboundFile["kind"]> = { image: "image", voice: "voice", video: "file", file: "file" };
  const kind = kinds[message.get("MsgType") ?? ""];
  const ref = message.get("MediaId");
  const isWritten = kind === "voice" && message.get("Recognition");
  return kind && ref && !isWritten ? [{ kind, ref, name: message.get("FileName") }] : [];
}

function openClient(channel: OpenChannel<Fields>): PlatformClient {
  async function post(
    { id }: ChatAddress,
    type: string,
    content: Record<string, string>,
  ): Promise<Result<{ id: string | null }>> {
    const json = { touser: id, agentid: Number(channel.fields.agentId), msgtype: type, [type]: content };
    const reply = await call(channel, "/cgi-bin/message/send", "", { json });
    if (!reply.ok) return reply;
    const sent = z
      .object({ msgid: z.string().optional(), invaliduser: z.string().optional() })
      .safeParse(reply.value.json).data;
    // Accepted, and delivered to nobody.
    if (sent?.invaliduser) return refused("The person is not within the app's visible range.");
    return ok({ id: sent?.msgid ?? null });
  }

  return {
    send: (to, { text }) => post(to, "markdown", { content: text }),

    async sendFile(to, file) {
      const type = ["image/jpeg", "image/png"].includes(file.mediaType) ? "image" : "file";
      const form = await toMultipart({}, "media", file);
      const uploaded = await call(channel, "/cgi-bin/media/upload", `type=${type}`, { method: "POST", ...form });
      if (!uploaded.ok) return uploaded;
      const media = z.object({ media_id: z.string() }).safeParse(uploaded.value.json).data;
      return media ? post(to, type, { media_id: media.media_id }) : refused(describe(uploaded.value));
    },

    async fetchFile({ ref, mediaType }) {
      const reply = await call(channel, "/cgi-bin/media/get", `media_id=${inUrl(ref)}`, {
        maxBytes: wecom.limits.fileBytes,
      });
      if (!reply.ok) return reply;
      return ok({
        bytes: reply.value.bytes,
        mediaType: mediaType ?? reply.value.headers.get("content-type") ?? undefined,
      });
    },
  };
}

function call(
  channel: OpenChannel<Fields>,
  path: string,
  query: string,
  request: ApiRequest = {},
): Promise<Result<ApiReply>> {
  const { deps } = channel;
  const use = (token: string) =>
    callApi(deps, `${deps.apiBase ?? API}${path}?access_token=${inUrl(token)}${query && `&${query}`}`, request, judge);
  return withToken(deps, () => fetchToken(channel), use);
}

async function fetchToken({
  deps,
  fields,
}: OpenChannel<Fields>): Promise<Result<{ token: string; expiresInS: number }>> {
  const query = new URLSearchParams({ corpid: fields.corpId, corpsecret: fields.secret });
  const reply = await callApi(deps, `${deps.apiBase ?? API}/cgi-bin/gettoken?${query}`, {}, judge);
  if (!reply.ok) return reply;
  const given = z.object({ access_token: z.string(), expires_in: z.number() }).safeParse(reply.value.json).data;
  return given ? ok({ token: given.access_token, expiresInS: given.expires_in }) : refused(describe(reply.value));
}

function judge(reply: ApiReply): Result<never> | null {
  const failed = z.object({ errcode: z.number(), errmsg: z.string().optional() }).safeParse(reply.json).data;
  if (!failed || failed.errcode === 0 || reply.status >= 500) return null;
  const detail = describe(reply, `${failed.errcode} ${failed.errmsg ?? ""}`);
  if (failed.errcode === BUSY) return unavailable(reply.status);
  if (RATE_CODES.includes(failed.errcode)) return rateLimited(readRetryAfter(reply.headers));
  return AUTH_CODES.includes(failed.errcode) ? authFailed(detail) : refused(detail);
}
