// The adapters send the same requests as the services' own clients, keep tenants apart, and reveal no key.
import { describe, expect, it } from "vitest";
import { createHoncho } from "../../core/memory/providers/honcho.ts";
import { createMem0 } from "../../core/memory/providers/mem0.ts";
import { tenantHash } from "../../core/memory/providers/tenant.ts";
import { cutIntoPieces, cutMiddle, lastWords } from "../../core/memory/providers/texts.ts";
import type { ProviderConfig } from "../../core/memory/provider-env.ts";
import type { Fetch } from "../../core/memory/provider-http.ts";
import type { MemoryProvider } from "../../core/memory/provider.ts";
import { KEY, createProviderDouble, readRecording } from "../support/wires/provider-double.ts";

const SIGNAL = new AbortController().signal;
const CONFIGS = {
  mem0: { name: "mem0", apiKey: KEY, baseUrl: "https://api.mem0.ai", workspace: "talaria" },
  honcho: { name: "honcho", apiKey: KEY, baseUrl: "https://api.honcho.dev", workspace: "talaria" },
} as const satisfies Record<string, ProviderConfig>;
const CREATE = { mem0: createMem0, honcho: createHoncho };
const NAMES = ["mem0", "honcho"] as const;
const MESSAGES = [{ role: "user" as const, text: "When does the weekly report go out?" }];

function open(name: (typeof NAMES)[number]) {
  const recording = readRecording(name);
  const double = createProviderDouble(recording);
  const { profile, session } = recording.recorded;
  return { ...recording, double, provider: CREATE[name](CONFIGS[name], { profile, session }, double.fetch) };
}

/** The requests of the official client for these operations, in order. */
function asRecorded({ exchanges }: ReturnType<typeof open>, ...operations: string[]) {
  return operations.flatMap((name) =>
    exchanges.filter(({ operation }) => operation === name).map(({ request }) => request),
  );
}

describe("mem0", () => {
  it.each<[string, string[], (opened: ReturnType<typeof open>) => Promise<unknown>]>([
    ["a search", ["prefetch"], ({ provider, recorded }) => provider.prefetch(recorded.query, SIGNAL)],
    ["an exchange", ["sync"], ({ provider, recorded }) => provider.sync(recorded, SIGNAL)],
    ["the dropped messages", ["prefetch"], ({ provider }) => provider.preCompaction(MESSAGES, SIGNAL)],
    [
      "a fact",
      ["write"],
      ({ provider, recorded }) => provider.onWrite({ action: "add", store: "user", text: recorded.fact }, SIGNAL),
    ],
    [
      "a fact that replaces another",
      ["find", "forget", "write"],
      ({ provider, recorded }) =>
        provider.onWrite({ action: "replace", store: "user", text: recorded.fact, old: recorded.old }, SIGNAL),
    ],
    [
      "a removed fact",
      ["find", "forget"],
      ({ provider, recorded }) => provider.onWrite({ action: "remove", store: "user", old: recorded.old }, SIGNAL),
    ],
  ])("is sent %s as its own client sends it", async (_what, operations, work) => {
    const opened = open("mem0");
    expect(await work(opened)).toMatchObject({ ok: true });
    expect(opened.double.requests).toEqual(asRecorded(opened, ...operations));
    expect(opened.double.statuses).not.toContain(404);
  });

  it("returns its memories, best first", async () => {
    const { provider, recorded } = open("mem0");
    expect(await provider.prefetch(recorded.query, SIGNAL)).toEqual({
      ok: true,
      value: ["The weekly report goes out on Friday morning", recorded.old],
    });
  });

  it("never returns another user's memories, whatever the reply", async () => {
    const results = [
      { id: "1", memory: "mine", user_id: null },
      { id: "2", memory: "theirs", user_id: "profile-of-another" },
    ];
    const provider = createMem0(CONFIGS.mem0, TENANT, async () => Response.json({ results }));
    expect(await provider.prefetch("q", SIGNAL)).toEqual({ ok: true, value: ["mine"] });
  });

  it("reads the reply of its older versions too", async () => {
    const provider = createMem0(CONFIGS.mem0, TENANT, async () => Response.json([{ id: "1", memory: "a fact" }]));
    expect(await provider.prefetch("q", SIGNAL)).toEqual({ ok: true, value: ["a fact"] });
  });

  it("can be searched by the model through a tool whose results are content", async () => {
    const { provider, recorded } = open("mem0");
    const [tool] = provider.tools();
    const result = await tool!.run({ query: recorded.query }, CALL);
    expect(tool!.name).toBe("mem0_search");
    expect(result.parts.map(({ source }) => source)).toEqual(["outcome", "content"]);
    expect(result.parts[1]!.text).toContain("Friday morning");
  });
});

