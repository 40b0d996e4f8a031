// GitHub: issues and pull requests are chats, their comments are messages. Called by durable-objects/channels.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads. Only the body is signed, so nothing is read from GitHub's headers.
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
import { type Result, ok } from "../core/errors.ts";
import type { InboundEvent } from "../core/schemas/channels/inbound.ts";
import { readRetryAfter } from "../core/retry-after.ts";
import { toObject } from "../core/unknown-object.ts";
import { type ApiReply, type ApiRequest, authFailed, callApi, describe, rateLimited, refused } from "./support/call.ts";
import { hmac, toHex, toText } from "./support/crypto.ts";
import { readJson, toMessage, toTime } from "./support/events.ts";
import { signByRsa } from "./support/rsa-key.ts";

const API = "https://api.github.com";
const API_VERSION = "2022-11-28";
/** Of a comment's body. */
const MAX_CHARS = 65_536;
/** A token of an app's installation lives an hour; a proof of the app at most ten minutes. */
const TOKEN_MS = 55 * 60_000;
const PROOF_SECONDS = 540;
/** GitHub allows a clock that is fast. */
const DRIFT_SECONDS = 60;

const optionalText = z.string().trim().min(1).max(20_000).optional();
const GithubFields = z.strictObject({
  webhookSecret: z.string().min(1).max(200),
  token: optionalText,
  appId: z.union([z.string().regex(/^\d{1,20}$/), z.int().min(1).transform(String)]).optional(),
  privateKey: optionalText,
  login: z
    .string()
    .regex(/^@?[A-Za-z0-9-]{1,39}(\[bot\])?$/)
    .transform((name) => name.replace(/^@/, ""))
    .optional(),
});
type GithubFields = z.infer<typeof GithubFields>;
type Channel = OpenChannel<GithubFields>;

const User = z.object({ id: z.int().min(1), login: z.string().min(1), type: z.string().nullish() });
const Comment = z.object({
  id: z.int().min(1),
  body: z.string(),
  user: User,
  created_at: z.string(),
  updated_at: z.string(),
  /** Of a comment on a line: the first one of its thread. */
  in_reply_to_id: z.int().min(1).nullish(),
});
const Subject = z.object({
  id: z.int().min(1),
  number: z.int().min(1),
  title: z.string(),
  body: z.string().nullish(),
  user: User,
  created_at: z.string(),
});
const Review = z.object({
  id: z.int().min(1),
  body: z.string().nullish(),
  user: User,
  submitted_at: z.string().nullish(),
});
const Payload = z.object({
  action: z.string(),
  repository: z.object({ full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/) }),
  installation: z.object({ id: z.int().min(1) }).nullish(),
  /** Who caused the event: after an edit not always the author. */
  sender: User,
  issue: Subject.nullish(),
  pull_request: Subject.nullish(),
  comment: Comment.nullish(),
  review: Review.nullish(),
});
type Payload = z.infer<typeof Payload>;

export const github: Platform<GithubFields> = {
  name: "github",
  title: "GitHub",
  fields: GithubFields,
  form: [
    { name: "webhookSecret", help: "The secret of the webhook: any long random text.", secret: true, required: true },
    {
      name: "token",
      help: "A personal access token of the bot's account that may write issues and pull requests. Not needed with an app.",
      secret: true,
      required: false,
    },
    { name: "appId", help: "The app's ID, in its settings. Not needed with a token.", secret: false, required: false },
    {
      name: "privateKey",
      help: "The app's private key: the whole file that GitHub made.",
      secret: true,
      required: false,
      file: true,
    },
    {
      name: "login",
      help: "The bot's login, which people mention. Default: what GitHub says of the token or the app.",
      secret: false,
      required: false,
    },
  ],
  steps: [
    "Make a GitHub App (https://github.com/settings/apps/new) with read and write access to Issues and Pull requests, subscribed to the events Issues, Issue comment, Pull request, Pull request review and Pull request review comment, and install it. Or use an account of the bot's own with a personal access token.",
    "Choose a long random text as the webhook's secret.",
    "For an app Talaria registers the address {address} itself. With a token, add a webhook with this address, content type `application/json` and the secret to each repository.",
    "People speak to the agent by mentioning its login.",
  ],
  capabilities: {
    edit: true,
    typing: false,
    buttons: 0,
    filesIn: false,
    filesOut: false,
    groups: true,
    threads: true,
    replies: false,
    redactsIds: false,
  },
  // GitHub asks for a second between requests that write.
  limits: { text: MAX_CHARS, textUnit: "utf16", fileBytes: 0, editEveryMs: 2_000, typingMs: 0 },
  flavour: "markdown",
  pairs: false,

  verify,
  parse: async ({ text }, channel) => readGithub(text, channel),
  open: createClient,
  probe,
  register,
};

