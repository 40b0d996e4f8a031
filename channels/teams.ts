// Microsoft Teams: activities of the Bot Framework over HTTP, proved by its token. Called by durable-objects/channels.
// https://learn.microsoft.com/en-us/azure/bot-service/rest-api/bot-framework-rest-connector-authentication. The token does not cover the
// body: the address to answer at is compared with the token's, and with a list of hosts, before the bot's own token goes there.
import * as z from "zod";
import type {
  BotIdentity,
  ChannelRequest,
  ChatAddress,
  OpenChannel,
  OutMessage,
  Platform,
  PlatformClient,
  Received,
} from "../core/channels/platform.ts";
import { clip } from "../core/clip.ts";
import { type Result, ok } from "../core/errors.ts";
import type { ChatPlace, InboundFile, Sender } from "../core/schemas/channels/inbound.ts";
import { toObject } from "../core/unknown-object.ts";
import { type ApiReply, type ApiRequest, authFailed, callApi, describe, refused } from "./support/call.ts";
import { digest, toHex, toText } from "./support/crypto.ts";
import { readJson, toMessage, toPress, toTime } from "./support/events.ts";
import { cachedToken, readBearer, verifyToken } from "./support/key-sets.ts";

const KEYS_BASE = "https://login.botframework.com";
const KEYS_PATH = "/v1/.well-known/keys";
const LOGIN_BASE = "https://login.microsoftonline.com";
const ISSUER = "https://api.botframework.com";
const SCOPE = "https://api.botframework.com/.default";
/** The tenant that gives tokens to bots of every tenant. */
const ANY_TENANT = "botframework.com";
const TEAMS = "msteams";
/** Where Teams' connector is: https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages. */
const SERVICE_HOSTS = [
  /^smba\.trafficmanager\.net$/,
  /^smba\.infra\.(gcc|gov)\.teams\.microsoft\.(com|us)$/,
  /^smba\.infra\.dod\.teams\.microsoft\.us$/,
];
/** Where files of chats are kept. Their addresses carry a token of their own. */
const FILE_HOSTS = /^[a-z0-9-]{1,63}(-my)?\.sharepoint\.(com|us)$/;
const FILE_INFO = "application/vnd.microsoft.teams.file.download.info";
const CARD = "application/vnd.microsoft.card.adaptive";
/** What a pressed button sends back: `{"talaria": token}`. */
const PRESS_KEY = "talaria";
const TOKEN_KEY = "teams.token";
const FILE_BYTES = 20 * 1024 * 1024;

/** Microsoft's tokens name ids in lower case. They are part of addresses. */
const microsoftId = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9.-]{0,199}$/);
const TeamsFields = z.strictObject({
  appId: microsoftId,
  appPassword: z.string().trim().min(1).max(500),
  tenantId: microsoftId.optional(),
});
type TeamsFields = z.infer<typeof TeamsFields>;
type Channel = OpenChannel<TeamsFields>;

const Account = z.object({
  id: z.string().min(1).max(1_000),
  name: z.string().nullish(),
  aadObjectId: z.string().max(1_000).nullish(),
});
const Activity = z.object({
  type: z.string(),
  id: z.string().min(1).max(500),
  timestamp: z.string().nullish(),
  channelId: z.literal(TEAMS),
  serviceUrl: z.string().max(500),
  from: Account,
  recipient: Account.nullish(),
  conversation: z.object({
    id: z.string().min(1).max(900),
    conversationType: z.string().nullish(),
    tenantId: z.string().max(100).nullish(),
  }),
  text: z.string().nullish(),
  textFormat: z.string().nullish(),
  value: z.unknown().optional(),
  replyToId: z.string().max(500).nullish(),
  entities: z.array(z.unknown()).nullish(),
  attachments: z.array(z.unknown()).nullish(),
  channelData: z.unknown().optional(),
});
type Activity = z.infer<typeof Activity>;
const Mention = z.object({
  type: z.literal("mention"),
  mentioned: z.object({ id: z.string() }),
  text: z.string().nullish(),
});
const Attachment = z.object({
  contentType: z.string(),
  contentUrl: z.string().nullish(),
  name: z.string().nullish(),
  content: z.unknown().optional(),
});