describe("Honcho", () => {
  it.each<[string, string[], (opened: ReturnType<typeof open>) => Promise<unknown>]>([
    ["a search", ["prefetch"], ({ provider, recorded }) => provider.prefetch(recorded.query, SIGNAL)],
    ["an exchange", ["open", "sync"], ({ provider, recorded }) => provider.sync(recorded, SIGNAL)],
    ["the dropped messages", ["preCompaction"], ({ provider }) => provider.preCompaction(MESSAGES, SIGNAL)],
    [
      "a fact",
      ["open", "write"],
      ({ provider, recorded }) => provider.onWrite({ action: "add", store: "user", text: recorded.fact }, SIGNAL),
    ],
    [
      "a fact that replaces another",
      ["open", "find", "forget", "write"],
      ({ provider, recorded }) =>
        provider.onWrite({ action: "replace", store: "user", text: recorded.fact, old: recorded.old }, SIGNAL),
    ],
    [
      "a question",
      ["ask"],
      async ({ provider, recorded }) => {
        const result = await provider.tools()[0]!.run({ question: recorded.query }, CALL);
        return { ok: !result.failed };
      },
    ],
  ])("is sent %s as its own client sends it", async (_what, operations, work) => {
    const opened = open("honcho");
    expect(await work(opened)).toMatchObject({ ok: true });
    expect(opened.double.requests).toEqual(asRecorded(opened, ...operations));
    expect(opened.double.statuses).not.toContain(404);
  });

  it("opens its workspace, peers and session once", async () => {
    const { provider, recorded, double } = open("honcho");
    await provider.sync(recorded, SIGNAL);
    await provider.sync(recorded, SIGNAL);
    expect(double.requests.map(({ path }) => path.split("/").at(-1))).toEqual([
      ...["workspaces", "peers", "peers", "sessions"],
      ...["messages", "messages"],
    ]);
  });

  it("returns the person's card and conclusions without their timestamps", async () => {
    const { provider, recorded } = open("honcho");
    expect(await provider.prefetch(recorded.query, SIGNAL)).toEqual({
      ok: true,
      value: [
        "Name: Vera",
        "## Explicit Observations\n\nThe weekly report goes out on Friday morning\nThe team is in Lisbon\n",
      ],
    });
  });

  it("returns nothing about an unknown person", async () => {
    const provider = createHoncho(CONFIGS.honcho, TENANT, async () => Response.json({ detail: "no" }, { status: 404 }));
    expect(await provider.prefetch("q", SIGNAL)).toEqual({ ok: true, value: [] });
    expect(await provider.preCompaction(MESSAGES, SIGNAL)).toEqual({ ok: true, value: "" });
  });

  it("receives a long text in pieces", async () => {
    const { provider, double } = open("honcho");
    await provider.sync({ user: "x".repeat(45_000), assistant: "y" }, SIGNAL);
    const { messages } = double.requests.at(-1)!.body as { messages: { peer_id: string; content: string }[] };
    expect(messages.map(({ peer_id, content }) => [peer_id.split("-")[0], content.length])).toEqual([
      ["user", 20_000],
      ["user", 20_000],
      ["user", 5_000],
      ["agent", 1],
    ]);
  });
});

