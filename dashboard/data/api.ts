// Requests to the API by the name of their route, typed from its description. The browser sends the cookie of the sign-in by itself;
// a request that changes something also needs the CSRF token, which is kept in memory only.
import type { Contract } from "../../cli/connection/contract.ts";
import { type AskedArgs, type Route, fillRoute } from "../../cli/connection/routes.ts";

export type { Route };
export type Answer<R extends Route> = Contract[R]["answer"];
export type { AskedArgs };

/** What the API says of a refusal: `detail` is a sentence for a person, `code` is stable. */
export interface Problem {
  status: number;
  code: string;
  title: string;
  detail: string;
  /** Belong to the code. */
  facts?: Record<string, unknown>;
}

/** The API refused the request. */
export class ProblemError extends Error {
  override name = "ProblemError";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** There was no answer: the network or the server is away. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
}

/**
 * It may pass by itself: no answer, a server that restarts (a status of 500 or more), or a sign-in that has ended and is for the next one
 * to take up.
 */
export function isLoss(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  return error instanceof ProblemError && (error.problem.status >= 500 || error.problem.status === 401);
}

/** Set by sign-in.ts: the token of this sign-in, how to read it again, and what to do once the sign-in has ended. */
export const credentials = {
  csrf: "",
  /** False: the server is away, or another profile is signed in now, in whose name nothing may be sent that this one asked for. */
  refresh: async (): Promise<boolean> => false,
  ended: (): void => {},
};

interface Filled {
  params?: Record<string, string | number>;
  query?: object;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const REQUEST_MS = 60_000;
/** 16 kB a second. A large file, or a message with pictures, may take longer on a slow line. */
const SLOWEST_BYTES_PER_MS = 16;

/** Sends a request whose answer is read by the caller: bytes, or a stream. Throws ProblemError, UnreachableError. */
export async function send<R extends Route>(route: R, ...args: AskedArgs<R>): Promise<Response> {
  const { params, query, ...rest } = (args[0] ?? {}) as Filled;
  const [method, path] = fillRoute(route, { params, query });
  return request(method, path, rest);
}

/** The same for an address whose answer or body is bytes, which the types of routes do not describe. */
export function sendBytes(method: "GET" | "PUT" | "POST", path: string, body?: Blob): Promise<Response> {
  return request(method, path, { ...(body && { body }) });
}

async function request(
  method: string,
  path: string,
  asked: Pick<Filled, "body" | "headers" | "signal">,
): Promise<Response> {
  const { body, headers } = asked;
  const isRaw = body instanceof Blob || body instanceof Uint8Array;
  const sent = body === undefined ? undefined : isRaw ? (body as BodyInit) : JSON.stringify(body);
  const bytes = body instanceof Blob ? body.size : body instanceof Uint8Array ? body.length : String(sent ?? "").length;
  const { signal = AbortSignal.timeout(REQUEST_MS + Math.ceil(bytes / SLOWEST_BYTES_PER_MS)) } = asked;
  const ask = () =>
    fetch(path, {
      method,
      headers: {
        ...(method !== "GET" && { "x-csrf-token": credentials.csrf }),
        ...(body !== undefined && { "content-type": isRaw ? "application/octet-stream" : "application/json" }),
        ...headers,
      },
      body: sent,
      signal,
    });
  // A key or a code that is refused says nothing of the sign-in.
  const isOfSignIn = headers?.authorization === undefined;
  return settle(ask, signal, isOfSignIn);
}

/** Asks for JSON. Throws ProblemError, UnreachableError. */
export async function call<R extends Route>(route: R, ...asked: AskedArgs<R>): Promise<Answer<R>> {
  const response = await send(route, ...asked);
  return (response.status === 204 ? null : await response.json().catch(throwUnreachable)) as Answer<R>;
}

/** The answer, or what went wrong. A token that another tab's sign-in has replaced is read again, once. */
async function settle(ask: () => Promise<Response>, signal: AbortSignal, isOfSignIn: boolean): Promise<Response> {
  const reach = () =>
    ask().catch((error: unknown) => {
      // The caller gave up: the page has moved on.
      if (signal.aborted && (signal.reason as Error).name !== "TimeoutError") throw error;
      return throwUnreachable();
    });
  let response = await reach();
  if (response.ok) return response;
  let problem = await toProblem(response);
  if (problem.code === "csrf_refused") {
    if (!(await credentials.refresh())) throwUnreachable();
    response = await reach();
    if (response.ok) return response;
    problem = await toProblem(response);
  }
  if (problem.status === 401 && isOfSignIn) credentials.ended();
  throw new ProblemError(problem);
}

function throwUnreachable(): never {
  throw new UnreachableError("The server does not answer. Check the connection, then try again.");
}

async function toProblem(response: Response): Promise<Problem> {
  const { status, statusText: title } = response;
  const body = (await response.json().catch(() => null)) as Partial<Problem> | null;
  if (typeof body?.detail === "string" && typeof body.code === "string") return { title, ...body, status } as Problem;
  return {
    status,
    title,
    code: "not_a_problem",
    detail: `The server answered ${status} ${title}, without saying why.`,
  };
}

/** Code of the page that is loaded when it is needed. After a deployment the server has only that of its own version. */
export function loadPart<T>(loading: Promise<T>): Promise<T> {
  return loading.catch(() => {
    throw new Error("A part of this page could not be loaded. Reload the page: what you are writing stays.");
  });
}

/** What to tell a person of any error. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
