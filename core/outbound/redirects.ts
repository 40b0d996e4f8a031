// Sends a request and follows its redirects, each of which is judged before it is followed. Called by outbound.ts only.
import { type Result, err, ok } from "../errors.ts";
import type { Fetch } from "../ports.ts";
import { type OutboundPolicy, type UrlPolicy, judgeUrl } from "./judge-url.ts";
import { awaitUnlessAborted, discardBody } from "./read-reply.ts";

export interface SentRequest {
  method: string;
  headers: Headers;
  body: RequestInit["body"];
  signal: AbortSignal | null | undefined;
  /** 0: a redirect is the reply. */
  maxRedirects: number;
}

export interface JudgedReply {
  /** After redirects. */
  url: string;
  response: Response;
}

/**
 * Under `npm start` a proxy resolves names. A reply of the proxy itself has this header, with a failure code as its value; the proxy
 * removes it from a server's reply.
 */
export const PROXY_FAILURE = "talaria-outbound-failure";

/** All that another origin gets: a provider's key may be in any header. */
const SAFE_HEADERS = new Set(["accept", "accept-language", "content-type", "range", "user-agent"]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Failures: `url_refused`, also for a redirect from https to http; `too_many_redirects`; `unreachable` from the local proxy. Rejects
 * with what fetch rejects with. A body that is a stream cannot be sent twice: its redirect is the reply.
 */
export async function sendJudged(
  url: string,
  sent: SentRequest,
  deps: { fetch: Fetch; policy: OutboundPolicy; isConfigured: boolean },
): Promise<Result<JudgedReply>> {
  const { fetch, policy } = deps;
  let { method, headers, body } = sent;
  const configured: UrlPolicy = { ...policy, allow: [...policy.allow, ...policy.configured] };
  let judged = judgeUrl(url, deps.isConfigured ? configured : policy);
  for (let followed = 0; ; followed++) {
    if (!judged.ok) return judged;
    const here = judged.value;
    const init: RequestInit = { method, headers, redirect: "manual", ...(body != null && { body }) };
    if (sent.signal) init.signal = sent.signal;
    const response = await awaitUnlessAborted(fetch(here.href, init), sent.signal, discardBody);
    const failed = response.headers.get(PROXY_FAILURE);
    if (failed !== null) return failProxied(failed, response);

    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null || sent.maxRedirects === 0) return ok({ url: here.href, response });
    const becomesGet = response.status === 303 || (response.status < 303 && method === "POST");
    if (!becomesGet && body instanceof ReadableStream) return ok({ url: here.href, response });
    discardBody(response);
    if (followed === sent.maxRedirects) {
      return err("too_many_redirects", `The server redirects more than ${sent.maxRedirects} times.`);
    }
    if (becomesGet && method !== "HEAD") {
      method = "GET";
      body = undefined;
      headers = without(headers, (name) => name.startsWith("content-"));
    }
    const next = URL.parse(location, here.href);
    const isSame = next?.origin === here.origin;
    if (!isSame) headers = without(headers, (name) => !SAFE_HEADERS.has(name));
    judged = judgeRedirect(here, next?.href ?? location, deps.isConfigured && isSame ? configured : policy);
  }
}

function judgeRedirect(here: URL, next: string, policy: UrlPolicy): Result<URL> {
  const judged = judgeUrl(next, policy);
  if (judged.ok && here.protocol === "https:" && judged.value.protocol === "http:") {
    return err("url_refused", "The URL is refused: it redirects from https to http. Use the address it leads to.", {
      reason: "downgrade",
    });
  }
  return judged;
}

function failProxied(code: string, response: Response): Result<never> {
  discardBody(response);
  if (code !== "url_refused") return err("unreachable", "The server could not be reached. Check the address.");
  const message =
    "The URL is refused: its host resolves to an address that is not public. Use a public http or https URL.";
  return err("url_refused", message, { reason: "resolved" });
}

function without(headers: Headers, isDropped: (name: string) => boolean): Headers {
  return new Headers([...headers].filter(([name]) => !isDropped(name)));
}
