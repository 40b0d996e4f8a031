// Requests to GitHub's REST API with a person's token, and what its refusals mean. Used by publish-pull.ts. Every request leaves through
// core/outbound. A failure never holds the token.
import * as z from "zod";
import { type Result, err, ok } from "../../errors.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import { toWait, readRetryAfter } from "../../retry-after.ts";

export interface GithubDeps {
  outbound: Outbound;
  /** Without a slash at its end. */
  apiBase: string;
  token: string;
  signal: AbortSignal;
  now(): number;
}

export interface Github {
  /**
   * The reply to a request, parsed. `absent` is the answer's value where one of its statuses comes instead. Failures: `hub_forbidden`,
   * `hub_not_found`, `hub_rate_limited` (fact `retryAfterMs`), `hub_unreachable`, `hub_bad_reply`, `hub_too_large`.
   */
  call<T>(schema: z.ZodType<T>, method: "GET" | "POST", path: string, body?: object): Promise<Result<T>>;
  /** The same, and null where the reply's status is one of `absent`. */
  find<T>(schema: z.ZodType<T>, path: string, absent: readonly number[]): Promise<Result<T | null>>;
  /** Creates something. `taken`: GitHub refuses it with 422, as it does what exists already; `says` is its reason. */
  create<T>(
    schema: z.ZodType<T>,
    path: string,
    body: object,
  ): Promise<Result<{ made: T } | { taken: true; says: string }>>;
}

/** A reply that names one thing: a repository with its owner and parent is the largest. */
const MAX_REPLY_BYTES = 2 << 20;
const TIMEOUT_MS = 20_000;
/** [github] The version that the forms below are of. */
const API_VERSION = "2022-11-28";

const Refusal = z.object({
  message: z.string().optional(),
  errors: z.array(z.union([z.string(), z.object({ message: z.string().optional() })])).optional(),
});

interface Reply {
  status: number;
  headers: Headers;
  json: unknown;
}

export function createGithub(deps: GithubDeps): Github {
  async function send(method: "GET" | "POST", path: string, body?: object): Promise<Result<Reply>> {
    const reply = await deps.outbound.request(`${deps.apiBase}${path}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${deps.token}`,
        "user-agent": "talaria",
        "x-github-api-version": API_VERSION,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: deps.signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_REPLY_BYTES,
      configured: true, // `hub.github.apiBase` is the operator's
    });
    if (!reply.ok) return err(toHubCode(reply.failure.code), reply.failure.message);
    const { status, headers, bytes } = reply.value;
    return ok({ status, headers, json: parseJson(bytes) });
  }

  function read<T>(schema: z.ZodType<T>, reply: Reply): Result<T> {
    if (reply.status < 200 || reply.status > 299) return explain(reply, deps.now());
    const parsed = schema.safeParse(reply.json);
    return parsed.success ? ok(parsed.data) : err("hub_bad_reply", "GitHub's answer has an unknown form.");
  }

  return {
    async call(schema, method, path, body) {
      const reply = await send(method, path, body);
      return reply.ok ? read(schema, reply.value) : reply;
    },
    async find(schema, path, absent) {
      const reply = await send("GET", path);
      if (!reply.ok) return reply;
      return absent.includes(reply.value.status) ? ok(null) : read(schema, reply.value);
    },
    async create(schema, path, body) {
      const reply = await send("POST", path, body);
      if (!reply.ok) return reply;
      if (reply.value.status === 422) return ok({ taken: true, says: reasonOf(reply.value.json) });
      const made = read(schema, reply.value);
      return made.ok ? ok({ made: made.value }) : made;
    },
  };
}

/** What GitHub refuses, and why. */
function explain({ status, headers, json }: Reply, nowMs: number): Result<never> {
  const says = reasonOf(json);
  const waitMs = readWait(status, headers, says, nowMs);
  if (waitMs !== null) {
    const seconds = Math.ceil(waitMs / 1_000);
    const message = `GitHub takes no more requests for ${seconds} seconds. Try again then.`;
    return err("hub_rate_limited", message, { retryAfterMs: waitMs });
  }
  if (status === 401)
    return err("hub_forbidden", "GitHub does not accept the token. It may have expired: set another.");
  if (status === 403)
    return err("hub_forbidden", `GitHub refuses it: ${says} The token needs access to contents and pull requests.`);
  if (status === 404 || status === 410)
    return err("hub_not_found", "GitHub has no such repository, or none that the token may see.");
  if (status === 409)
    return err("hub_refused", `GitHub cannot do it now: ${says} An empty repository needs a first commit.`);
  if (status >= 500) return err("hub_unreachable", `GitHub answers with status ${status}. Try again later.`);
  return err("hub_bad_reply", `GitHub answers with status ${status}: ${says}`);
}

/** A minute where a limit names no time, as GitHub asks. Null: it is no limit. */
const UNKNOWN_WAIT_MS = 60_000;

function readWait(status: number, headers: Headers, says: string, nowMs: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const after = readRetryAfter(headers);
  if (after !== undefined) return after;
  if (headers.get("x-ratelimit-remaining") === "0") {
    const resetMs = Number(headers.get("x-ratelimit-reset")) * 1_000;
    return resetMs > 0 ? toWait(resetMs - nowMs) : UNKNOWN_WAIT_MS;
  }
  return status === 429 || /rate limit/i.test(says) ? UNKNOWN_WAIT_MS : null;
}

const MAX_REASON_CHARS = 300;

/** One sentence; what a server says may be anything. */
function reasonOf(json: unknown): string {
  const parsed = Refusal.safeParse(json);
  const { message = "", errors = [] } = parsed.success ? parsed.data : {};
  const more = errors.map((one) => (typeof one === "string" ? one : (one.message ?? "")));
  const text = [message, ...more]
    .join(" ")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return text === "" ? "no reason is given." : `${text.slice(0, MAX_REASON_CHARS).replace(/\.$/, "")}.`;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // not JSON: an error page of a proxy
  }
}

function toHubCode(code: string): string {
  if (code === "reply_too_large") return "hub_too_large";
  return code === "url_refused" ? code : "hub_unreachable";
}
