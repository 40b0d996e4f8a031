// Sends requests to the API and turns what goes wrong into one of two errors: a refusal, or nobody there. Used by client.ts.
// Must never send a request to another route than the one that was asked for.
import type * as z from "zod";
import { Problem } from "../core/schemas/api.ts";
import { ProtocolError } from "./events.ts";
import { isForeignListener } from "./listener.ts";

/** The API answered, and refused. `problem.detail` is a sentence for a person. */
export class ProblemError extends Error {
  override name = "ProblemError";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.detail} (${problem.code})`);
    this.problem = problem;
  }
}

/** Nothing answered, or the answer broke off. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
}

const REQUEST_MS = 60_000;
const FOREIGN =
  "A program of another user listens at Talaria's address, so the key was not sent. Start Talaria with `npm start`, on another port if need be.";

export type Http = ReturnType<typeof createHttp>;

export interface Call {
  /** Text and bytes go as they are, anything else as JSON. */
  body?: object | string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export function createHttp({ url, key, isOwn = false }: { url: string; key: string; isOwn?: boolean }) {
  const base = url.replace(/(?<!\/)\/+$/, "");

  /** Called before each request and each socket, since another program may listen by then. Throws an UnreachableError. */
  function keyToSend(): string {
    if (isOwn && isForeignListener(base)) throw new UnreachableError(FOREIGN);
    return key;
  }

  /** Gives up after a minute unless another signal is given. */
  async function send(method: string, path: string, call: Call = {}): Promise<Response> {
    assertStays(path);
    const { body, headers = {}, signal = AbortSignal.timeout(REQUEST_MS) } = call;
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const type = raw ? "application/octet-stream" : "application/json";
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${keyToSend()}`,
        ...(body === undefined ? {} : { "content-type": type }),
        ...headers,
      },
      body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
      signal,
    }).catch((error: unknown) => {
      throw toUnreachable(error, base);
    });
    if (!response.ok) throw new ProblemError(await toProblem(response));
    return response;
  }

  return {
    url: base,
    keyToSend,
    send,
    /** The answer, parsed. */
    async json<T>(schema: z.ZodType<T>, method: string, path: string, call?: Call): Promise<T> {
      const response = await send(method, path, call);
      const text = await response.text().catch((error: unknown) => {
        throw toUnreachable(error, base);
      });
      return schema.parse(JSON.parse(text));
    },
    async nothing(method: string, path: string): Promise<void> {
      await send(method, path);
    },
  };
}

/** Refusals with a status of 500 or more that a person has to end: a retry gets the same answer. */
const FINAL_CODES = new Set(["state_newer", "bad_settings", "workspace_full"]);

function isFinal({ status, code }: Problem): boolean {
  return status < 500 || FINAL_CODES.has(code);
}

/** Passes on what is certain (a refusal, a malformed event); anything else is a connection that failed. */
export function toUnreachable(error: unknown, url: string): UnreachableError {
  if (error instanceof UnreachableError) return error;
  if (error instanceof ProtocolError) throw error;
  if (error instanceof ProblemError && isFinal(error.problem)) throw error;
  if (error instanceof ProblemError) return new UnreachableError(error.message, { cause: error });
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new UnreachableError(`Nothing answers at ${url}${code}.`, { cause: error });
}

/** `..` in a name would make it another route's path before it is sent, escaped or not. */
function assertStays(path: string): void {
  if (!/\/(?:\.|%2e){1,2}(?=[/?]|$)/i.test(path)) return;
  const detail = "A name in the path is `.` or `..`, or holds one as a part: choose another.";
  throw new ProblemError({ type: "about:blank", title: "Invalid path", status: 400, code: "bad_path", detail });
}

async function toProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => ""); // A broken body: the status says what there is to say.
  try {
    return Problem.parse(JSON.parse(text));
  } catch {
    // Not ours: a proxy's page, or a server that is still starting.
    const detail = `The server answered ${response.status} ${response.statusText}, without a problem document.`;
    return { type: "about:blank", title: response.statusText, status: response.status, code: "not_a_problem", detail };
  }
}
