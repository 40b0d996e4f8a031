// Calls a method of Slack's Web API. Called by channels/slack.ts and channels/slack/. Never throws. A failure never contains an address or
// the token.
import type { OpenChannel } from "../../core/channels/platform.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { readRetryAfter } from "../../core/retry-after.ts";
import { type UnknownObject, toObject } from "../../core/unknown-object.ts";
import { type ApiReply, type ApiRequest, authFailed, callApi, rateLimited } from "../support/call.ts";

// An interface would have no index signature, which `Platform` without a type of its fields has.
export type SlackFields = {
  botToken: string;
  signingSecret: string;
  replyInThreads?: boolean | undefined;
};
export type SlackChannel = OpenChannel<SlackFields>;

const API = "https://slack.com/api";

/** [docs] https://docs.slack.dev/reference/methods: errors of every method. */
const AUTH_ERRORS: readonly string[] = [
  ...["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "org_login_required"],
  ...["no_permission", "ekm_access_denied"],
];
const OUTAGES: readonly string[] = ["internal_error", "fatal_error", "service_unavailable", "request_timeout"];
const LIMITS: readonly string[] = ["ratelimited", "rate_limited", "message_limit_exceeded"];

/** What a person can do about an error. */
const ADVICE: Record<string, string> = {
  not_in_channel: "Invite the bot to the channel.",
  channel_not_found: "Invite the bot to the channel.",
  is_archived: "The channel is archived.",
  missing_scope: "Add the scope to the Slack app and install it again.",
};

/** The reply. Failures: `SendFailure`; `channel_refused` has the fact `error`, Slack's word. */
export async function callSlack(
  channel: SlackChannel,
  method: string,
  request: ApiRequest,
): Promise<Result<UnknownObject>> {
  const { deps, fields } = channel;
  const headers = { authorization: `Bearer ${fields.botToken}`, ...request.headers };
  const reply = await callApi(deps, `${deps.apiBase ?? API}/${method}`, { ...request, headers }, judge);
  if (!reply.ok) return reply;
  const body = toObject(reply.value.json);
  if (body["ok"] === true) return ok(body);
  return err("channel_unavailable", "The reply is not one of Slack's Web API.", { maybeSent: true });
}

/** Slack's word of why it refused. */
export function errorOf(failed: Result<unknown>): string {
  const error = failed.ok ? undefined : failed.failure.facts?.["error"];
  return typeof error === "string" ? error : "";
}

/** Whether an address is Slack's own, which may be given the token. */
export function isSlackUrl(channel: SlackChannel, url: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  const { apiBase } = channel.deps;
  if (apiBase !== null && URL.parse(apiBase)?.origin === parsed.origin) return true;
  return parsed.protocol === "https:" && /(?:^|\.)slack(?:-gov|-files)?\.com$/.test(parsed.hostname);
}

function judge(reply: ApiReply): Result<never> | null {
  const body = toObject(reply.json);
  const error = body["error"];
  if (reply.status >= 500 || reply.status === 429 || body["ok"] !== false || typeof error !== "string") return null;
  if (AUTH_ERRORS.includes(error)) return authFailed(`${error}.`);
  if (LIMITS.includes(error)) return rateLimited(readRetryAfter(reply.headers));
  // [docs] After `fatal_error` part of the work may have been done.
  if (OUTAGES.includes(error)) return err("channel_unavailable", `Slack answered ${error}.`, { maybeSent: true });
  const needed = typeof body["needed"] === "string" ? ` (${body["needed"].slice(0, 200)})` : "";
  const words = [`Slack refused the request: ${error.slice(0, 100)}${needed}.`, ADVICE[error] ?? ""].join(" ").trim();
  return err("channel_refused", words, { error });
}
