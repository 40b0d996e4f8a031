// A memory service that answers from recordings (test/fixtures/memory-providers/). Routes without a recording get a 404. It keeps
// all requests, in order.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Fetch } from "../../../core/memory/provider-http.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: { authorization: string; "content-type": string };
  body: unknown;
}

interface Recording {
  recorded: {
    package: string;
    version: string;
    profile: string;
    session: string;
    user: string;
    assistant: string;
    query: string;
    fact: string;
    old: string;
  };
  exchanges: { operation: string; request: RecordedRequest; response: { status: number; body: unknown } }[];
}

export function readRecording(name: "mem0" | "honcho"): Recording {
  const path = resolve(import.meta.dirname, `../../fixtures/memory-providers/${name}.json`);
  return JSON.parse(readFileSync(path, "utf8")) as Recording;
}

export const KEY = "key-of-the-test";

export function createProviderDouble({ exchanges }: Recording) {
  const requests: RecordedRequest[] = [];
  const statuses: number[] = [];
  const hosts = new Set<string>();
  const fetch: Fetch = async (address, init) => {
    const url = new URL(address);
    const headers = new Headers(init.headers);
    hosts.add(url.origin);
    requests.push({
      method: init.method ?? "GET",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: {
        authorization: (headers.get("authorization") ?? "").replace(KEY, "<key>"),
        "content-type": headers.get("content-type") ?? "",
      },
      body: init.body ? (JSON.parse(init.body as string) as unknown) : null,
    });
    const known = exchanges.find(({ request }) => request.method === init.method && request.path === url.pathname);
    const { status, body } = known?.response ?? { status: 404, body: { detail: "not found" } };
    statuses.push(status);
    return new Response(status === 204 ? null : JSON.stringify(body), { status });
  };
  return { fetch, requests, statuses, hosts };
}