export const teams: Platform<TeamsFields> = {
  name: "teams",
  title: "Microsoft Teams",
  fields: TeamsFields,
  form: [
    { name: "appId", help: "The Microsoft App ID of the Azure Bot.", secret: false, required: true },
    { name: "appPassword", help: "A client secret of that app.", secret: true, required: true },
    {
      name: "tenantId",
      help: "The ID of your tenant. Needed for a bot of a single tenant; messages of other tenants are then refused.",
      secret: false,
      required: false,
    },
  ],
  steps: [
    "Create an Azure Bot (https://portal.azure.com/#create/Microsoft.AzureBot) and copy its Microsoft App ID and its tenant ID.",
    "In the app's registration, make a client secret and copy its value.",
    "On the bot's page Configuration, set the messaging endpoint to {address}. On the page Channels, add Microsoft Teams.",
    "In the Developer Portal (https://dev.teams.microsoft.com/apps), make an app with this bot for the scopes personal, team and group chat, and install it.",
  ],
  capabilities: {
    edit: true,
    typing: true,
    buttons: 6,
    filesIn: true,
    filesOut: false,
    groups: true,
    threads: true,
    replies: true,
    redactsIds: false,
  },
  // A message may have about 100 KB with its card, in UTF-16: https://learn.microsoft.com/en-us/microsoftteams/limits-specifications-teams.
  limits: { text: 20_000, textUnit: "utf16", fileBytes: FILE_BYTES, editEveryMs: 1_500, typingMs: 3_000 },
  flavour: "markdown",
  pairs: true,

  verify,
  parse: ({ text }, channel) => readTeams(text, channel),
  open: createClient,
  probe,
};

async function verify(request: ChannelRequest, channel: Channel): Promise<{ text: string } | null> {
  const token = readBearer(request.headers["authorization"]);
  if (request.method !== "POST" || token === null) return null;
  const { deps, fields } = channel;
  const keys = `${deps.apiBase ?? KEYS_BASE}${KEYS_PATH}`;
  const verified = await verifyToken(deps, token, { keys, issuer: ISSUER, audience: fields.appId });
  if (!verified) return null;
  const text = toText(request.body);
  const activity = toObject(readJson(text));
  const { serviceUrl, channelId } = activity;
  const { endorsements } = verified.key as { endorsements?: unknown };
  if (Array.isArray(endorsements) && !endorsements.includes(channelId)) return null;
  const claimed = verified.claims["serviceurl"] ?? verified.claims["serviceUrl"];
  if (typeof serviceUrl !== "string" || typeof claimed !== "string" || !deps.isSame(claimed, serviceUrl)) return null;
  if (!isServiceUrl(serviceUrl, deps.apiBase)) return null;
  return fields.tenantId === undefined || tenantOf(activity) === fields.tenantId ? { text } : null;
}

function tenantOf({ conversation, channelData }: Record<string, unknown>): string | null {
  const tenant = toObject(conversation)["tenantId"] ?? toObject(toObject(channelData)["tenant"])["id"];
  return typeof tenant === "string" ? tenant.toLowerCase() : null;
}

function isServiceUrl(serviceUrl: string, apiBase: string | null): boolean {
  if (apiBase !== null && `${serviceUrl}/`.startsWith(`${apiBase}/`)) return true;
  const url = URL.parse(serviceUrl);
  if (!url || url.protocol !== "https:" || url.port !== "" || url.username !== "" || url.search !== "") return false;
  return SERVICE_HOSTS.some((host) => host.test(url.hostname));
}

async function readTeams(text: string, channel: Channel): Promise<Received> {
  const activity = Activity.safeParse(readJson(text));
  return { events: activity.success ? await readActivity(activity.data, channel) : [] };
}

async function readActivity(activity: Activity, { fields, deps }: Channel): Promise<Received["events"]> {
  const { type, from, recipient, conversation, replyToId } = activity;
  if (type !== "message" && type !== "messageUpdate") return [];
  const self = [`28:${fields.appId}`, ...(recipient ? [recipient.id] : [])];
  if (self.includes(from.id)) return [];
  const at = toTime(Date.parse(activity.timestamp ?? ""), deps.clock);
  const isEdit = type === "messageUpdate";
  const context = { serviceUrl: activity.serviceUrl, bot: recipient?.id ?? `28:${fields.appId}` };
  // An activity's id is unique in its conversation. Both together may be longer than an id may be.
  const id = toHex(await digest("SHA-256", `${conversation.id}\n${activity.id}\n${isEdit ? at : ""}`));
  const common = { id, chat: toPlace(activity), from: toSender(from), at, context };
  const token = toObject(activity.value)[PRESS_KEY];
  if (typeof token === "string") return toPress({ ...common, token, message: replyToId ?? undefined });
  const heard = hearMentions(activity, self);
  return toMessage({
    ...common,
    text: heard.text,
    addressed: common.chat.kind === "direct" || heard.isMentioned,
    message: activity.id,
    ...(isEdit && { edited: true as const }),
    files: toFiles(activity),
  });
}

