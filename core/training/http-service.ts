// A training service over HTTP, in Talaria's own form (docs/TRAINING.md): one request for each call, through the URL policy, never
// redirected and never repeated. No failure holds the address or the token, and no reply is trusted before it was parsed.
import type * as z from "zod";
import { clip, toOneLine } from "../clip.ts";
import { type Result, err, ok } from "../errors.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { readRetryAfter } from "../retry-after.ts";
import { ServiceJob, ServicePart, ServiceProblem, ServiceResults, ServiceStatus } from "../schemas/training.ts";
import type { TrainingConfig } from "./training-env.ts";
import type { TrainingService } from "./training-service.ts";

const TIMEOUT_MS = 30_000;
/** A page of trajectories over a slow line; less than the minute that the terminal client waits. */
const UPLOAD_TIMEOUT_MS = 50_000;
/** [own] The longest answer: 100 metrics. */
const MAX_REPLY_BYTES = 64 << 10;
const MAX_SAID_CHARS = 300;
const DEFAULT_RETRY_SECONDS = 60;

export function createHttpTrainingService(
  config: TrainingConfig,
  outbound: Pick<Outbound, "request">,
): TrainingService {
  const call = createCall(config, outbound);
  const at = (job: string) => `/v1/jobs/${encodeURIComponent(job)}`;
  return {
    create: (op, run, signal) => call("POST", "/v1/jobs", ServiceJob, { op, body: { v: 1, ...run }, signal }),
    async upload(job, { sha256 }, lines, signal) {
      const request = { op: sha256, body: lines, signal };
      const put = await call("PUT", `${at(job)}/data/${sha256}`, ServicePart, request);
      if (!put.ok) return put;
      return put.value.sha256 === sha256 ? ok(null) : err("training_garbled", GARBLED);
    },
    start: (job, { op, parts, dataset }, signal) =>
      call("POST", `${at(job)}/start`, ServiceStatus, { op, body: { parts, dataset }, signal }),
    status: (job, signal) => call("GET", at(job), ServiceStatus, { signal }),
    stop: (job, op, signal) => call("POST", `${at(job)}/stop`, ServiceStatus, { op, body: {}, signal }),
    results: (job, signal) => call("GET", `${at(job)}/results`, ServiceResults, { signal }),
  };
}

interface Asked {
  op?: string;
  /** JSON lines as they are. */
  body?: object | string;
  signal: AbortSignal;
}

function createCall({ baseUrl, token }: TrainingConfig, outbound: Pick<Outbound, "request">) {
  return async <Reply>(
    method: string,
    path: string,
    schema: z.ZodType<Reply>,
    { op, body, signal }: Asked,
  ): Promise<Result<Reply>> => {
    const isUpload = typeof body === "string";
    const sent = await outbound.request(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": isUpload ? "application/x-ndjson" : "application/json" }),
        ...(op !== undefined && { "idempotency-key": op }),
      },
      ...(body !== undefined && { body: isUpload ? body : JSON.stringify(body) }),
      ...{ signal, timeoutMs: isUpload ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS, maxBytes: MAX_REPLY_BYTES },
      ...{ maxRedirects: 0, configured: true },
    });
    if (!sent.ok) {
      const isGarbled = sent.failure.code === "reply_too_large";
      return isGarbled ? err("training_garbled", GARBLED) : unreachable(DEFAULT_RETRY_SECONDS);
    }
    const { status, headers, bytes } = sent.value;
    if (status === 429 || status >= 500) {
      const waitMs = readRetryAfter(headers);
      return unreachable(waitMs === undefined ? DEFAULT_RETRY_SECONDS : Math.ceil(waitMs / 1_000));
    }
    if (status === 401 || status === 403) return err("training_service_locked", LOCKED);
    const reply = parseJson(bytes);
    if (status === 200 || status === 201) {
      const parsed = schema.safeParse(reply);
      return parsed.success ? ok(parsed.data) : err("training_garbled", GARBLED);
    }
    const problem = ServiceProblem.safeParse(reply);
    if (status < 400 || !problem.success) return err("training_garbled", GARBLED);
    const said = clip(toOneLine(problem.data.message), MAX_SAID_CHARS);
    if (status === 404) return err("training_lost", `The training service does not know this job: ${said}`);
    return err("training_refused", `The training service refused: ${said}`);
  };
}

function unreachable(retryAfterSeconds: number): Result<never> {
  return err("training_unreachable", UNREACHABLE, { retryAfterSeconds });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return null; // not the service's words
  }
}

const UNREACHABLE = "The training service cannot be reached. Repeat the request later: it has the effect of one.";
const GARBLED = "The training service sent a reply that docs/TRAINING.md does not have. Nothing was taken from it.";
const LOCKED = "The training service refuses this deployment's token. The operator must set TALARIA_TRAINING_TOKEN.";
