// Google Chat: an HTTP app, proved by Google's token in each of its three forms. Called by durable-objects/channels.
// https://developers.google.com/workspace/chat/verify-requests-from-chat. The token does not cover the body.
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
import type { ChatPlace, InboundFile } from "../core/schemas/channels/inbound.ts";
import { isObject, toObject } from "../core/unknown-object.ts";
import { type ApiReply, type ApiRequest, authFailed, callApi, describe, refused } from "./support/call.ts";
import { digest, toHex, toText } from "./support/crypto.ts";
import { readJson, toMessage, toPress, toTime } from "./support/events.ts";
import { cachedToken, readBearer, verifyToken } from "./support/key-sets.ts";
import { signByRsa } from "./support/rsa-key.ts";

const API = "https://chat.googleapis.com";
const TOKEN_BASE = "https://oauth2.googleapis.com";
const KEYS_BASE = "https://www.googleapis.com";
const CHAT_ACCOUNT = "chat@system.gserviceaccount.com";
/** Keys of Google's ID tokens, and those of the account that signs for Chat. */
const ID_KEYS_PATH = "/oauth2/v3/certs";
const CHAT_KEYS_PATH = `/service_accounts/v1/jwk/${CHAT_ACCOUNT}`;
const ID_ISSUERS = ["https://accounts.google.com", "accounts.google.com"];
const SCOPE = "https://www.googleapis.com/auth/chat.bot";
const TOKEN_KEY = "google-chat.token";
/** The function of our buttons, and its parameter. */
const PRESS = "talaria";
const PRESS_PARAMETER = "token";
/** Of a proof of the service account, in seconds. Google allows an hour. */
const PROOF_SECONDS = 3_600;
const FILE_BYTES = 20 * 1024 * 1024;

const ServiceKey = z.object({
  client_email: z.string().regex(/^[^@\s]{1,200}@[^@\s]{1,200}$/),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
});

const GoogleChatFields = z.strictObject({
  /** The JSON file as text, or its object. */
  serviceAccountKey: z
    .union([z.string(), z.record(z.string(), z.unknown()).transform((key) => JSON.stringify(key))])
    .refine((text) => ServiceKey.safeParse(readJson(text)).success, "the JSON key of a service account"),
  projectNumber: z.union([z.string().regex(/^\d{3,20}$/), z.int().min(100).transform(String)]).optional(),
  audience: z.enum(["url", "project", "addon"]).optional(),
});
type GoogleChatFields = z.infer<typeof GoogleChatFields>;
type Channel = OpenChannel<GoogleChatFields>;

const User = z.object({
  name: z.string().min(1).max(1_000),
  displayName: z.string().nullish(),
  type: z.string().nullish(),
});
const Space = z.object({
  name: z.string().regex(/^spaces\/[\w-]{1,200}$/),
  type: z.string().nullish(),
  spaceType: z.string().nullish(),
  singleUserBotDm: z.boolean().nullish(),
  spaceThreadingState: z.string().nullish(),
  displayName: z.string().nullish(),
});
const Message = z.object({
  name: z.string().min(1).max(400),
  sender: User.nullish(),
  createTime: z.string().nullish(),
  lastUpdateTime: z.string().nullish(),
  text: z.string().nullish(),
  argumentText: z.string().nullish(),
  slashCommand: z.unknown().optional(),
  annotations: z.array(z.unknown()).nullish(),
  thread: z.object({ name: z.string().max(400) }).nullish(),
  quotedMessageMetadata: z.unknown().optional(),
  attachment: z.array(z.unknown()).nullish(),
  space: Space.nullish(),
});
const Attachment = z.object({
  contentName: z.string().nullish(),
  contentType: z.string().nullish(),
  attachmentDataRef: z.object({ resourceName: z.string().min(1) }),
});
/** The two forms of an event are read into this one. */
const ChatEvent = z.object({
  kind: z.enum(["message", "press"]),
  time: z.string().nullish(),
  user: User.nullish(),
  space: Space,
  message: Message,
  parameters: z.unknown().optional(),
  isAddOn: z.boolean(),
});
type ChatEvent = z.infer<typeof ChatEvent>;