/** A channel's threads are conversations whose id names the first message. */
function toPlace({ conversation, channelData }: Activity): ChatPlace {
  const [id, thread] = splitConversation(conversation.id);
  const { tenant, team, channel } = toObject(channelData);
  const scope = conversation.tenantId ?? toObject(tenant)["id"];
  const title = toObject(channel)["name"] ?? toObject(team)["name"];
  return {
    id,
    kind: conversation.conversationType === "personal" ? "direct" : "group",
    ...(thread && { thread }),
    ...(typeof scope === "string" && { scope }),
    ...(typeof title === "string" && { title }),
  };
}

const THREAD_MARK = ";messageid=";

function splitConversation(id: string): [string, string | undefined] {
  const at = id.indexOf(THREAD_MARK);
  return at <= 0 ? [id, undefined] : [id.slice(0, at), id.slice(at + THREAD_MARK.length)];
}

/** A person's id in the directory stays; the one of a chat differs from bot to bot. A bot's begins with `28:`. */
function toSender({ id, name, aadObjectId }: z.infer<typeof Account>): Sender {
  return { id: aadObjectId || id, name: name ?? "", isBot: id.startsWith("28:") };
}

function hearMentions(
  { text, textFormat, entities }: Activity,
  self: readonly string[],
): { text: string; isMentioned: boolean } {
  let rest = text ?? "";
  let isMentioned = false;
  for (const entity of entities ?? []) {
    const mention = Mention.safeParse(entity);
    if (!mention.success || !self.includes(mention.data.mentioned.id)) continue;
    isMentioned = true;
    if (mention.data.text) rest = rest.replaceAll(mention.data.text, "");
  }
  const words = rest.replace(/<\/?at(?: id="[^"<>]{0,100}")?>/g, "");
  return { text: (textFormat === "plain" ? words : decodeEntities(words)).trim(), isMentioned };
}

const ENTITIES: Record<string, string> = { nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function decodeEntities(text: string): string {
  return text.replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!);
}

/** Teams sends a message's own HTML as an attachment too: that is not a file. */
function toFiles({ attachments }: Activity): InboundFile[] {
  return (attachments ?? []).flatMap((each): InboundFile[] => {
    const read = Attachment.safeParse(each);
    if (!read.success) return [];
    const { contentType, contentUrl, content, name } = read.data;
    const shown = name ?? undefined;
    const { downloadUrl, fileType } = toObject(content);
    if (contentType === FILE_INFO && typeof downloadUrl === "string") {
      const isImage = typeof fileType === "string" && /^(png|jpe?g|gif|webp)$/i.test(fileType);
      return [{ kind: isImage ? "image" : "file", ref: downloadUrl, name: shown }];
    }
    if (!contentUrl || !/^(image|audio|video)\//.test(contentType)) return [];
    const mediaType = contentType.includes("*") ? undefined : contentType;
    const kind = contentType.startsWith("image/") ? "image" : contentType.startsWith("audio/") ? "voice" : "file";
    return [{ kind, ref: contentUrl, name: shown, mediaType }];
  });
}

function createClient(channel: Channel): PlatformClient {
  const { deps } = channel;

  async function call(to: ChatAddress, path: string, request: ApiRequest): Promise<Result<ApiReply>> {
    const serviceUrl = to.context?.["serviceUrl"] ?? "";
    if (!isServiceUrl(serviceUrl, deps.apiBase)) return refused("nobody has written in this chat yet.");
    const conversation = to.thread === undefined ? to.id : `${to.id}${THREAD_MARK}${to.thread}`;
    const url = `${serviceUrl.replace(/\/$/, "")}/v3/conversations/${encodeURIComponent(conversation)}/activities${path}`;
    return callConnector(channel, url, request);
  }

  async function post(to: ChatAddress, activity: object): Promise<Result<{ id: string | null }>> {
    const reply = await call(to, "", { json: { ...activity, from: { id: to.context?.["bot"] ?? "" } } });
    if (!reply.ok) return reply;
    const { id } = toObject(reply.value.json);
    return ok({ id: typeof id === "string" ? id : null });
  }

  async function fetchFile({ ref }: InboundFile): Promise<Result<{ bytes: Uint8Array; mediaType?: string }>> {
    const url = URL.parse(ref);
    const isOfService = url !== null && isServiceUrl(`${url.origin}${url.pathname}`, deps.apiBase);
    const isOfFiles = url?.protocol === "https:" && url.port === "" && FILE_HOSTS.test(url.hostname);
    if (!isOfService && !isOfFiles) return refused("the file is not kept by Microsoft.");
    const request = { maxBytes: FILE_BYTES };
    const reply = isOfService ? await callConnector(channel, ref, request) : await callApi(deps, ref, request);
    if (!reply.ok) return reply;
    return ok({ bytes: reply.value.bytes, mediaType: reply.value.headers.get("content-type") ?? undefined });
  }

  return {
    send: (to, message) => post(to, toActivity(message)),
    edit: async (to, id, message) =>
      toNull(await call(to, `/${encodeURIComponent(id)}`, { method: "PUT", json: { ...toActivity(message), id } })),
    typing: async (to) => toNull(await post(to, { type: "typing" })),
    fetchFile,
  };
}

function toActivity({ text, replyTo, buttons = [] }: OutMessage): object {
  const body = buttons.length === 0 ? { text, textFormat: "markdown" } : { attachments: [toCard(text, buttons)] };
  return { type: "message", ...body, ...(replyTo && { replyToId: replyTo }) };
}

function toCard(text: string, buttons: NonNullable<OutMessage["buttons"]>): object {
  const actions = buttons.map(({ label, token }) => ({
    type: "Action.Submit",
    title: clip(label, 80),
    data: { [PRESS_KEY]: token },
  }));
  const content = { type: "AdaptiveCard", version: "1.4", body: [{ type: "TextBlock", text, wrap: true }], actions };
  return { contentType: CARD, content };
}

/** The bot's token is asked for. There is no question who the bot is. */
async function probe(channel: Channel): Promise<Result<BotIdentity>> {
  channel.deps.forget(TOKEN_KEY);
  const token = await openToken(channel);
  if (!token.ok) return token;
  const { appId } = channel.fields;
  return ok({ id: `28:${appId}`, name: appId, also: { app: appId } });
}

async function callConnector(channel: Channel, url: string, request: ApiRequest): Promise<Result<ApiReply>> {
  const token = await openToken(channel);
  if (!token.ok) return token;
  const headers = { ...request.headers, authorization: `Bearer ${token.value}` };
  const reply = await callApi(channel.deps, url, { ...request, headers }, judge);
  // The next attempt asks for another token.
  if (!reply.ok && reply.failure.code === "channel_auth_failed") channel.deps.forget(TOKEN_KEY);
  return reply;
}

function openToken({ deps, fields }: Channel): Promise<Result<string>> {
  const url = `${deps.apiBase ?? LOGIN_BASE}/${fields.tenantId ?? ANY_TENANT}/oauth2/v2.0/token`;
  const form = {
    grant_type: "client_credentials",
    client_id: fields.appId,
    client_secret: fields.appPassword,
    scope: SCOPE,
  };
  return cachedToken(
    deps,
    TOKEN_KEY,
    async () => {
      const reply = await callApi(deps, url, { form }, judgeLogin);
      return reply.ok ? ok(reply.value.json) : reply;
    },
    () => authFailed("Microsoft gave the app no token."),
  );
}

/** A wrong secret is 401, an unknown app or tenant 400. */
function judgeLogin(reply: ApiReply): Result<never> | null {
  const words = toObject(reply.json)["error_description"];
  return reply.status === 400 || reply.status === 401 ? authFailed(describe(reply, words)) : null;
}

function judge(reply: ApiReply): Result<never> | null {
  const { message } = toObject(toObject(reply.json)["error"]);
  if (reply.status === 401) return authFailed(describe(reply, message));
  return reply.status >= 400 && reply.status < 500 && reply.status !== 408 && reply.status !== 429
    ? refused(describe(reply, message))
    : null;
}

function toNull(reply: Result<unknown>): Result<null> {
  return reply.ok ? ok(null) : reply;
}