async function verify(request: ChannelRequest, { fields, deps }: Channel): Promise<{ text: string } | null> {
  const signature = request.headers["x-hub-signature-256"];
  if (request.method !== "POST" || signature === undefined) return null;
  const expected = `sha256=${toHex(await hmac("SHA-256", fields.webhookSecret, request.body))}`;
  if (!deps.isSame(signature, expected)) return null;
  return { text: toJsonText(toText(request.body)) };
}

/** A webhook may be set to send a form. */
function toJsonText(body: string): string {
  return body.startsWith("payload=") ? (new URLSearchParams(body).get("payload") ?? "") : body;
}

function readGithub(text: string, channel: Channel): Received {
  const payload = Payload.safeParse(readJson(text));
  return { events: payload.success ? readPayload(payload.data, channel) : [] };
}

function readPayload(payload: Payload, channel: Channel): InboundEvent[] {
  const { action, comment, review } = payload;
  const isPull = payload.pull_request !== undefined && payload.pull_request !== null;
  const subject = payload.pull_request ?? payload.issue;
  if (!subject) return [];
  const place = { payload, subject, channel };
  if (comment) {
    if (action !== "created" && action !== "edited") return [];
    const root = isPull ? String(comment.in_reply_to_id ?? comment.id) : undefined;
    const id = `${isPull ? "line" : "comment"}.${comment.id}`;
    if (action === "created") return toEvent(place, { id, item: comment, at: comment.created_at, root });
    // Somebody else may edit a comment: these are not its author's words.
    if (payload.sender.id !== comment.user.id) return [];
    const edit = { id: `${id}.${comment.updated_at}`, item: comment, at: comment.updated_at, root };
    return toEvent(place, { ...edit, isEdit: true });
  }
  if (review) {
    const at = review.submitted_at ?? "";
    return action === "submitted" ? toEvent(place, { id: `review.${review.id}`, item: review, at }) : [];
  }
  const kind = isPull ? "pull" : "issue";
  return action === "opened"
    ? toEvent(place, { id: `${kind}.${subject.id}`, item: subject, at: subject.created_at, isFirst: true })
    : [];
}

function toEvent(
  { payload, subject, channel }: { payload: Payload; subject: z.infer<typeof Subject>; channel: Channel },
  said: {
    id: string;
    item: { id: number; body?: string | null; user: z.infer<typeof User> };
    at: string;
    root?: string;
    isEdit?: boolean;
    isFirst?: boolean;
  },
): InboundEvent[] {
  const { user, body } = said.item;
  const logins = toLogins(channel);
  if (String(user.id) === channel.self?.id || logins.includes(user.login.toLowerCase())) return [];
  const heard = hearMention(body ?? "", logins);
  const installation = payload.installation?.id;
  return toMessage({
    id: said.id,
    chat: {
      id: `${payload.repository.full_name}#${subject.number}`,
      kind: "group",
      title: subject.title,
      ...(said.root && { thread: said.root }),
    },
    from: { id: String(user.id), name: user.login, handle: `@${user.login}`, isBot: user.type === "Bot" },
    at: toTime(Date.parse(said.at), channel.deps.clock),
    text: said.isFirst ? `${subject.title}\n\n${heard.text}`.trim() : heard.text,
    addressed: heard.isMentioned,
    message: String(said.item.id),
    ...(said.isEdit && { edited: true as const }),
    ...(installation && { context: { installation: String(installation) } }),
  });
}

/** The bot's logins in lower case: an app `x` is mentioned as `@x`, and writes as `x[bot]`. */
function toLogins({ self, fields }: Channel): string[] {
  const login = (fields.login ?? self?.name)?.toLowerCase().replace(/\[bot\]$/, "");
  return login ? [login, `${login}[bot]`] : [];
}

function hearMention(body: string, logins: readonly string[]): { text: string; isMentioned: boolean } {
  let isMentioned = false;
  const text = body.replace(
    /(^|[^\w@/-])@([A-Za-z0-9][A-Za-z0-9-]{0,38})(?![\w-])/g,
    (mark, before: string, login: string) => {
      if (!logins.includes(login.toLowerCase())) return mark;
      isMentioned = true;
      return before;
    },
  );
  return { text: text.trim(), isMentioned };
}

function createClient(channel: Channel): PlatformClient {
  async function call(to: ChatAddress, path: string, request: ApiRequest): Promise<Result<ApiReply>> {
    const token = await openToken(channel, to.context?.["installation"]);
    return token.ok ? callGithub(channel, path, token.value, request) : token;
  }

  async function send(to: ChatAddress, { text }: OutMessage): Promise<Result<{ id: string | null }>> {
    const place = toPath(to);
    if (!place) return refused("the chat is not an issue of GitHub.");
    const path = to.thread
      ? `${place.repository}/pulls/${place.number}/comments/${encodeURIComponent(to.thread)}/replies`
      : `${place.repository}/issues/${place.number}/comments`;
    const reply = await call(to, path, { json: { body: text } });
    return reply.ok ? ok({ id: readId(reply.value.json) }) : reply;
  }

  async function edit(to: ChatAddress, id: string, { text }: OutMessage): Promise<Result<null>> {
    const place = toPath(to);
    if (!place) return refused("the chat is not an issue of GitHub.");
    const kind = to.thread ? "pulls" : "issues";
    const path = `${place.repository}/${kind}/comments/${encodeURIComponent(id)}`;
    const reply = await call(to, path, { method: "PATCH", json: { body: text } });
    return reply.ok ? ok(null) : reply;
  }

  return { send, edit };
}

