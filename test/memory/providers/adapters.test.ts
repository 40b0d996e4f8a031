// Each adapter sends the requests of its service's own client, keeps tenants apart, bounds every fault and reveals no key.
import { describe, expect, it } from "vitest";
import type { ProviderName } from "../../../core/memory/provider-env.ts";
import type { Fetch } from "../../../core/memory/provider-http.ts";
import { tenantHash } from "../../../core/memory/providers/tenant.ts";
import { KEY, createProviderDouble, readRecording } from "../../support/wires/provider-double.ts";
import {
  CALL,
  MESSAGES,
  PROVIDER_NAMES,
  SIGNAL,
  TENANT,
  callEverything,
  createAdapter,
  openRecorded,
  toConfig,
} from "../../support/wires/recorded-provider.ts";

type Opened = ReturnType<typeof openRecorded>;

const WORKS: Record<string, (opened: Opened) => Promise<unknown>> = {
  "a search": ({ provider, recorded }) => provider.prefetch(recorded.query, SIGNAL),
  "an exchange": ({ provider, recorded }) => provider.sync(recorded, SIGNAL),
  "the dropped messages": ({ provider }) => provider.preCompaction(MESSAGES, SIGNAL),
  "a fact": ({ provider, recorded }) => provider.onWrite({ action: "add", store: "user", text: recorded.fact }, SIGNAL),
  "a fact that replaces another": ({ provider, recorded }) =>
    provider.onWrite({ action: "replace", store: "user", text: recorded.fact, old: recorded.old }, SIGNAL),
  "a removed fact": ({ provider, recorded }) =>
    provider.onWrite({ action: "remove", store: "user", old: recorded.old }, SIGNAL),
  "an erased profile": ({ provider }) => provider.eraseProfile(SIGNAL),
  "a call of its tool": async ({ provider, recorded }) => {
    const [tool] = provider.tools();
    const words = tool!.name.endsWith("_ask") ? { question: recorded.query } : { query: recorded.query };
    return { ok: !(await tool!.run(words, CALL)).failed };
  },
};

/** The recorded operations of each work: its requests, in order. */
const OPERATIONS: Record<ProviderName, Record<keyof typeof WORKS, string[]>> = {
  mem0: {
    "a search": ["prefetch"],
    "an exchange": ["sync"],
    "the dropped messages": ["prefetch"],
    "a fact": ["write"],
    "a fact that replaces another": ["find", "forget", "write"],
    "a removed fact": ["find", "forget"],
    "an erased profile": ["erase"],
    "a call of its tool": ["prefetch"],
  },
  honcho: {
    "a search": ["prefetch"],
    "an exchange": ["open", "sync"],
    "the dropped messages": ["preCompaction"],
    "a fact": ["open", "write"],
    "a fact that replaces another": ["open", "find", "forget", "write"],
    "a removed fact": ["open", "find", "forget"],
    "an erased profile": ["erase"],
    "a call of its tool": ["ask"],
  },
  supermemory: {
    "a search": ["prefetch"],
    "an exchange": ["sync"],
    "the dropped messages": ["search"],
    "a fact": ["write"],
    "a fact that replaces another": ["forget", "write"],
    "a removed fact": ["forget"],
    "an erased profile": ["erase"],
    "a call of its tool": ["search"],
  },
  hindsight: {
    "a search": ["prefetch"],
    "an exchange": ["sync"],
    "the dropped messages": ["prefetch"],
    "a fact": ["write"],
    "a fact that replaces another": ["forget", "write"],
    "a removed fact": ["forget"],
    "an erased profile": ["erase"],
    "a call of its tool": ["ask"],
  },
  openviking: {
    "a search": ["prefetch"],
    "an exchange": ["sync"],
    "the dropped messages": ["prefetch"],
    "a fact": ["write"],
    "a fact that replaces another": ["forget", "write"],
    "a removed fact": ["forget"],
    "an erased profile": ["erase"],
    "a call of its tool": ["prefetch"],
  },
};

