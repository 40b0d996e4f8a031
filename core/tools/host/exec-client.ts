// The client of an exec host over HTTP: one request for each call, through the URL policy. Made by the Session object. No failure
// holds the address or the token, and no reply is trusted before it was parsed.
import type * as z from "zod";
import { type Result, err, ok } from "../../errors.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import { fromBase64, toBase64 } from "../../schemas/base64.ts";
import {
  ExecCommandList,
  ExecCommandState,
  ExecEntries,
  ExecFound,
  ExecOutput,
  ExecPiece,
  ExecProblem,
  ExecWritten,
} from "../../schemas/exec.ts";
import type { ExecHost } from "./exec-host.ts";

/** Beyond what the host itself may wait. */
const SLACK_MS = 15_000;
/** Both streams of a command at both ends, escaped as JSON. */
const MAX_REPLY_BYTES = 8 << 20;
const PIECE_BYTES = 1 << 20;

export interface ExecClientOptions {
  /** The operator's own, such as `http://127.0.0.1:8790`. */
  baseUrl: string;
  token: string;
  outbound: Pick<Outbound, "request">;
}

export function createExecClient(options: ExecClientOptions): ExecHost {
  const call = createCall(options);
  return {
    start: ({ stdin, waitMs, ...request }, signal) =>
      call("POST /v1/commands", ExecCommandState, {
        body: { ...request, waitMs, ...(stdin !== undefined && { stdin: toBase64(new TextEncoder().encode(stdin)) }) },
        waitMs,
        signal,
      }),
    command: (op, waitMs, signal) =>
      call(`GET ${toCommandPath(op)}?waitMs=${waitMs}`, ExecCommandState, { waitMs, signal }),
    output: (op, { from, limit, waitMs }, signal) =>
      call(`GET ${toCommandPath(op)}/output?from=${from}&limit=${limit}&waitMs=${waitMs}`, ExecOutput, {
        waitMs,
        signal,
      }),
    write: (to, { data, ...request }, signal) =>
      call(`POST ${toCommandPath(to)}/stdin`, ExecCommandState, {
        body: { ...request, data: toBase64(new TextEncoder().encode(data)) },
        signal,
      }),
    kill: (op, signal) => call(`POST ${toCommandPath(op)}/kill`, ExecCommandState, { body: {}, signal }),
    commands: (prefix, signal) =>
      call(`GET /v1/commands?prefix=${encodeURIComponent(prefix)}`, ExecCommandList, { signal }),
    listFolder: (path, signal) => call("POST /v1/files/list", ExecEntries, { body: { path, limit: 100 }, signal }),
    search: (body, signal) => call("POST /v1/files/search", ExecFound, { body, signal }),
    writeFile: ({ bytes, ...request }, signal) =>
      call("POST /v1/files/write", ExecWritten, { body: { ...request, base64: toBase64(bytes) }, signal }),
    readFile: (path, maxBytes, signal) => readFile(call, path, maxBytes, signal),
  };
}

type Call = <Reply>(
  route: string,
  schema: z.ZodType<Reply>,
  request: { body?: object; waitMs?: number; signal: AbortSignal },
) => Promise<Result<Reply>>;

function createCall({ baseUrl, token, outbound }: ExecClientOptions): Call {
  const base = baseUrl.replace(/\/$/, "");
  return async (route, schema, { body, waitMs = 0, signal }) => {
    const [method, path = ""] = route.split(" ");
    const sent = await outbound.request(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      signal,
      timeoutMs: waitMs + SLACK_MS,
      maxBytes: MAX_REPLY_BYTES,
      maxRedirects: 0,
      configured: true,
    });
    if (!sent.ok)
      return sent.failure.code === "aborted" ? err("aborted", ABORTED) : err("host_unreachable", UNREACHABLE);
    const { status, bytes } = sent.value;
    const reply = parseJson(bytes);
    if (status === 200) {
      const parsed = schema.safeParse(reply);
      return parsed.success ? ok(parsed.data) : err("host_garbled", GARBLED);
    }
    const problem = ExecProblem.safeParse(reply);
    if (status === 401 || status === 403) {
      if (!problem.success || HOST_REFUSALS.has(problem.data.code)) return err("host_locked", LOCKED);
    }
    if (status >= 400 && status < 600 && problem.success && status !== 500)
      return err(problem.data.code, problem.data.message);
    return err("host_failed", FAILED);
  };
}

async function readFile(
  call: Call,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): ReturnType<ExecHost["readFile"]> {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; ;) {
    const read = await call("POST /v1/files/read", ExecPiece, { body: { path, offset, length: PIECE_BYTES }, signal });
    if (!read.ok) return read;
    const { size, length } = read.value;
    if (size > maxBytes || offset + length > maxBytes) return ok({ path: read.value.path, size, bytes: null });
    const piece = fromBase64(read.value.base64);
    if (piece.length !== length) return err("host_garbled", GARBLED);
    pieces.push(piece);
    offset += length;
    if (length < PIECE_BYTES) return ok({ path: read.value.path, size: offset, bytes: join(pieces, offset) });
  }
}

function toCommandPath(op: string): string {
  return `/v1/commands/${encodeURIComponent(op)}`;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return null; // not the exec host's words
  }
}

function join(pieces: Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Codes of 401 and 403 that mean us, not a file. */
const HOST_REFUSALS = new Set(["unauthorized", "host_refused", "origin_refused"]);

const ABORTED = "The request was called off.";
const UNREACHABLE =
  "The exec host cannot be reached. It may be restarting: tell the person if it stays so, and look before you repeat a change.";
const GARBLED = "The exec host sent a reply that cannot be read. Tell the person, and look before you repeat a change.";
const FAILED = "The exec host failed. Look before you repeat a change, and tell the person if it happens again.";
const LOCKED =
  "The exec host refuses this deployment's token. Tell the person: the operator must set TALARIA_EXEC_TOKEN.";