export const googleChat: Platform<GoogleChatFields> = {
  name: "google-chat",
  title: "Google Chat",
  fields: GoogleChatFields,
  form: [
    {
      name: "serviceAccountKey",
      help: "The JSON key of a service account of the app's project: the whole file.",
      secret: true,
      required: true,
      file: true,
    },
    {
      name: "projectNumber",
      help: "The number of the app's project. Needed for the audiences `project` and `addon`.",
      secret: false,
      required: false,
    },
    {
      name: "audience",
      help: "The authentication audience: `url` (HTTP endpoint URL), `project` (project number), `addon` (a Workspace add-on). Default: `project` with a project number, else `url`.",
      secret: false,
      required: false,
    },
  ],
  steps: [
    "In a Google Cloud project (https://console.cloud.google.com), enable the Google Chat API. Copy the project number.",
    "Create a service account and a JSON key for it.",
    "On the API's page Configuration, name the app, switch on interactive features, choose HTTP endpoint URL and enter {address}. Choose Project Number as the authentication audience.",
    "Make the app visible to the people who may use it, and add it to a space or write to it.",
  ],
  capabilities: {
    edit: true,
    typing: false,
    buttons: 10,
    filesIn: true,
    filesOut: false,
    groups: true,
    threads: true,
    replies: false,
    redactsIds: false,
  },
  // https://developers.google.com/workspace/chat/create-messages: 32,000 bytes with cards. A space takes one write a second.
  limits: { text: 28_000, textUnit: "bytes", fileBytes: FILE_BYTES, editEveryMs: 1_200, typingMs: 0 },
  flavour: "google-chat",
  pairs: true,

  verify,
  parse: ({ text }, channel) => readGoogleChat(text, channel),
  open: createClient,
  probe,
};

async function verify(request: ChannelRequest, channel: Channel): Promise<{ text: string } | null> {
  const token = readBearer(request.headers["authorization"]);
  if (request.method !== "POST" || token === null) return null;
  return (await isOfGoogle(token, channel)) ? { text: toText(request.body) } : null;
}

async function isOfGoogle(token: string, { deps, fields, address }: Channel): Promise<boolean> {
  const base = deps.apiBase ?? KEYS_BASE;
  const { projectNumber } = fields;
  const audience = fields.audience ?? (projectNumber === undefined ? "url" : "project");
  if (audience === "project") {
    if (projectNumber === undefined) return false;
    const keys = `${base}${CHAT_KEYS_PATH}`;
    return (await verifyToken(deps, token, { keys, issuer: CHAT_ACCOUNT, audience: projectNumber })) !== null;
  }
  if (address === null || (audience === "addon" && projectNumber === undefined)) return false;
  const signer =
    audience === "addon" ? `service-${projectNumber}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com` : CHAT_ACCOUNT;
  const keys = `${base}${ID_KEYS_PATH}`;
  const verified = await verifyToken(deps, token, { keys, issuer: ID_ISSUERS, audience: address });
  const { email, email_verified: isVerified } = verified?.claims ?? {};
  return typeof email === "string" && isVerified === true && deps.isSame(email, signer);
}

async function readGoogleChat(text: string, channel: Channel): Promise<Received> {
  const event = ChatEvent.safeParse(toChatEvent(toObject(readJson(text))));
  const events = event.success ? await readEvent(event.data, channel) : [];
  const headers = { "content-type": "application/json" };
  return { events, reply: { status: 200, headers, body: "{}" } };
}

/** Chat's own form, and that of Workspace add-ons. */
function toChatEvent(json: Record<string, unknown>): unknown {
  const { type, eventTime: time, message, space, user, chat } = json;
  if (isObject(chat)) {
    const pressed = chat["buttonClickedPayload"];
    const payload = toObject(pressed ?? chat["messagePayload"] ?? chat["appCommandPayload"]);
    return {
      kind: pressed === undefined ? "message" : "press",
      time: chat["eventTime"],
      user: chat["user"],
      space: payload["space"] ?? toObject(payload["message"])["space"],
      message: payload["message"],
      parameters: toObject(json["commonEventObject"])["parameters"],
      isAddOn: true,
    };
  }
  const parameters = toObject(json["common"])["parameters"] ?? toObject(json["action"])["parameters"];
  const kind = type === "MESSAGE" ? "message" : type === "CARD_CLICKED" ? "press" : null;
  return { kind, time, user, space: space ?? toObject(message)["space"], message, parameters, isAddOn: false };
}

