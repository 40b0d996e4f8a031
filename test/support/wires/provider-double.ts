// A memory service that answers from recordings (test/fixtures/memory-providers/). Routes without a recording get a 404. It keeps
// all requests, in order.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ProviderName } from "../../../core/memory/provider-env.ts";
import type { Fetch } from "../../../core/memory/provider-http.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  /** Those of `HEADERS` that were sent. */
  headers: Record<string, string>;
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

/** Headers that matter. The others name the client, or are made by the HTTP library. `content-type` only with a body. */
const HEADERS = ["authorization", "x-api-key", "x-openviking-account", "x-openviking-user", "content-type"];

export function readRecording(name: ProviderName): Recording {
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
      headers: Object.fromEntries(
        HEADERS.filter((name) => headers.has(name) && (name !== "content-type" || init.body)).map((name) => [
          name,
          headers.get(name)!.replace(KEY, "<key>"),
        ]),
      ),
      body: init.body ? (JSON.parse(init.body as string) as unknown) : null,
    });
    const { method, path, query } = requests.at(-1)!;
    const same = exchanges.filter(({ request }) => request.method === method && request.path === path);
    const known = same.find(({ request }) => JSON.stringify(request.query) === JSON.stringify(query)) ?? same[0];
    const { status, body } = known?.response ?? { status: 404, body: { detail: "not found" } };
    statuses.push(status);
    return new Response(status === 204 ? null : JSON.stringify(body), { status });
  };
  return { fetch, requests, statuses, hosts };
}
