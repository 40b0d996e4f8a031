// The fields of a Feishu app, and calls of the API with its token. Used by channels/feishu.ts.
import * as z from "zod";
import type { OpenChannel } from "../../core/channels/platform.ts";
import { type Result, ok } from "../../core/errors.ts";
import {
  type ApiReply,
  type ApiRequest,
  authFailed,
  callApi,
  describe,
  rateLimited,
  refused,
} from "../support/call.ts";
import { readTime } from "../support/events.ts";
import { secret, serverUrl, setting } from "../support/fields.ts";
import { withToken } from "../support/token.ts";

export const FeishuFields = z.strictObject({
  appId: setting("The App ID, cli_…, from Credentials & Basic Info."),
  appSecret: secret("The App Secret, from the same page."),
  verificationToken: secret("The Verification Token, from Events & Callbacks > Encryption Strategy."),
  encryptKey: secret(
    "The Encrypt Key, from the same page. With it events are encrypted and signed; without it they are neither.",
  ).optional(),
  baseUrl: serverUrl(
    "The platform's address: https://open.larksuite.com for Lark. Default: https://open.feishu.cn.",
  ).optional(),
});
export type FeishuFields = z.infer<typeof FeishuFields>;

const API = "https://open.feishu.cn";
/** https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code */
const RATE_CODES = [99991400, 11232, 230020];
const AUTH_CODES = [10003, 10014, 10015, 99991661, 99991663, 99991664, 99991665, 99991671];
const DEFAULT_WAIT_S = 5;

export function callFeishu(
  channel: OpenChannel<FeishuFields>,
  path: string,
  request: ApiRequest = {},
): Promise<Result<ApiReply>> {
  const { deps, fields } = channel;
  const base = deps.apiBase ?? fields.baseUrl ?? API;
  const use = (token: string) =>
    callApi(
      deps,
      base + path,
      { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } },
      judge,
    );
  return withToken(deps, () => fetchToken(channel, base), use);
}

async function fetchToken(
  { deps, fields }: OpenChannel<FeishuFields>,
  base: string,
): Promise<Result<{ token: string; expiresInS: number }>> {
  const json = { app_id: fields.appId, app_secret: fields.appSecret };
  const reply = await callApi(deps, `${base}/open-apis/auth/v3/tenant_access_token/internal`, { json }, judge);
  if (!reply.ok) return reply;
  const given = z.object({ tenant_access_token: z.string(), expire: z.number() }).safeParse(reply.value.json).data;
  return given ? ok({ token: given.tenant_access_token, expiresInS: given.expire }) : refused(describe(reply.value));
}

function judge(reply: ApiReply): Result<never> | null {
  const failed = z.object({ code: z.number(), msg: z.string().optional() }).safeParse(reply.json).data;
  if (!failed || failed.code === 0 || reply.status >= 500) return null;
  const detail = describe(reply, `${failed.code} ${failed.msg ?? ""}`);
  if (RATE_CODES.includes(failed.code)) {
    const waitS = readTime(reply.headers.get("x-ogw-ratelimit-reset") ?? undefined);
    return rateLimited((Number.isNaN(waitS) ? DEFAULT_WAIT_S : waitS) * 1_000);
  }
  return AUTH_CODES.includes(failed.code) ? authFailed(detail) : refused(detail);
}