describe.each(NAMES)("the adapter of %s", (name) => {
  const create = CREATE[name];

  it("keeps profiles apart by ids that hold no text and no profile id, and names the session", async () => {
    const other = { profile: "zzzzzzzzzzzzzzzzzzzzzzzzzz", session: TENANT.session };
    const sent = await Promise.all(
      [TENANT, other].map(async (tenant) => {
        const { fetch, requests } = createProviderDouble(readRecording(name));
        const provider = create(CONFIGS[name], tenant, fetch);
        await provider.sync({ user: other.profile, assistant: "profile-of-another" }, SIGNAL);
        await provider.prefetch("anything", SIGNAL);
        return requests.map((request) => JSON.stringify([request.path, request.body]));
      }),
    );
    const [mine, theirs] = [tenantHash(TENANT), tenantHash(other)];
    expect(mine).not.toBe(theirs);
    expect(sent[0]!.join()).toContain(mine);
    expect(sent[0]!.join()).toContain(TENANT.session);
    expect(sent[0]!.join()).not.toContain(theirs);
    expect(sent[0]!.join()).not.toContain(TENANT.profile);
    expect(sent[1]!.join()).not.toContain(mine);
  });

  it.each<[string, Fetch, string, boolean]>([
    ["401", reply(401), "memory_provider_refused", false],
    ["422", reply(422), "memory_provider_refused", true],
    ["429", reply(429), "memory_provider_refused", false],
    ["500", reply(500), "memory_provider_refused", false],
    ["a redirect", reply(302, { location: "https://elsewhere.example/" }), "memory_provider_refused", false],
    ["an HTML page", async () => new Response(`<p>${KEY}</p>`), "memory_provider_reply", false],
    ["a list of numbers", async () => Response.json([1, 2]), "memory_provider_reply", false],
    ["an endless reply", async () => new Response(endless()), "memory_provider_reply", false],
    ["no connection", async () => Promise.reject(new Error(`${KEY} refused`)), "memory_provider_unreachable", false],
  ])("fails with a message without its key: %s", async (_what, fetch, code, own) => {
    const provider = create(CONFIGS[name], TENANT, fetch);
    const result = await provider.prefetch(`tell me ${KEY}`, SIGNAL);
    expect(result).toMatchObject({ ok: false, failure: { code } });
    expect(!result.ok && (result.failure.isRequestFault ?? false)).toBe(own);
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  it("follows no redirect and speaks to one host", async () => {
    const { fetch, hosts } = createProviderDouble(readRecording(name));
    const modes: unknown[] = [];
    const provider = create(CONFIGS[name], TENANT, (url, init) => (modes.push(init.redirect), fetch(url, init)));
    await everything(provider);
    expect([...hosts]).toEqual([CONFIGS[name].baseUrl]);
    expect(new Set(modes)).toEqual(new Set(["manual"]));
  });

  it("stays below the base URL it was given", async () => {
    const { fetch, requests } = createProviderDouble(readRecording(name));
    const config = { ...CONFIGS[name], baseUrl: "https://proxy.example/memory" };
    await everything(create(config, TENANT, fetch));
    expect(requests.filter(({ path }) => !path.startsWith("/memory/v"))).toEqual([]);
  });

  it("reports that it was cancelled", async () => {
    const provider = create(CONFIGS[name], TENANT, async (_url, init) => {
      init.signal?.throwIfAborted();
      return new Response();
    });
    expect(await provider.prefetch("q", AbortSignal.abort())).toMatchObject({
      failure: { code: "memory_provider_timeout" },
    });
  });
});

describe("texts for a provider", () => {
  it("are the person's last words, without what the harness wrote", () => {
    const user = (text: string) => ({ role: "user" as const, text });
    const said = ["one", "<note>\nnews\n</note>", "two", "<skills>\nx\n</skills>", "three", " four "].map(user);
    expect(lastWords([...said, { role: "assistant", text: "five", calls: [] }])).toBe("two\nthree\nfour");
    expect(lastWords([])).toBe("");
  });

  it("lose their middle if they are long, or are cut between characters", () => {
    expect(cutMiddle("a".repeat(30), 30)).toBe("a".repeat(30));
    expect(cutMiddle(`${"a".repeat(50)}${"b".repeat(50)}`, 60)).toBe(`${"a".repeat(20)}\n[…]\n${"b".repeat(20)}`);
    expect(cutIntoPieces("ab😀cd", 3, 9)).toEqual(["ab", "😀c", "d"]);
    expect(cutIntoPieces("abc   def", 3, 9)).toEqual(["abc", "def"]);
    expect(cutIntoPieces("abcdef", 2, 2)).toEqual(["ab", "cd"]);
  });
});

const TENANT = { profile: "0123456789abcdefghjkmnpqrs", session: "01J00000000000000000000000" };
const CALL = { op: "op", prepared: {}, signal: SIGNAL };

async function everything(provider: MemoryProvider): Promise<void> {
  await provider.prefetch("q", SIGNAL);
  await provider.sync({ user: "u", assistant: "a" }, SIGNAL);
  await provider.onWrite({ action: "add", store: "memory", text: "t" }, SIGNAL);
  await provider.preCompaction(MESSAGES, SIGNAL);
}

function reply(status: number, headers: Record<string, string> = {}): Fetch {
  return async (_url, init) =>
    new Response(`denied for ${new Headers(init.headers).get("authorization")}`, { status, headers });
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) });
}
