// The tool web_search with each service, against local replicas of their APIs, through the product's own Outbound.
import { afterEach, describe, expect, it } from "vitest";
import { type Result, assert } from "../../../core/errors.ts";
import { readOutcome } from "../../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import type { SearchProvider } from "../../../core/tools/web/search/provider.ts";
import { type SearchEnv, listSearchAddresses, openSearch } from "../../../core/tools/web/search/search-env.ts";
import { createWebSearch } from "../../../core/tools/web/web-search.ts";
import { createTestClock } from "../../support/clock.ts";
import { type Answer, type LocalSite, startLocalSite } from "../../support/web/local-site.ts";

let site: LocalSite | null = null;
afterEach(async () => {
  await site?.close();
  site = null;
});

const KEY = "test-key-71c2";
const ENVS: Record<string, SearchEnv> = {
  brave: { BRAVE_API_KEY: KEY },
  tavily: { TAVILY_API_KEY: KEY },
  exa: { EXA_API_KEY: KEY },
  searxng: { SEARXNG_URL: "http://searx.example" },
};
type Name = "brave" | "tavily" | "exa" | "searxng";

/** Calls web_search with a replica that gives these answers. */
async function search(name: Name, answer: (path: string, nth: number) => Answer, args = {}) {
  site = await startLocalSite(answer);
  const web: Settings["web"] = { ...DEFAULTS.web, [name]: { apiBase: `${site.origin}/api` } };
  const provider = openSearch(ENVS[name]!, web);
  assert(provider.ok && provider.value, "there is a service");
  const clock = createTestClock();
  const tool = createWebSearch({ provider: provider.value, outbound: site.outbound, clock });
  const context = { op: "o", prepared: {}, signal: new AbortController().signal };
  const running = tool.run({ query: "tall towers", ...args }, context);
  void advance(clock, running);
  const result = await running;
  const content = result.parts.find(({ source }) => source === "content");
  return {
    ...{ failed: result.failed, outcome: readOutcome(result), text: JSON.stringify(result) },
    results: content ? (JSON.parse(content.text) as { results: unknown[] }).results : [],
  };
}

/** Lets time pass until the work has ended. */
async function advance(clock: ReturnType<typeof createTestClock>, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  void work.finally(() => (isDone = true));
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    clock.advance(1_000);
  }
}

