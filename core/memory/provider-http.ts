// Makes one HTTP request to a memory provider, by an injected fetch. The key is bound to the host it was given for:
// redirects are not followed, and no failure contains a key, an address or text of the reply. Called by the adapters in
// providers/.
import { type Result, ok } from "../errors.ts";
import { OutboundError } from "../outbound/outbound.ts";
import { readRetryAfter } from "../retry-after.ts";
import type { ProviderFailure } from "./provider.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** More than any service sends in reply. A longer reply is cut off. */
const MAX_REPLY_BYTES = 1 << 20;
/** Statuses that mean the request itself was wrong and say nothing about the service. */
const REQUEST_FAULTS = new Set([400, 404, 405, 409, 410, 413, 414, 415, 422]);

export interface ProviderRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path below the base URL, with its segments encoded. */
  path: string;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  signal: AbortSignal;
}

/** Resolves to parsed JSON, `null` for a reply without a body. `status` is among the failure's facts. */
export type Send = (request: ProviderRequest) => Promise<Result<unknown, ProviderFailure>>;

export function createSend(options: {
  name: string;
  baseUrl: string;
  /** The headers that hold the key and the tenant. */
  headers: Record<string, string>;
  fetch: Fetch;
}): Send {
  const { name, baseUrl } = options;

  return async function send({ method, path, query = {}, body, signal }) {
    const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
    let status = 0;
    try {
      const response = await options.fetch(`${baseUrl}${path}${words && `?${words}`}`, {
        method,
        headers: { ...options.headers, "content-type": "application/json", accept: "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "manual",
        signal,
      });
      status = response.status;
      if (!response.ok) {
        await response.body?.cancel().catch(() => undefined); // the connection may be gone already
        const retryAfterMs = readRetryAfter(response.headers);
        return fail("memory_provider_refused", `${name} answered ${status}.`, {
          facts: { status },
          ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
          retry: status === 429 || status === 503,
          isRequestFault: REQUEST_FAULTS.has(status),
        });
      }
      const text = await readText(response);
      if (text === null) return fail("memory_provider_reply", `${name} sent a reply that is too long.`);
      return ok(text.trim() === "" ? null : (JSON.parse(text) as unknown));
    } catch (thrown) {
      if (thrown instanceof OutboundError && thrown.code === "url_refused") {
        return fail("memory_provider_refused_url", `${name} has an address that the URL policy refuses.`);
      }
      // The thrown message may contain the address, so it is not passed on.
      if (signal.aborted) return fail("memory_provider_timeout", `${name} did not answer in time.`);
      if (status > 0) return fail("memory_provider_reply", `${name} sent a reply that is not JSON.`);
      return fail("memory_provider_unreachable", `${name} could not be reached.`);
    }
  };
}

export function fail(
  code: string,
  message: string,
  more: Omit<ProviderFailure, "code" | "message"> = {},
): { ok: false; failure: ProviderFailure } {
  return { ok: false, failure: { code, message, ...more } };
}

async function readText(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const utf8 = new TextDecoder();
  let bytes = 0;
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + utf8.decode();
    bytes += value.byteLength;
    if (bytes > MAX_REPLY_BYTES) {
      await reader.cancel().catch(() => undefined); // the connection may be gone already
      return null;
    }
    text += utf8.decode(value, { stream: true });
  }
}
