// Asks a source of skills: one request within the limits of size and of a total time, and its refusals in the hub's words. Made once for each
// call of a source, so that the time counts for the call as a whole. Called by sources/. Never throws.
import { type Result, err, ok } from "../../../errors.ts";
import type { Outbound, OutboundReply } from "../../../outbound/outbound.ts";
import type { Clock } from "../../../ports.ts";
import { readRetryAfter, toWait } from "../../../retry-after.ts";

/** [hermes] Of one request. */
const REQUEST_MS = 20_000;
/** [own] Of one call of a source: 500 small files at six a time need about half of it. */
const TOTAL_MS = 60_000;
/** GitHub refuses requests without one. */
const USER_AGENT = "talaria-hub";

export interface HubRequest {
  maxBytes: number;
  headers?: Record<string, string>;
  /** The address begins with the operator's own `apiBase`. */
  configured?: boolean;
}

export interface HubReply extends OutboundReply {
  /** Of the two statuses that are no failure. */
  status: 200 | 304;
}

export interface HubClient {
  /** Failures: those of `HubSource` that a request can have. The reply's address is the one after redirects. */
  get(url: string, request: HubRequest): Promise<Result<HubReply>>;
}

export interface HubClientDeps {
  outbound: Outbound;
  clock: Clock;
}

export function openHubClient({ outbound, clock }: HubClientDeps, signal: AbortSignal): HubClient {
  const end = clock.now() + TOTAL_MS;
  return {
    async get(url, { maxBytes, headers, configured }) {
      const left = end - clock.now();
      if (left <= 0)
        return err("hub_unreachable", "The source is too slow: it did not send everything in time. Try again later.");
      const reply = await outbound.request(url, {
        headers: { "user-agent": USER_AGENT, ...headers },
        ...{ signal, maxBytes, timeoutMs: Math.min(REQUEST_MS, left) },
        ...(configured && { configured }),
      });
      return reply.ok ? readStatus(reply.value, clock) : toHubFailure(reply, url);
    },
  };
}

/** Names the host that was asked: an address may hold credentials. */
function toHubFailure({ failure }: Extract<Result<never>, { ok: false }>, url: string): Result<never> {
  if (failure.code === "url_refused") return { ok: false, failure };
  if (failure.code === "reply_too_large")
    return err("hub_too_large", `${failure.message} Nothing was kept.`, failure.facts);
  return err("hub_unreachable", `${URL.parse(url)?.host ?? "The source"}: ${failure.message}`);
}

function readStatus(reply: OutboundReply, clock: Clock): Result<HubReply> {
  const { status, headers } = reply;
  if (status === 200 || status === 304) return ok({ ...reply, status });
  const waitMs = readWait(status, headers, clock);
  if (waitMs !== null) {
    const message = `The source allows no more requests for ${Math.ceil(waitMs / 1_000)} seconds. Try again then. At GitHub a token raises the limit.`;
    return err("hub_rate_limited", message, { retryAfterMs: waitMs });
  }
  if (NOT_THERE.has(status)) {
    return err(
      "hub_not_found",
      `The source answers that this is not there (${status}). Check the name and the version.`,
    );
  }
  if (status === 401 || status === 403) {
    return err(
      "hub_forbidden",
      `The source refuses access (${status}). A private place needs a token that may read it.`,
    );
  }
  return err("hub_unreachable", `The source answered ${status}. Try again later.`);
}

/** GitHub answers 409 for an empty repository and 422 for a ref that it does not know. */
const NOT_THERE = new Set([404, 409, 410, 422, 451]);

const DEFAULT_WAIT_MS = 60_000;

/**
 * GitHub answers 403 or 429: with `retry-after` for its secondary limits, with `x-ratelimit-remaining: 0` and `x-ratelimit-reset` (seconds since
 * 1970) for its primary one (docs.github.com, "Rate limits for the REST API"). ClawHub answers 429 with both. `null`: another refusal.
 */
function readWait(status: number, headers: Headers, clock: Clock): number | null {
  const asked = readRetryAfter(headers);
  const isSpent = headers.get("x-ratelimit-remaining")?.trim() === "0";
  if (status !== 429 && !(status === 403 && (asked !== undefined || isSpent))) return null;
  if (asked !== undefined) return asked;
  const reset = headers.get("x-ratelimit-reset")?.trim() ?? "";
  if (!/^\d{1,12}$/.test(reset)) return DEFAULT_WAIT_MS;
  const seconds = Number(reset);
  // Some servers send the seconds that are left.
  return toWait(seconds < 1_000_000_000 ? seconds * 1_000 : seconds * 1_000 - clock.now());
}

/** Failure: `hub_bad_reply`. */
export function readJson(bytes: Uint8Array): Result<unknown> {
  try {
    return ok(JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)) as unknown);
  } catch {
    return badReply("is not JSON");
  }
}

export function badReply(what: string): Result<never> {
  return err("hub_bad_reply", `The reply of the source ${what}. Nothing was kept.`);
}
