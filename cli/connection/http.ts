// Sends requests to the API. Failures become one of two errors: ProblemError for a refusal, UnreachableError without an
// answer. Used by client.ts. Must never send a request to another route than the requested one.
import type * as z from "zod";
import { Problem } from "../../core/schemas/api.ts";
import { ProtocolError } from "../events.ts";
import { isForeignListener } from "../listener.ts";

/** The API refused the request. `problem.detail` is a sentence for a person. */
export class ProblemError extends Error {
  override name = "ProblemError";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.detail} (${problem.code})`);
    this.problem = problem;
  }
}

/** There was no answer, or an incomplete one. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
}

const REQUEST_MS = 60_000;
const FOREIGN =
  "A program of another user listens at Talaria's address, so the key was not sent. Start Talaria with `npm start`, on another port if necessary.";

export type Http = ReturnType<typeof createHttp>;

export interface Call {
  /** Text and bytes go as they are, anything else as JSON. */
  body?: object | string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export function createHttp({ url, key, isOwn = false }: { url: string; key: string; isOwn?: boolean }) {
  const base = url.replace(/(?<!\/)\/+$/, "");

  /** Called before each request and each socket: another program may listen by then. Throws an UnreachableError. */
  function chooseKey(): string {
    if (isOwn && isForeignListener(base)) throw new UnreachableError(FOREIGN);
    return key;
  }

  /** Times out after a minute unless the call has its own signal. */
  async function send(method: string, path: string, call: Call = {}): Promise<Response> {
    assertStays(path);
    const { body, headers = {}, signal = AbortSignal.timeout(REQUEST_MS) } = call;
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const type = isRaw ? "application/octet-stream" : "application/json";
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${chooseKey()}`,
        ...(body === undefined ? {} : { "content-type": type }),
        ...headers,
      },
      body: isRaw || body === undefined ? body : JSON.stringify(body),
      signal,
    }).catch((error: unknown) => {
      throw toUnreachable(error, base);
    });
    if (!response.ok) throw new ProblemError(await toProblem(response));
    return response;
  }

  return {
    url: base,
    keyToSend: chooseKey,
    send,
    /** Parses the answer. */
    async json<T>(schema: z.ZodType<T>, method: string, path: string, call?: Call): Promise<T> {
      const response = await send(method, path, call);
      const text = await response.text().catch((error: unknown) => {
        throw toUnreachable(error, base);
      });
      return schema.parse(JSON.parse(text));
    },
  };
}

/** Codes with a status of 500 or more where a retry does not help: a person must act. */
const FINAL_CODES = new Set(["state_newer", "bad_settings", "workspace_full"]);

function isFinal({ status, code }: Problem): boolean {
  return status < 500 || FINAL_CODES.has(code);
}

/** Rethrows final errors: a refusal or a malformed event. Every other error is a failed connection. */
export function toUnreachable(error: unknown, url: string): UnreachableError {
  if (error instanceof UnreachableError) return error;
  if (error instanceof ProtocolError) throw error;
  if (error instanceof ProblemError && isFinal(error.problem)) throw error;
  if (error instanceof ProblemError) return new UnreachableError(error.message, { cause: error });
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new UnreachableError(`Nothing answers at ${url}${code}.`, { cause: error });
}

/** The server does not answer, or says that it cannot just now, as it does while it restarts. Asking again may help. */
export function isAway(error: unknown): error is UnreachableError | ProblemError {
  if (error instanceof UnreachableError) return true;
  return error instanceof ProblemError && !isFinal(error.problem);
}

/** `..` in a path would lead to another route: URLs are normalised before they are sent, even when escaped. As routes.ts escapes it, it leads nowhere. */
function assertStays(path: string): void {
  if (!/\/(?:\.|%(?:25)?2e){1,2}(?=[/?]|$)/i.test(path)) return;
  const detail = "A name in the path is `.` or `..`, or contains one as a part: choose another.";
  throw new ProblemError({ type: "about:blank", title: "Invalid path", status: 400, code: "bad_path", detail });
}

async function toProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => ""); // a broken body: the status has to suffice
  try {
    return Problem.parse(JSON.parse(text));
  } catch {
    // Not an answer of Talaria: a proxy's page, or a server that is still starting.
    const detail = `The server answered ${response.status} ${response.statusText}, without a problem document.`;
    return { type: "about:blank", title: response.statusText, status: response.status, code: "not_a_problem", detail };
  }
}
