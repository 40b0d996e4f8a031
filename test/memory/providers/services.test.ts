// What is particular to one service: how its replies are read, and what it is spared.
import { describe, expect, it } from "vitest";
import { MESSAGES, SIGNAL, TENANT, createAdapter, openRecorded } from "../../support/wires/recorded-provider.ts";

const answering =
  (body: unknown, status = 200) =>
  async () =>
    Response.json(body, { status });

describe("mem0", () => {
  it("returns its memories, best first", async () => {
    const { provider, recorded } = openRecorded("mem0");
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
    expect(await createAdapter("mem0", answering({ results })).prefetch("q", SIGNAL)).toEqual({
      ok: true,
      value: ["mine"],
    });
  });

  it("reads the reply of its older versions too", async () => {
    const provider = createAdapter("mem0", answering([{ id: "1", memory: "a fact" }]));
    expect(await provider.prefetch("q", SIGNAL)).toEqual({ ok: true, value: ["a fact"] });
  });
});

describe("Honcho", () => {
  it("opens its workspace, peers and session once", async () => {
    const { provider, recorded, double } = openRecorded("honcho");
    await provider.sync(recorded, SIGNAL);
    await provider.sync(recorded, SIGNAL);
    expect(double.requests.map(({ path }) => path.split("/").at(-1))).toEqual([
      ...["workspaces", "peers", "peers", "sessions"],
      ...["messages", "messages"],
    ]);
  });

  it("returns the person's card and conclusions without their timestamps", async () => {
    const { provider, recorded } = openRecorded("honcho");
    expect(await provider.prefetch(recorded.query, SIGNAL)).toEqual({
      ok: true,
      value: [
        "Name: Vera",
        "## Explicit Observations\n\nThe weekly report goes out on Friday morning\nThe team is in Lisbon\n",
      ],
    });
  });

  it("returns nothing about an unknown person", async () => {
    const provider = createAdapter("honcho", answering({ detail: "no" }, 404));
    expect(await provider.prefetch("q", SIGNAL)).toEqual({ ok: true, value: [] });
    expect(await provider.preCompaction(MESSAGES, SIGNAL)).toEqual({ ok: true, value: "" });
  });

  it("receives a long text in pieces", async () => {
    const { provider, double } = openRecorded("honcho");
    await provider.sync({ user: "x".repeat(45_000), assistant: "y" }, SIGNAL);
    const { messages } = double.requests.at(-1)!.body as { messages: { peer_id: string; content: string }[] };
    expect(messages.map(({ peer_id, content }) => [peer_id.split("-")[0], content.length])).toEqual([
      ["user", 20_000],
      ["user", 20_000],
      ["user", 5_000],
      ["agent", 1],
    ]);
  });

  it("is asked for another page as long as one is full", async () => {
    const left = { sessions: 130, conclusions: 20 };
    const listed = (kind: keyof typeof left) =>
      Array.from({ length: Math.min(100, left[kind]) }, (_, n) => ({ id: `${kind}-${n}` }));
    const provider = createAdapter("honcho", async (url, init) => {
      const { pathname } = new URL(url);
      const kind = pathname.includes("/conclusions") ? "conclusions" : "sessions";
      if (init.method === "DELETE") left[kind] -= 1;
      return Response.json(init.method === "POST" ? { items: listed(kind) } : {});
    });
    expect(await provider.eraseProfile(SIGNAL)).toEqual({ ok: true, value: { more: true } });
    expect(await provider.eraseProfile(SIGNAL)).toEqual({ ok: true, value: { more: false } });
    expect(left).toEqual({ sessions: 0, conclusions: 0 });
  });
});