async function readEvent(event: ChatEvent, { deps }: Channel): Promise<Received["events"]> {
  const { message, space, time, isAddOn, kind } = event;
  const user = kind === "press" ? event.user : (message.sender ?? event.user);
  if (!user || user.type === "BOT") return [];
  const chat = toPlace(space, message);
  const context = {
    ...(message.thread && { thread: message.thread.name }),
    ...(isAddOn && { addOn: "true" }),
  };
  const from = { id: user.name, name: user.displayName ?? "", isBot: false };
  const common = { chat, from, at: toTime(Date.parse(time ?? message.createTime ?? ""), deps.clock), context };
  if (kind === "press") {
    const token = readParameter(event.parameters);
    const what = `${message.name}\n${user.name}\n${token}\n${time ?? ""}`;
    const id = toHex(await digest("SHA-256", what));
    return token === null ? [] : toPress({ ...common, id, token, message: message.name });
  }
  // A slash command is in `text`, the mention of the app is not in `argumentText`.
  const isCommand = message.slashCommand !== undefined && message.slashCommand !== null;
  const text = (isCommand ? message.text : (message.argumentText ?? message.text)) ?? "";
  return toMessage({
    ...common,
    id: message.name,
    text: text.trim(),
    addressed: chat.kind === "direct" || isCommand || mentionsApp(message),
    message: message.name,
    files: toFiles(message),
  });
}

function toPlace(space: z.infer<typeof Space>, { thread }: z.infer<typeof Message>): ChatPlace {
  const { name, type, spaceType, singleUserBotDm, spaceThreadingState, displayName } = space;
  const isDirect = singleUserBotDm ?? (type === "DM" || spaceType === "DIRECT_MESSAGE");
  if (isDirect) return { id: name, kind: "direct" };
  const hasThreads = spaceThreadingState === "THREADED_MESSAGES" && thread;
  return {
    id: name,
    kind: "group",
    ...(hasThreads && { thread: thread.name }),
    ...(displayName && { title: displayName }),
  };
}

function mentionsApp({ annotations }: z.infer<typeof Message>): boolean {
  return (annotations ?? []).some((annotation) => {
    const { type, userMention } = toObject(annotation);
    return type === "USER_MENTION" && toObject(toObject(userMention)["user"])["type"] === "BOT";
  });
}

function toFiles({ attachment }: z.infer<typeof Message>): InboundFile[] {
  return (attachment ?? []).flatMap((each): InboundFile[] => {
    const read = Attachment.safeParse(each);
    if (!read.success) return [];
    const { contentName, contentType, attachmentDataRef } = read.data;
    const mediaType = contentType ?? undefined;
    const kind = mediaType?.startsWith("image/") ? "image" : mediaType?.startsWith("audio/") ? "voice" : "file";
    return [{ kind, ref: attachmentDataRef.resourceName, name: contentName ?? undefined, mediaType }];
  });
}

/** A list of key and value, or an object. */
function readParameter(parameters: unknown): string | null {
  const pairs = Array.isArray(parameters) ? parameters.map(toObject) : [];
  const value = pairs.find(({ key }) => key === PRESS_PARAMETER)?.["value"] ?? toObject(parameters)[PRESS_PARAMETER];
  return typeof value === "string" && value !== "" ? value : null;
}