const json = (body: unknown, status = 200, headers = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const REPLIES: Record<Name, unknown> = {
  brave: {
    type: "search",
    web: { results: [{ title: "Tower", url: "https://a.example/t", description: "It is 300 m high.", age: "1 day" }] },
  },
  tavily: {
    query: "tall towers",
    results: [
      { title: "Tower", url: "https://a.example/t", content: "It is 300 m high.", score: 0.9, raw_content: null },
    ],
    response_time: 1.1,
  },
  exa: {
    requestId: "b5947044c4b78efa9552a7c89b306d95",
    results: [{ title: "Tower", url: "https://a.example/t", id: "x", highlights: ["It is 300 m high."] }],
    costDollars: { total: 0.005 },
  },
  searxng: {
    query: "tall towers",
    results: [{ title: "Tower", url: "https://a.example/t", content: "It is 300 m high.", engine: "x" }],
    unresponsive_engines: [],
  },
};

describe("each service", () => {
  it.each(Object.keys(REPLIES) as Name[])("%s: its results become titles, addresses and snippets", async (name) => {
    const found = await search(name, () => json(REPLIES[name]), { limit: 3 });
    expect(found.outcome).toEqual({ provider: name, requests: 1, found: 1 });
    expect(found.results).toEqual([{ title: "Tower", url: "https://a.example/t", snippet: "It is 300 m high." }]);
    expect(found.failed).toBe(false);
  });

  it("gets the request that it documents", async () => {
    const seen: Record<string, unknown> = {};
    for (const name of Object.keys(REPLIES) as Name[]) {
      await search(name, () => json(REPLIES[name]), { limit: 3 });
      const { method, path, headers, body } = site!.requests[0]!;
      const key = headers["x-subscription-token"] ?? headers.authorization ?? headers["x-api-key"] ?? null;
      seen[name] = [method, path, key, body === "" ? null : JSON.parse(body)];
      await site!.close();
    }
    expect(seen).toEqual({
      brave: ["GET", "/api/web/search?q=tall+towers&count=3&text_decorations=false", KEY, null],
      tavily: [
        ...["POST", "/api/search", `Bearer ${KEY}`],
        { query: "tall towers", max_results: 3, search_depth: "basic" },
      ],
      exa: [
        ...["POST", "/api/search", KEY],
        { query: "tall towers", numResults: 3, type: "auto", contents: { highlights: true } },
      ],
      searxng: ["GET", "/api/search?q=tall+towers&format=json", null, null],
    });
  });
});

describe("results", () => {
  it("are web addresses, each once, cut and without line breaks, and no more than asked for", async () => {
    const item = (url: string, content = "x") => ({ title: "a\nb", url, content });
    const found = await search(
      "searxng",
      () =>
        json({
          results: [
            item("https://a.example/p/"),
            item("https://A.example/p#top"),
            item("javascript:alert(1)"),
            item("not a url"),
            { title: "no address" },
            item("http://b.example/?q=1", "y".repeat(2_000)),
            item("https://c.example/"),
          ],
        }),
      { limit: 2 },
    );
    expect(found.results).toEqual([
      { title: "a b", url: "https://a.example/p/", snippet: "x" },
      { title: "a b", url: "http://b.example/?q=1", snippet: `${"y".repeat(499)}…` },
    ]);
  });

  it("may be none: the model reads what to try", async () => {
    const found = await search("brave", () => json({ type: "search", query: {} }));
    expect(found).toMatchObject({ failed: false, outcome: { found: 0, hint: expect.stringContaining("other words") } });
  });
});

describe("a service that refuses", () => {
  it.each<[Name, Answer, string]>([
    [
      "brave",
      json({ type: "ErrorResponse", error: { code: "SUBSCRIPTION_TOKEN_INVALID", status: 422 } }, 422),
      "search_key_refused",
    ],
    [
      "brave",
      json({ type: "ErrorResponse", error: { code: "QUOTA_LIMITED", status: 429 } }, 429),
      "search_quota_spent",
    ],
    ["brave", json({ type: "ErrorResponse", error: { code: "VALIDATION", status: 422 } }, 422), "search_query_refused"],
    ["tavily", json({ detail: { error: "Unauthorized: missing or invalid API key." } }, 401), "search_key_refused"],
    [
      "tavily",
      json({ detail: { error: "This request exceeds your plan's set usage limit." } }, 432),
      "search_quota_spent",
    ],
    ["exa", json({ requestId: "r", error: "No more credits", tag: "NO_MORE_CREDITS" }, 402), "search_quota_spent"],
    ["searxng", { status: 403, body: "<!doctype html><title>403 Forbidden</title>" }, "search_format_refused"],
    ["exa", { status: 200, body: "<html>maintenance</html>" }, "search_reply_unreadable"],
  ])("%s is asked once: %j", async (name, answer, code) => {
    const found = await search(name, () => answer);
    expect(found).toMatchObject({ failed: true, outcome: { code, provider: name, requests: 1 } });
    expect(site!.requests.length).toBe(1);
  });

  it.each([429, 500, 503])("with %i is asked a second time", async (status) => {
    const found = await search("tavily", (_path, nth) => (nth === 1 ? json({}, status) : json(REPLIES.tavily)));
    expect(found).toMatchObject({ failed: false, outcome: { requests: 2, found: 1 } });
  });

  it.each<Record<string, string>>([
    { "retry-after": "120" },
    { "retry-after": "Wed, 21 Oct 2026 07:30:00 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" },
    { "x-ratelimit-reset": "120, 1419704" },
  ])("and asks for a long wait is not asked again: the model reads how long (%o)", async (headers) => {
    const found = await search("exa", () => json({}, 429, headers));
    expect(found.outcome).toMatchObject({ code: "search_rate_limited", requests: 1, retry_after_s: 120 });
  });

  it("for the second time is not asked a third time", async () => {
    const found = await search("brave", () => json({}, 429, { "x-ratelimit-reset": "1, 1419704" }));
    expect(found.outcome).toMatchObject({ code: "search_rate_limited", requests: 2 });
  });

  it("by a redirect is not followed: the key goes nowhere else", async () => {
    const found = await search("brave", (path) => ({ status: 302, headers: { location: `${path}&again=1` } }));
    expect(found.outcome.code).toBe("search_failed");
    expect(site!.requests.filter(({ path }) => path.includes("again"))).toEqual([]);
  });

  it("never gets its key into a result, even if it repeats it", async () => {
    for (const status of [200, 400, 401, 500]) {
      const found = await search("brave", () => json({ error: { code: KEY, detail: `bad key ${KEY}` } }, status));
      expect(found.text).not.toContain(KEY);
      await site!.close();
    }
  });
});

describe("openSearch", () => {
  const name = (opened: Result<SearchProvider | null>) =>
    opened.ok ? (opened.value?.name ?? null) : opened.failure.code;
  const web = DEFAULTS.web;

  it.each<[SearchEnv, Partial<Settings["web"]>, string | null]>([
    [{}, {}, null],
    [{ BRAVE_API_KEY: " " }, {}, null],
    [{ EXA_API_KEY: "k", TAVILY_API_KEY: "k" }, {}, "tavily"],
    [{ EXA_API_KEY: "k", TAVILY_API_KEY: "k" }, { search: "exa" }, "exa"],
    [{ SEARXNG_URL: "http://10.0.0.2:8888/" }, {}, "searxng"],
    [{ EXA_API_KEY: "k" }, { search: "brave" }, "search_key_missing"],
    [{ EXA_API_KEY: "k\nx: y" }, {}, "bad_search_key"],
    [{ SEARXNG_URL: "ftp://searx.example" }, {}, "bad_search_url"],
    [{ SEARXNG_URL: "https://user:pass@searx.example" }, {}, "bad_search_url"],
  ])("%j with %j: %s", (env, settings, expected) => {
    expect(name(openSearch(env, { ...web, ...settings }))).toBe(expected);
  });

  it("names the addresses that the operator configured", () => {
    const settings = { ...web, exa: { apiBase: "http://localhost:9/x" } };
    expect(listSearchAddresses({ SEARXNG_URL: "http://10.0.0.2:8888/" }, settings)).toEqual([
      "http://localhost:9/x",
      "http://10.0.0.2:8888/",
    ]);
  });
});