function toPath({ id }: ChatAddress): { repository: string; number: string } | null {
  const found = /^([\w.-]{1,100}\/[\w.-]{1,100})#(\d{1,15})$/.exec(id);
  return found ? { repository: `/repos/${found[1]}`, number: found[2]! } : null;
}

async function probe(channel: Channel): Promise<Result<BotIdentity>> {
  const { token } = channel.fields;
  if (token !== undefined) {
    const user = await callGithub(channel, "/user", token, {});
    return user.ok ? toIdentity(user.value.json) : user;
  }
  const proof = await signAsApp(channel);
  if (!proof.ok) return proof;
  const app = await callGithub(channel, "/app", proof.value, {});
  if (!app.ok) return app;
  const { slug, id } = toObject(app.value.json);
  if (typeof slug !== "string") return refused("it did not name the app.");
  const user = await callGithub(channel, `/users/${encodeURIComponent(`${slug}[bot]`)}`, null, {});
  const bot = user.ok ? readId(user.value.json) : null;
  return ok({ id: bot ?? `app ${String(id)}`, name: slug, also: { app: String(id) } });
}

function toIdentity(json: unknown): Result<BotIdentity> {
  const { login } = toObject(json);
  const id = readId(json);
  return id !== null && typeof login === "string" ? ok({ id, name: login }) : refused("it did not name the account.");
}

/** An app's one webhook. With a token a person adds the webhook to each repository. */
async function register(channel: Channel): Promise<Result<null>> {
  if (channel.fields.token !== undefined) return ok(null);
  const proof = await signAsApp(channel);
  if (!proof.ok) return proof;
  const json = { url: channel.address, content_type: "json", secret: channel.fields.webhookSecret, insecure_ssl: "0" };
  const reply = await callGithub(channel, "/app/hook/config", proof.value, { method: "PATCH", json });
  return reply.ok ? ok(null) : reply;
}

/** The token to write with: the given one, or that of the app where it is installed. */
async function openToken(channel: Channel, installation: string | undefined): Promise<Result<string>> {
  const { fields, deps } = channel;
  if (fields.token !== undefined) return ok(fields.token);
  if (installation === undefined)
    return refused("the app is not installed in this repository, or nobody has written yet.");
  return deps.cached(`github.token.${installation}`, async () => {
    const proof = await signAsApp(channel);
    if (!proof.ok) return proof;
    const path = `/app/installations/${encodeURIComponent(installation)}/access_tokens`;
    const reply = await callGithub(channel, path, proof.value, { method: "POST" });
    if (!reply.ok) return reply;
    const { token } = toObject(reply.value.json);
    if (typeof token !== "string") return authFailed("GitHub gave the app no token.");
    return ok({ value: token, expiresAt: deps.clock.now() + TOKEN_MS });
  });
}

async function signAsApp({ fields, deps }: Channel): Promise<Result<string>> {
  if (!fields.appId || !fields.privateKey) return authFailed("give `token`, or `appId` with `privateKey`.");
  const now = Math.floor(deps.clock.now() / 1_000);
  const claims = { iss: fields.appId, iat: now - DRIFT_SECONDS, exp: now + PROOF_SECONDS };
  const signed = await signByRsa(fields.privateKey ?? "", claims);
  return signed === null ? authFailed("`privateKey` is not an RSA private key.") : ok(signed);
}

function callGithub(
  { deps }: Channel,
  path: string,
  token: string | null,
  request: ApiRequest,
): Promise<Result<ApiReply>> {
  const headers = {
    accept: "application/vnd.github+json",
    "user-agent": "talaria",
    "x-github-api-version": API_VERSION,
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  return callApi(deps, `${deps.apiBase ?? API}${path}`, { ...request, headers }, (reply) =>
    judge(reply, deps.clock.now()),
  );
}

/** GitHub says 403 when it is asked too often, and has two ways to say for how long. */
function judge(reply: ApiReply, now: number): Result<never> | null {
  const { status, headers } = reply;
  const { message } = toObject(reply.json);
  if (status === 403 || status === 429) {
    const waitMs = readRetryAfter(headers);
    if (waitMs !== undefined) return rateLimited(waitMs);
    const resetMs = Number(headers.get("x-ratelimit-reset")) * 1_000;
    if (headers.get("x-ratelimit-remaining") === "0") return rateLimited(Math.max(1_000, resetMs - now));
    if (status === 403 && /rate limit/i.test(String(message))) return rateLimited(60_000);
  }
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 429
    ? refused(describe(reply, message))
    : null;
}

function readId(json: unknown): string | null {
  const { id } = toObject(json);
  return typeof id === "number" ? String(id) : null;
}
