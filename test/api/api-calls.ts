// Helpers of the API tests. Requests go through the Worker's own fetch handler, over the real bindings.
import { env as bindings, exports } from "cloudflare:workers";
import { expect } from "vitest";
import type { Env } from "../../workers/api/env.ts";
import { findUndocumented } from "./documented.ts";

export const env = bindings as unknown as Env;
export const OPERATOR = "operator-token-for-tests";
/** Timeout of a first request, which loads every module of the Worker. */
export const START_MS = 120_000;

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

interface AskOptions {
  key?: string;
  /** A string is sent unchanged; any other value is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export async function fetchApi(
  method: string,
  path: string,
  { key, body, headers = {} }: AskOptions = {},
): Promise<Response> {
  const raw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const request = new Request(`https://talaria.test${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined || raw ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : raw ? (body as BodyInit) : JSON.stringify(body),
  });
  return exports.default.fetch(request);
}

/** Expects an answer that the contract documents. */
export async function ask(method: string, path: string, asked: AskOptions = {}): Promise<Answer> {
  const response = await fetchApi(method, path, asked);
  const text = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  const code = isProblem ? (JSON.parse(text) as { code: string }).code : undefined;
  expect(await findUndocumented(method, path, { status: response.status, code })).toBeNull();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}

/** Compares the whole problem document, except its `detail` sentence. */
export function expectProblem(answer: Answer, status: number, code: string, title: string, extra: object = {}): void {
  expect({ type: answer.headers.get("content-type"), ...answer }).toMatchObject({ type: "application/problem+json" });
  const { detail, instance, ...rest } = answer.body as Record<string, unknown>;
  expect(rest).toEqual({ type: `urn:talaria:problem:${code}`, title, status, code, ...extra });
  expect(answer.status).toBe(status);
  expect(instance).toMatch(/^\//);
  expect(detail).toMatch(/^.+\.$/s);
}

export async function createProfile(): Promise<{ profile: string; key: string }> {
  const { status, body } = await ask("POST", "/v1/profiles", { key: OPERATOR });
  expect(status).toBe(201);
  return body as { profile: string; key: string };
}

export async function createSession(key: string): Promise<string> {
  const { status, body } = await ask("POST", "/v1/sessions", { key, body: {} });
  expect(status).toBe(201);
  return (body as { session: string }).session;
}
