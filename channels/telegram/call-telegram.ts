// Calls a method of Telegram's Bot API. Called by channels/telegram.ts and its client. Never throws. A failure never contains an address,
// which holds the token.
import type { OpenChannel } from "../../core/channels/platform.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { toWait } from "../../core/retry-after.ts";
import { toObject } from "../../core/unknown-object.ts";
import { type ApiReply, type ApiRequest, authFailed, callApi, describe, rateLimited } from "../support/call.ts";

// An interface would have no index signature, which `Platform` without a type of its fields has.
export type TelegramFields = {
  token: string;
  webhookSecret?: string | undefined;
};
export type TelegramChannel = OpenChannel<TelegramFields>;

const API = "https://api.telegram.org";

/**
 * The `result` of the reply. Failures: `SendFailure`. `channel_refused` has the facts `description`, Telegram's words, and for a group
 * that has another id now `movedTo`.
 */
export async function callTelegram(
  channel: TelegramChannel,
  method: string,
  request: ApiRequest,
): Promise<Result<unknown>> {
  const url = `${apiOf(channel)}/bot${channel.fields.token}/${method}`;
  const reply = await callApi(channel.deps, url, request, judge);
  if (!reply.ok) return reply;
  const body = toObject(reply.value.json);
  if (body["ok"] === true) return ok(body["result"]);
  return err("channel_unavailable", "The reply is not one of Telegram's Bot API.", { maybeSent: true });
}

export function toFileUrl(channel: TelegramChannel, path: string): string {
  const segments = path.split("/").map((segment) => encodeURIComponent(segment));
  return `${apiOf(channel)}/file/bot${channel.fields.token}/${segments.join("/")}`;
}

function apiOf({ deps }: TelegramChannel): string {
  return deps.apiBase ?? API;
}

function judge(reply: ApiReply): Result<never> | null {
  const body = toObject(reply.json);
  if (reply.status >= 500 || body["ok"] !== false) return null;
  const code = typeof body["error_code"] === "number" ? body["error_code"] : reply.status;
  const description = typeof body["description"] === "string" ? body["description"] : "";
  const detail = describe({ ...reply, status: code }, description);
  const { retry_after: seconds, migrate_to_chat_id: movedTo } = toObject(body["parameters"]);
  if (code === 429) return rateLimited(typeof seconds === "number" ? toWait(seconds * 1_000) : undefined);
  // 404 is the answer to a token that never existed.
  if (code === 401 || (code === 404 && description === "Not Found")) return authFailed(detail);
  return err("channel_refused", `Telegram refused the request: ${detail}`, {
    description,
    ...(typeof movedTo === "number" && { movedTo: String(movedTo) }),
  });
}
