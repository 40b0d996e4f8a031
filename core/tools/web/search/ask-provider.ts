// Asks a search service once, and a second time if it was busy or broken. Called by web-search.ts. No failure contains a key or text
// of the service: such a text may quote the key.
import { type Result, err, ok } from "../../../errors.ts";
import type { Outbound, OutboundReply } from "../../../outbound/outbound.ts";
import type { Clock } from "../../../ports.ts";
import { readRetryAfter } from "../../../retry-after.ts";
import type { SearchFault, SearchHit, SearchProvider } from "./provider.ts";

const TIMEOUT_MS = 15_000;
/** Twenty results of the longest kind take about 200 KB. */
const MAX_REPLY_BYTES = 2 << 20;
/** A longer wait is left to the model, which may have other work to do. */
const MAX_WAIT_MS = 10_000;
const DEFAULT_WAIT_MS = 1_000;

export interface Answered {
  hits: SearchHit[];
  /** Requests that were sent. A service may bill each. */
  requests: number;
}

/** Failures: those of `SearchFault`, `search_reply_unreadable`, and those of Outbound. Their facts have `requests`. */
export async function askProvider(
  provider: SearchProvider,
  query: { text: string; limit: number },
  { outbound, clock, signal }: { outbound: Outbound; clock: Clock; signal: AbortSignal },
): Promise<Result<Answered>> {
  for (let requests = 1; ; requests++) {
    const { url, ...request } = provider.toRequest(query.text, query.limit);
    const reply = await outbound.request(url, {
      ...request,
      ...{ signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_REPLY_BYTES, maxRedirects: 0, configured: true },
    });
    const answered = readReply(provider, reply);
    if (answered.ok) return ok({ hits: answered.value, requests });
    const { code, message } = answered.failure;
    const waitMs = RETRIED.has(code) ? readWait(reply) : null;
    if (requests > 1 || waitMs === null || waitMs > MAX_WAIT_MS) {
      const later = waitMs !== null && waitMs > MAX_WAIT_MS ? { retry_after_s: Math.ceil(waitMs / 1_000) } : {};
      return err(code, message, { provider: provider.name, requests, ...later });
    }
    await clock.sleep(waitMs, signal);
  }
}

const RETRIED = new Set(["search_rate_limited", "search_failed", "unreachable"]);

function readReply(provider: SearchProvider, sent: Result<OutboundReply>): Result<SearchHit[]> {
  const { name } = provider;
  if (!sent.ok) return err(sent.failure.code, `${name} gave no answer: ${sent.failure.message}`);
  const { status, bytes } = sent.value;
  const json = parseJson(bytes);
  if (status !== 200) {
    const fault = provider.readFault?.(status, json) ?? faultOf(status);
    return err(fault, `${name} answered ${status}: ${MEANINGS[fault]}`);
  }
  const hits = provider.readHits(json);
  if (hits) return ok(hits);
  return err("search_reply_unreadable", `${name} sent a reply that is not in its documented form. Answer without it.`);
}

const MEANINGS: Record<SearchFault, string> = {
  search_key_refused: "it refuses the key. Only the operator can change that; answer without a search.",
  search_quota_spent: "its quota is spent. Only the operator can change that; answer without a search.",
  search_rate_limited: "too many searches in a short time. Do other work first, then try again.",
  search_query_refused: "it refuses the query. Write a shorter, plainer one.",
  search_format_refused:
    "it does not answer in JSON, which its operator must allow (search.formats). Answer without a search.",
  search_failed: "it is broken at the moment. Try again later, or answer without a search.",
};

function faultOf(status: number): SearchFault {
  if (status === 401 || status === 403) return "search_key_refused";
  if (status === 402) return "search_quota_spent";
  if (status === 429) return "search_rate_limited";
  return status >= 400 && status < 500 ? "search_query_refused" : "search_failed";
}

/**
 * Milliseconds that the service asks for. Brave sends `X-RateLimit-Reset: 1, 1419704`, seconds for each of its windows; the
 * first is the one per second.
 */
function readWait(sent: Result<OutboundReply>): number {
  const headers = sent.ok ? sent.value.headers : undefined;
  const reset = headers?.get("x-ratelimit-reset")?.split(",")[0]?.trim() ?? "";
  return readRetryAfter(headers) ?? (/^\d{1,9}$/.test(reset) ? Number(reset) * 1_000 : DEFAULT_WAIT_MS);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null; // an error page in HTML, or a reply that was cut off
  }
}