function createClient(channel: Channel): PlatformClient {
  function toBody({ text, buttons = [] }: OutMessage, to: ChatAddress): object {
    // An add-on's function is the address that is called.
    const action = to.context?.["addOn"] === "true" ? (channel.address ?? PRESS) : PRESS;
    return { text, cardsV2: buttons.length === 0 ? [] : [toCard(buttons, action)] };
  }

  async function send(to: ChatAddress, message: OutMessage): Promise<Result<{ id: string | null }>> {
    const name = to.thread ?? (to.kind === "group" ? to.context?.["thread"] : undefined);
    const query = name === undefined ? "" : "?messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD";
    const json = { ...toBody(message, to), ...(name !== undefined && { thread: { name } }) };
    const reply = await callChat(channel, `/v1/${toPath(to.id)}/messages${query}`, { json });
    if (!reply.ok) return reply;
    const { name: id } = toObject(reply.value.json);
    return ok({ id: typeof id === "string" ? id : null });
  }

  async function edit(to: ChatAddress, id: string, message: OutMessage): Promise<Result<null>> {
    const path = `/v1/${toPath(id)}?updateMask=text,cardsV2`;
    const reply = await callChat(channel, path, { method: "PATCH", json: toBody(message, to) });
    return reply.ok ? ok(null) : reply;
  }

  async function fetchFile({ ref }: InboundFile): Promise<Result<{ bytes: Uint8Array; mediaType?: string }>> {
    const reply = await callChat(channel, `/v1/media/${toPath(ref)}?alt=media`, { maxBytes: FILE_BYTES });
    if (!reply.ok) return reply;
    return ok({ bytes: reply.value.bytes, mediaType: reply.value.headers.get("content-type") ?? undefined });
  }

  return { send, edit, fetchFile };
}

/** A resource's name has slashes that stay, and nothing that leads elsewhere. */
function toPath(name: string): string {
  return name
    .split("/")
    .map((part) => (/^\.{1,2}$/.test(part) ? "-" : encodeURIComponent(part)))
    .join("/");
}

function toCard(buttons: NonNullable<OutMessage["buttons"]>, action: string): object {
  const list = buttons.map(({ label, token }) => ({
    text: clip(label, 80),
    onClick: { action: { function: action, parameters: [{ key: PRESS_PARAMETER, value: token }] } },
  }));
  return { cardId: PRESS, card: { sections: [{ widgets: [{ buttonList: { buttons: list } }] }] } };
}

/** The service account's token is asked for. There is no question who the app is. */
async function probe(channel: Channel): Promise<Result<BotIdentity>> {
  channel.deps.forget(TOKEN_KEY);
  const token = await openToken(channel);
  if (!token.ok) return token;
  const { client_email: account } = readServiceKey(channel);
  return ok({ id: "users/app", name: account, also: { account } });
}

async function callChat(channel: Channel, path: string, request: ApiRequest): Promise<Result<ApiReply>> {
  const { deps } = channel;
  const token = await openToken(channel);
  if (!token.ok) return token;
  const headers = { ...request.headers, authorization: `Bearer ${token.value}` };
  const reply = await callApi(deps, `${deps.apiBase ?? API}${path}`, { ...request, headers }, judge);
  // The next attempt asks for another token.
  if (!reply.ok && reply.failure.code === "channel_auth_failed") deps.forget(TOKEN_KEY);
  return reply;
}

async function openToken(channel: Channel): Promise<Result<string>> {
  const { deps } = channel;
  const refuse = () => authFailed("Google gave the service account no token.");
  return cachedToken(deps, TOKEN_KEY, () => askToken(channel), refuse);
}

async function askToken(channel: Channel): Promise<Result<unknown>> {
  const { deps } = channel;
  const { client_email: iss, private_key: pem, private_key_id: kid } = readServiceKey(channel);
  const iat = Math.floor(deps.clock.now() / 1_000);
  const aud = `${TOKEN_BASE}/token`;
  const assertion = await signByRsa(pem, { iss, scope: SCOPE, aud, iat, exp: iat + PROOF_SECONDS }, { kid });
  if (assertion === null) return authFailed("`serviceAccountKey` has no RSA private key.");
  // Never the address that the key file names: the proof would go to whoever wrote it.
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  const reply = await callApi(deps, `${deps.apiBase ?? TOKEN_BASE}/token`, { form }, (answer) =>
    answer.status === 400 || answer.status === 401
      ? authFailed(describe(answer, toObject(answer.json)["error_description"]))
      : null,
  );
  return reply.ok ? ok(reply.value.json) : reply;
}

function readServiceKey({ fields }: Channel): z.infer<typeof ServiceKey> {
  return ServiceKey.parse(readJson(fields.serviceAccountKey)); // checked when it was set
}

function judge(reply: ApiReply): Result<never> | null {
  const { message } = toObject(toObject(reply.json)["error"]);
  if (reply.status === 401) return authFailed(describe(reply, message));
  return reply.status >= 400 && reply.status < 500 && reply.status !== 408 && reply.status !== 429
    ? refused(describe(reply, message))
    : null;
}
