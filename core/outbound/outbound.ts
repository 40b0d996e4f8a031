// The one way out of the isolate for a request whose host a tenant, a model, a message or a redirect can influence. Checks the URL and
// every redirect before anything leaves, and limits size, time and content type. Created by wiring/outbound.ts, which alone has the
// platform's fetch. A failure never contains a URL: it may hold a secret.
import { type Failure, type Result, err, ok } from "../errors.ts";
import type { Clock, Fetch } from "../ports.ts";
import { createLimitedFetch } from "./limited-fetch.ts";
import { discardBody, readReply } from "./read-reply.ts";
import { type JudgedReply, type SentRequest, sendJudged } from "./redirects.ts";
import type { OutboundPolicy } from "./judge-url.ts";

export interface OutboundRequest {
  /** Default: GET. */
  method?: string;
  /** Another origin, after a redirect, gets only those that carry no credential. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** For the whole exchange, redirects and body included. */
  timeoutMs: number;
  /** Of the decoded body. */
  maxBytes: number;
  /** The reply's body is dropped unread: its status says all. */
  ignoreBody?: true;
  /** Accepted types of a 2xx reply: `text/html`, `image/*`. Absent: any. */
  contentTypes?: readonly string[];
  /** GET and HEAD only. Default 5; 0: the redirect itself is the reply. */
  maxRedirects?: number;
  /**
   * The URL is the operator's configuration (a variable), so it may name one of `OutboundPolicy.configured`. Never set it for a URL
   * that a model, a message or a profile gave.
   */
  configured?: true;
}

export interface OutboundReply {
  /** After redirects. */
  url: string;
  /** Any status: a 404 is a reply. */
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

export interface Outbound {
  /**
   * Sends a request and reads the whole reply. Never throws. Failures: `url_refused`, `too_many_redirects`, `content_type_refused`,
   * `reply_too_large`, `timed_out`, `aborted`, `unreachable`.
   */
  request(url: string, options: OutboundRequest): Promise<Result<OutboundReply>>;
  /**
   * For addresses of the operator's configuration whose reply is streamed: models, memory providers. Follows the standard, but checks the
   * URL and each redirect, and limits neither size nor time. Rejects with an `OutboundError` for a refused URL, with what the
   * platform's fetch rejects with otherwise. `redirect: "error"` acts like `manual`.
   */
  fetch: Fetch;
  /**
   * A fetch for addresses that a profile names and whose reply is streamed: MCP servers. Checks the URL, excepts no address of
   * configuration, follows no redirect, and ends a reply that is larger. Rejects with an `OutboundError` (`url_refused`,
   * `reply_too_large`), also while the body is read. The caller limits the time.
   */
  limitedFetch(maxBytes: number): Fetch;
}

/** Thrown by `Outbound.fetch` and `limitedFetch` with the failure that `Outbound.request` would return. */
export class OutboundError extends Error {
  override name = "OutboundError";
  readonly code: string;
  constructor({ code, message }: Failure) {
    super(message);
    this.code = code;
  }
}

const MAX_REDIRECTS = 5;

export function createOutbound(deps: { fetch: Fetch; clock: Clock; policy: OutboundPolicy }): Outbound {
  const { fetch, clock, policy } = deps;

  async function request(url: string, options: OutboundRequest): Promise<Result<OutboundReply>> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) stop.abort();
    const timer = new AbortController();
    let isLate = false;
    void clock.sleep(options.timeoutMs, timer.signal).then(() => {
      if (timer.signal.aborted) return;
      isLate = true;
      stop.abort();
    });
    const method = (options.method ?? "GET").toUpperCase();
    const isRead = method === "GET" || method === "HEAD";
    const sent: SentRequest = {
      method,
      headers: new Headers(options.headers),
      body: options.body as BodyInit | undefined, // never over shared memory, which the type would allow
      signal: stop.signal,
      maxRedirects: isRead ? (options.maxRedirects ?? MAX_REDIRECTS) : 0,
    };
    try {
      const reply = await sendJudged(url, sent, { fetch, policy, isConfigured: options.configured === true });
      return reply.ok ? await toReply(reply.value, options, stop.signal) : reply;
    } catch {
      // What was thrown may contain the URL.
      if (options.signal.aborted) return err("aborted", "The request was cancelled.");
      if (isLate) return err("timed_out", `The server did not answer within ${options.timeoutMs / 1_000} seconds.`);
      return err("unreachable", "The server could not be reached. Check the address, or try again later.");
    } finally {
      timer.abort();
      options.signal.removeEventListener("abort", onAbort);
    }
  }

  const fetchConfigured: Fetch = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const given = input instanceof Request ? input : null;
    const redirect = init.redirect ?? given?.redirect ?? "follow";
    const sent: SentRequest = {
      method: (init.method ?? given?.method ?? "GET").toUpperCase(),
      headers: new Headers(init.headers ?? given?.headers),
      body: init.body ?? given?.body,
      signal: init.signal ?? given?.signal,
      maxRedirects: redirect === "follow" ? MAX_REDIRECTS : 0,
    };
    const url = given?.url ?? String(input);
    const reply = await sendJudged(url, sent, { fetch, policy, isConfigured: true });
    if (!reply.ok) throw new OutboundError(reply.failure);
    return reply.value.response;
  };

  const toError = (failure: Failure) => new OutboundError(failure);
  const limitedFetch = (maxBytes: number) => createLimitedFetch({ fetch, policy, toError }, maxBytes);
  return { request, fetch: fetchConfigured, limitedFetch };
}

async function toReply(
  { url, response }: JudgedReply,
  { maxBytes, contentTypes, ignoreBody }: OutboundRequest,
  signal: AbortSignal,
): Promise<Result<OutboundReply>> {
  if (ignoreBody) {
    discardBody(response);
    return ok({ url, status: response.status, headers: response.headers, bytes: new Uint8Array() });
  }
  const bytes = await readReply(response, { maxBytes, contentTypes, signal });
  if (!bytes.ok) return bytes;
  return ok({ url, status: response.status, headers: response.headers, bytes: bytes.value });
}