describe.each(PROVIDER_NAMES)("the adapter of %s", (name) => {
  it.each(Object.entries(WORKS))("sends %s as the service's own client does", async (what, work) => {
    const opened = openRecorded(name);
    const expected = opened.requestsOf(...OPERATIONS[name][what]!);
    expect(await work(opened)).toMatchObject({ ok: true });
    expect(expected).not.toEqual([]);
    expect(opened.double.requests).toEqual(expected);
    expect(opened.double.statuses).not.toContain(404);
  });

  it("marks what its tool returns as content", async () => {
    const { provider, recorded } = openRecorded(name);
    const [tool] = provider.tools();
    const words = tool!.name.endsWith("_ask") ? { question: recorded.query } : { query: recorded.query };
    const result = await tool!.run(words, CALL);
    expect(tool!.name.startsWith(`${name}_`)).toBe(true);
    expect(result.parts.map(({ source }) => source)).toEqual(["outcome", "content"]);
    expect(result.parts[1]!.text).toContain("Friday");
    expect(result.parts[0]!.text).not.toContain("Friday");
  });

  it("keeps profiles apart by ids that hold no text and no profile id, and names the session", async () => {
    const other = { profile: "zzzzzzzzzzzzzzzzzzzzzzzzzz", session: TENANT.session };
    const sent = await Promise.all(
      [TENANT, other].map(async (tenant) => {
        const bodies: string[] = [];
        const { fetch } = createProviderDouble(readRecording(name));
        const provider = createAdapter(
          name,
          (url, init) => {
            bodies.push(JSON.stringify([url, [...new Headers(init.headers)], init.body]));
            return fetch(url, init);
          },
          { tenant },
        );
        await provider.sync({ user: other.profile, assistant: "profile-of-another" }, SIGNAL);
        await callEverything(provider);
        return bodies;
      }),
    );
    const [mine, theirs] = [tenantHash(TENANT), tenantHash(other)];
    expect(mine).not.toBe(theirs);
    expect(sent[0]!.filter((text) => text.includes(theirs))).toEqual([]);
    expect(sent[1]!.filter((text) => text.includes(mine))).toEqual([]);
    expect(sent[0]!.join()).toContain(mine);
    expect(sent[0]!.join()).toContain(TENANT.session);
    expect(sent[0]!.join()).not.toContain(TENANT.profile);
  });

  it.each<[string, Fetch, object]>([
    [
      "401",
      reply(401),
      { code: "memory_provider_refused", facts: { status: 401 }, retry: false, isRequestFault: false },
    ],
    [
      "422",
      reply(422),
      { code: "memory_provider_refused", facts: { status: 422 }, retry: false, isRequestFault: true },
    ],
    [
      "429 with Retry-After",
      reply(429, { "retry-after": "7" }),
      { code: "memory_provider_refused", retry: true, retryAfterMs: 7_000, isRequestFault: false },
    ],
    ["500", reply(500), { code: "memory_provider_refused", retry: false, isRequestFault: false }],
    ["a redirect", reply(302, { location: "https://elsewhere.example/" }), { code: "memory_provider_refused" }],
    ["an HTML page", async () => new Response(`<p>${KEY}</p>`), { code: "memory_provider_reply" }],
    ["a list of numbers", async () => Response.json([1, 2]), { code: "memory_provider_reply" }],
    [
      "an object of another kind",
      async () => Response.json({ result: { memories: 7 }, results: [7], profile: [] }),
      {},
    ],
    ["an endless reply", async () => new Response(endless()), { code: "memory_provider_reply" }],
    ["no connection", async () => Promise.reject(new Error(`${KEY} refused`)), { code: "memory_provider_unreachable" }],
  ])("reports %s without its key", async (what, fetch, failure) => {
    const provider = createAdapter(name, fetch);
    const result = await provider.prefetch(`tell me ${KEY}`, SIGNAL);
    // Honcho's fields are all optional, so such an object says nothing about the person.
    const isEmpty = what === "an object of another kind" && name === "honcho";
    expect(result).toMatchObject(isEmpty ? { ok: true, value: [] } : { ok: false, failure });
    expect(JSON.stringify(result)).not.toContain(KEY);
    const [tool] = provider.tools();
    const call = await tool!.run({ query: "q", question: "q" }, CALL);
    expect(call.failed).toBe(!isEmpty);
    expect(JSON.stringify(call)).not.toContain(KEY);
  });

  it("treats an unknown fact, and an unknown profile, as erased", async () => {
    const provider = createAdapter(name, async (url, init) =>
      init.method === "DELETE" || name === "honcho"
        ? Response.json({ detail: "no" }, { status: 404 })
        : createProviderDouble(readRecording(name)).fetch(url, init),
    );
    if (name !== "honcho") {
      expect(await provider.onWrite({ action: "remove", store: "user", old: "gone" }, SIGNAL)).toMatchObject({
        ok: true,
      });
    }
    expect(await provider.eraseProfile(SIGNAL)).toEqual({ ok: true, value: { more: false } });
  });

  it("reports an erasure that the service refuses", async () => {
    expect(await createAdapter(name, reply(500)).eraseProfile(SIGNAL)).toMatchObject({
      ok: false,
      failure: { facts: { status: 500 } },
    });
  });

  it("does not write a replacement while the old fact could not be removed", async () => {
    const methods: string[] = [];
    const { fetch } = createProviderDouble(readRecording(name));
    const { old, fact } = readRecording(name).recorded;
    const provider = createAdapter(name, (url, init) => {
      methods.push(`${init.method} ${String(init.body).includes(fact)}`);
      return init.method === "DELETE" ? reply(500)(url, init) : fetch(url, init);
    });
    const result = await provider.onWrite({ action: "replace", store: "user", text: fact, old }, SIGNAL);
    expect(result).toMatchObject({ ok: false, failure: { facts: { status: 500 } } });
    expect(methods.filter((method) => method.endsWith("true"))).toEqual([]);
  });

  it("follows no redirect, speaks to one host and stays below the base URL it was given", async () => {
    const { fetch, hosts, requests } = createProviderDouble(readRecording(name));
    const modes: unknown[] = [];
    const baseUrl = "https://proxy.example/memory";
    const provider = createAdapter(name, (url, init) => (modes.push(init.redirect), fetch(url, init)), { baseUrl });
    await callEverything(provider);
    expect([...hosts]).toEqual(["https://proxy.example"]);
    expect(new Set(modes)).toEqual(new Set(["manual"]));
    expect(requests.filter(({ path }) => !/^\/memory\/(?:api\/)?v\d\//.test(path))).toEqual([]);
  });

  it("reports that it was cancelled", async () => {
    const provider = createAdapter(name, async (_url, init) => {
      init.signal?.throwIfAborted();
      return new Response();
    });
    expect(await provider.prefetch("q", AbortSignal.abort())).toMatchObject({
      failure: { code: "memory_provider_timeout" },
    });
  });

  it("has a recording without a key", () => {
    expect(JSON.stringify(readRecording(name))).not.toContain(toConfig(name).apiKey);
  });
});

function reply(status: number, headers: Record<string, string> = {}): Fetch {
  return async (_url, init) =>
    new Response(`denied for ${[...new Headers(init.headers).values()].join()}`, { status, headers });
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) });
}
