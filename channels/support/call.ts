// One call of a platform's API, and what its reply means for a message that is being sent. Called by channels/<platform>.ts. Never throws.
// A failure never contains an address: it may hold a secret.
import { clip, toOneLine } from "../../core/clip.ts";
import type { PlatformDeps, PlatformReply, PlatformRequest, SendFailure } from "../../core/channels/platform.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { readRetryAfter } from "../../core/retry-after.ts";
import { toText } from "./crypto.ts";
import { readJson } from "./events.ts";

export interface ApiRequest extends PlatformRequest {
  /** Sent as the body, as JSON. The method is then POST if none is given. */
  json?: unknown;
  /** As `json`, as a form: `application/x-www-form-urlencoded`. */
  form?: Record<string, string>;
}

export interface ApiReply extends PlatformReply {
  /** The body; `undefined` where it is not JSON. */
  json: unknown;
}

/** What a platform's own codes of failure mean. `null`: the status decides. */
export type JudgeReply = (reply: ApiReply) => Result<never> | null;

/** [own] When a platform says "too fast" and not how long to wait. */
const DEFAULT_WAIT_MS = 5_000;

/** Sends a request. Succeeds with a 2xx that `judge` has nothing against; fails with a `SendFailure`. */
export async function callApi(
  deps: PlatformDeps,
  url: string,
  { json, form, ...request }: ApiRequest = {},
  judge: JudgeReply = () => null,
): Promise<Result<ApiReply>> {
  const sent = await deps.request(url, { ...request, ...toBody(json, form, request) });
  if (!sent.ok) return toUnreachable(sent.failure.code);
  const reply: ApiReply = { ...sent.value, json: readJson(toText(sent.value.bytes)) };
  return judge(reply) ?? judgeStatus(reply);
}

/** The meaning of a status where the platform has no codes of its own, or not this one. */
export function judgeStatus(reply: ApiReply): Result<ApiReply> {
  const { status } = reply;
  if (status >= 200 && status < 300) return ok(reply);
  if (status === 429) return rateLimited(readRetryAfter(reply.headers));
  if (status === 401) return authFailed(describe(reply));
  if (status === 408 || status >= 500) return unavailable(status);
  return refused(describe(reply));
}

export function rateLimited(retryAfterMs: number = DEFAULT_WAIT_MS): Result<never> {
  return fail("channel_rate_limited", "The platform asks for slower sending.", { retryAfterMs });
}

export function authFailed(detail: string): Result<never> {
  return fail("channel_auth_failed", `The platform refused the credentials: ${detail} Set the channel up again.`);
}

export function refused(detail: string): Result<never> {
  return fail("channel_refused", `The platform refused the request: ${detail}`);
}

export function windowClosed(detail: string): Result<never> {
  return fail("channel_window_closed", detail);
}

/** 503: the server took nothing. After any other 5xx the message may have arrived. */
export function unavailable(status: number): Result<never> {
  const maybeSent = status !== 503;
  return fail("channel_unavailable", `The platform answered ${status}.`, maybeSent ? { maybeSent } : undefined);
}

/** A foreign id as a part of an address. Half a surrogate pair, which cannot be encoded, becomes U+FFFD. */
export function inUrl(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

/** Values in a reply that prove who somebody is, such as `"access_token":"…"`. */
const PROOFS = /("[\w-]{0,40}(?:token|secret|password|ticket)[\w-]{0,40}"\s{0,5}:\s{0,5}")[^"]*/gi;

/** A part of a reply for a sentence: one line, at most 200 characters, ending in a full stop. Tokens in it are left out: owners read the sentence. */
export function describe(reply: Pick<ApiReply, "status" | "bytes">, words?: unknown): string {
  const text = typeof words === "string" ? words : toText(reply.bytes.subarray(0, 1_000));
  const line = clip(toOneLine(text.replaceAll(PROOFS, "$1…")), 200).replace(/\.$/, "");
  return line === "" ? `${reply.status}.` : `${reply.status}, ${line}.`;
}

const ADDRESS_REFUSED =
  "The platform's address is not allowed. It must be a public one, or one that the operator names in `channels.<platform>.apiBase`.";
const NOT_REACHED =
  "The platform could not be reached. Check the address in the channel's fields and the server's network.";

function toUnreachable(code: string): Result<never> {
  if (code === "url_refused") return fail("channel_unreachable", ADDRESS_REFUSED);
  const message = code === "timed_out" ? "The platform did not answer in time." : NOT_REACHED;
  return fail("channel_unreachable", message, { maybeSent: true });
}

function fail(code: SendFailure, message: string, facts?: Record<string, unknown>): Result<never> {
  return err(code, message, facts);
}

function toBody(
  json: unknown,
  form: Record<string, string> | undefined,
  { method, headers }: PlatformRequest,
): PlatformRequest {
  if (json === undefined && form === undefined) return {};
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  return {
    method: method ?? "POST",
    headers: { "content-type": type, ...headers },
    body: form ? new URLSearchParams(form).toString() : JSON.stringify(json),
  };
}