describe("Supermemory", () => {
  it("returns what the search found, then the profile", async () => {
    const { provider, recorded } = openRecorded("supermemory");
    expect(await provider.prefetch(recorded.query, SIGNAL)).toEqual({
      ok: true,
      value: [
        "The weekly report goes out on Friday morning",
        "User: The report is weekly.",
        "The person is called Vera",
        "The person prepares the weekly report",
      ],
    });
  });

  it("may answer with texts, or without results", async () => {
    const profile = { static: null, dynamic: ["recent"] };
    const found = { profile, searchResults: { results: ["a text", { memory: null, chunk: null }] } };
    expect(await createAdapter("supermemory", answering(found)).prefetch("q", SIGNAL)).toEqual({
      ok: true,
      value: ["a text", "recent"],
    });
    expect(await createAdapter("supermemory", answering({ profile })).prefetch("q", SIGNAL)).toEqual({
      ok: true,
      value: ["recent"],
    });
  });

  it("is never sent content that is only a URL, which it would fetch", async () => {
    const { provider, double } = openRecorded("supermemory");
    const url = "https://intern.example/";
    await provider.onWrite({ action: "add", store: "user", text: url }, SIGNAL);
    await provider.onWrite({ action: "add", store: "memory", text: url }, SIGNAL);
    await provider.sync({ user: url, assistant: url }, SIGNAL);
    expect(double.requests.map(({ body }) => (body as { content: string }).content)).toEqual([
      `About the person: ${url}`,
      `Note: ${url}`,
      `User: ${url}\n\nAssistant: ${url}`,
    ]);
  });

  it("accepts ids of at most a hundred letters, digits and hyphens", async () => {
    const { provider, double, recorded } = openRecorded("supermemory");
    await provider.sync(recorded, SIGNAL);
    await provider.onWrite({ action: "add", store: "user", text: recorded.fact }, SIGNAL);
    const ids = double.requests.map(({ body }) => (body as { customId: string }).customId);
    expect(ids.filter((id) => !/^[A-Za-z0-9-]{1,100}$/.test(id))).toEqual([]);
    expect(ids[0]).toContain(TENANT.session);
  });
});

describe("Hindsight", () => {
  it("returns the facts of its bank, and nothing for an unknown bank", async () => {
    const { provider, recorded } = openRecorded("hindsight");
    const found = await provider.prefetch(recorded.query, SIGNAL);
    expect(found).toMatchObject({ ok: true });
    expect(found.ok && found.value[0]).toContain("The weekly report goes out on Friday morning");
    const unknown = createAdapter("hindsight", answering({ detail: "Bank not found" }, 404));
    expect(await unknown.prefetch("q", SIGNAL)).toEqual({ ok: true, value: [] });
  });

  it("stores a fact before it answers, and an exchange afterwards", async () => {
    const { provider, recorded, double } = openRecorded("hindsight");
    await provider.onWrite({ action: "add", store: "user", text: recorded.fact }, SIGNAL);
    await provider.sync(recorded, SIGNAL);
    expect(double.requests.map(({ body }) => (body as { async: boolean }).async)).toEqual([false, true]);
  });
});

describe("OpenViking", () => {
  it("returns the files of the user, without those that were removed and are still in the index", async () => {
    const { provider, recorded, exchanges } = openRecorded("openviking");
    expect(JSON.stringify(exchanges[0]!.response)).toContain("fact-bbbb.md");
    expect(await provider.prefetch(recorded.query, SIGNAL)).toEqual({
      ok: true,
      value: ["The weekly report goes out on Friday morning.", recorded.old],
    });
  });

  it("never returns another user's files, whatever the reply", async () => {
    const memories = [{ uri: "viking://user/profile-of-another/memories/a.md", content: "theirs" }];
    const provider = createAdapter("openviking", answering({ result: { memories } }));
    expect(await provider.prefetch("q", SIGNAL)).toEqual({ ok: true, value: [] });
  });

  it("is not asked to extract memories from messages that it did not take", async () => {
    const paths: string[] = [];
    const provider = createAdapter("openviking", async (url) => {
      paths.push(new URL(url).pathname);
      return new Response("", { status: 500 });
    });
    expect(await provider.sync({ user: "u", assistant: "a" }, SIGNAL)).toMatchObject({ ok: false });
    expect(paths).toEqual([`/api/v1/sessions/${TENANT.session}/messages/batch`]);
  });
});
