// The MCP server over real objects: what clients of both protocols list, call and read, that a profile sees only its own, and what is
// refused and how.
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { START_MS, ask, createProfile, fetchApi } from "../api-calls.ts";
import { connect, rpc } from "./mcp-client.ts";

let key: string;
let client: Client;

const SKILL_MD = [
  "---",
  "name: kiln-keeping",
  "description: Fires a kiln. Use it when somebody asks for pottery.",
  "---",
  "# Kiln\n\nHeat it to {{degrees}} degrees. See references/curve.md.\n",
].join("\n");
const BINARY = { base64: "AP/+gA==" };

async function call(name: string, args: Record<string, unknown> = {}, of = client) {
  const { isError = false, structuredContent } = (await of.callTool({ name, arguments: args })) as CallToolResult;
  return { isError, ...(structuredContent as Record<string, unknown>) } as Record<string, unknown>;
}

async function putSkill(name: string, files: Record<string, unknown>, owner = key): Promise<void> {
  const { status } = await ask("PUT", `/v1/skills/${name}`, { key: owner, body: { files } });
  expect(status).toBe(200);
}

beforeAll(async () => {
  ({ key } = await createProfile());
  await putSkill("kiln-keeping", {
    "SKILL.md": SKILL_MD,
    "references/curve.md": "Slowly.",
    "assets/glaze chart.bin": BINARY,
  });
  client = await connect(key);
}, START_MS);

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error: Error & { code?: number; data?: unknown }) => ({ code: error.code, data: error.data }),
  );

describe("the protocol", () => {
  it("serves the present protocol and that of 2025 with the same lists", async () => {
    const old = await connect(key, "legacy");
    expect([client.getNegotiatedProtocolVersion(), old.getNegotiatedProtocolVersion()]).toEqual([
      "2026-07-28",
      "2025-11-25",
    ]);
    expect(client.getServerCapabilities()).toEqual({
      tools: {},
      prompts: {},
      resources: {},
      extensions: { "io.modelcontextprotocol/skills": {} },
    });
    expect(old.getServerVersion()).toMatchObject({ name: "talaria", title: "Talaria" });
    const names = async (of: Client) => (await of.listTools()).tools.map(({ name }) => name);
    const memory = ["read_memory", "add_memory", "replace_memory", "forget_memory"];
    expect(await names(client)).toEqual(["search_sessions", ...memory, "send_message", "get_turn"]);
    expect(await names(old)).toEqual(await names(client));
    expect((await old.listPrompts()).prompts).toEqual((await client.listPrompts()).prompts);
    expect((await old.listResources()).resources).toEqual((await client.listResources()).resources);
  });

  it("asks for a key, and names the scheme", async () => {
    for (const asked of [{}, { key: "tal_nonsense" }]) {
      const response = await fetchApi("POST", "/mcp", { ...asked, body: { jsonrpc: "2.0", id: 1, method: "ping" } });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="talaria"']);
      await response.body?.cancel();
    }
  });

  it("refuses a page of another site", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect(await rpc(key, ping, { origin: "https://evil.example" })).toMatchObject({
      status: 403,
      body: { jsonrpc: "2.0", error: { code: -32_000 } },
    });
    expect((await rpcText(ping, { origin: "https://talaria.test" })).status).toBe(200);
  });

  it("answers what it cannot read as JSON-RPC errors", async () => {
    const large = { jsonrpc: "2.0", id: 1, method: "ping", params: { filler: "x".repeat(1 << 20) } };
    const batch = Array.from({ length: 21 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    const refused = await Promise.all([
      rpc(key, large),
      rpc(key, "{"),
      rpc(key, batch),
      rpc(key, [batch[0], batch[1], batch[0]]),
      rpc(key, "{}", { "content-type": "text/plain" }),
      ask("GET", "/mcp", { key, headers: { accept: "text/event-stream" } }),
    ]);
    expect(refused.map(({ status, body }) => [status, (body as { error: { code: number } }).error.code])).toEqual([
      [413, -32_600],
      [400, -32_700],
      [400, -32_600],
      [400, -32_600],
      [415, -32_000],
      [405, -32_000],
    ]);
  });

  it("names the tools when one does not exist, and says what is wrong with arguments", async () => {
    expect(await messageOf(client.callTool({ name: "toString" }))).toMatchObject({ code: -32_602 });
    expect(await call("send_message", { text: "hi", wait_seconds: 1_000 })).toEqual({
      isError: true,
      code: "bad_arguments",
      error: expect.stringMatching(/`wait_seconds`.+call send_message again\.$/),
    });
    expect(await call("search_sessions", { colour: "red" })).toMatchObject({ isError: true, code: "bad_arguments" });
  });
});

describe("skills", () => {
  it("are prompts, with their placeholders filled and their files named", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === "kiln-keeping")).toEqual({
      name: "kiln-keeping",
      description: "Fires a kiln. Use it when somebody asks for pottery.",
      arguments: [{ name: "request", description: expect.any(String), required: false }],
    });
    const { messages } = await client.getPrompt({
      name: "kiln-keeping",
      arguments: { request: "degrees=1260 Fire the blue bowl." },
    });
    const [{ role, content }] = messages as [{ role: string; content: { type: string; text: string } }];
    expect([messages.length, role, content.type]).toEqual([1, "user", "text"]);
    expect(content.text).toContain("Heat it to 1260 degrees.");
    expect(content.text).toContain("\nskill://kiln-keeping/references/curve.md\n");
    expect(content.text).toMatch(/\n\nFire the blue bowl\.$/);
  });

  it("are resources, each file with its bytes", async () => {
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith("skill://kiln-keeping/"))).toEqual([
      {
        uri: "skill://kiln-keeping/SKILL.md",
        name: "kiln-keeping",
        description: "Fires a kiln. Use it when somebody asks for pottery.",
        mimeType: "text/markdown",
        size: SKILL_MD.length,
      },
      {
        uri: "skill://kiln-keeping/assets/glaze%20chart.bin",
        name: "kiln-keeping/assets/glaze chart.bin",
        size: 4,
      },
      {
        uri: "skill://kiln-keeping/references/curve.md",
        name: "kiln-keeping/references/curve.md",
        mimeType: "text/markdown",
        size: 7,
      },
    ]);
    const read = async (path: string) =>
      (await client.readResource({ uri: `skill://kiln-keeping/${path}` })).contents[0];
    expect(await read("SKILL.md")).toMatchObject({ mimeType: "text/markdown", text: SKILL_MD });
    expect(await read("assets/glaze%20chart.bin")).toMatchObject({ blob: BINARY.base64 });
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: "skill://{name}/{+path}" },
    ]);
  });

  it("are entries of the extension for skills, whose files a client can verify", async () => {
    const skills = new SkillsClient(client);
    const { skills: listed } = await skills.list();
    const uri = "skill://kiln-keeping/SKILL.md";
    const entry = listed.find((skill) => skill.uri === uri)!;
    expect(entry.frontmatter).toEqual({ name: "kiln-keeping", description: expect.stringMatching(/^Fires a kiln/) });
    expect((await skills.get(uri)).skill).toEqual(entry);
    for (const path of ["SKILL.md", "assets/glaze chart.bin", "references/curve.md"])
      expect(await skills.read(entry, path)).toMatchObject({ verified: true });
    expect(entry.resources).toHaveLength(3);
    expect(await messageOf(skills.get("skill://old-keeping/SKILL.md"))).toMatchObject({ code: -32_602 });
  });

  it("are listed in pages, each skill once", async () => {
    const { key: many } = await createProfile();
    const names = Array.from({ length: 60 }, (_, i) => `zz-skill-${String(i).padStart(2, "0")}`);
    for (const name of names)
      await putSkill(name, { "SKILL.md": SKILL_MD.replace("kiln-keeping", name), "a.md": "A" }, many);
    const of = await connect(many);
    const first = await of.listPrompts({ cursor: "zz-skill" });
    expect(first.prompts).toHaveLength(50);
    const second = await of.listPrompts({ cursor: first.nextCursor! });
    expect([...first.prompts, ...second.prompts].map(({ name }) => name)).toEqual(names);
    expect(second.nextCursor).toBeUndefined();
    const { resources, nextCursor } = await of.listResources({ cursor: "zz-skill" });
    expect([resources.length, nextCursor]).toEqual([100, first.nextCursor]);
    expect(await messageOf(of.listPrompts({ cursor: "no cursor" }))).toMatchObject({ code: -32_602 });
  });

  it("are neither listed nor read when they are archived, unknown or a profile's of another key", async () => {
    const { key: other } = await createProfile();
    const stranger = await connect(other);
    await putSkill("old-keeping", { "SKILL.md": SKILL_MD.replace("kiln-keeping", "old-keeping") });
    const uri = "skill://old-keeping/SKILL.md";
    expect((await client.readResource({ uri })).contents).toHaveLength(1);
    await ask("POST", "/v1/skills/old-keeping/archive", { key });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain("old-keeping");
    const refused = [
      () => client.readResource({ uri }),
      () => client.readResource({ uri: "skill://kiln-keeping/references/missing.md" }),
      () => client.readResource({ uri: "skill://kiln-keeping/%E0%A4%A" }),
      () => client.readResource({ uri: "file:///etc/passwd" }),
      () => stranger.readResource({ uri: "skill://kiln-keeping/SKILL.md" }),
      () => client.getPrompt({ name: "old-keeping" }),
      () => stranger.getPrompt({ name: "kiln-keeping" }),
      () => client.getPrompt({ name: "kiln-keeping", arguments: { colour: "red" } }),
    ];
    for (const work of refused) expect(await messageOf(work())).toMatchObject({ code: -32_602 });
  });
});

describe("memory", () => {
  it("is read, added to, corrected and forgotten, in the person's name", async () => {
    const store = "user";
    const added = await call("add_memory", { store, content: "Glazes in cobalt blue." });
    expect(added).toMatchObject({ isError: false, store, existed: false });
    const replaced = await call("replace_memory", { store, id: added.id, content: "Glazes in iron red." });
    const texts = async () => {
      const { stores } = (await call("read_memory", { store })) as unknown as {
        stores: { entries: { id: string; text: string; origin: string }[] }[];
      };
      return stores.flatMap(({ entries }) => entries.map(({ id, text, origin }) => ({ id, text, origin })));
    };
    expect(await texts()).toEqual([{ id: replaced.id, text: "Glazes in iron red.", origin: "user" }]);
    expect((await ask("GET", "/v1/memory", { key })).body).toMatchObject({
      entries: [{ id: replaced.id, origin: "user", source: "principal" }],
    });
    expect(await call("forget_memory", { store, id: replaced.id })).toMatchObject({ removed: 1 });
    expect(await texts()).toEqual([]);
    expect(await call("forget_memory", { store, id: replaced.id })).toMatchObject({
      isError: true,
      code: "memory_not_found",
    });
    expect(await call("add_memory", { store, content: "- one\n- two" })).toMatchObject({
      isError: true,
      code: "several_facts",
    });
  });
});

describe("messages", () => {
  it("are answered in a new session, which goes on and is found by a search", async () => {
    const sent = await call("send_message", { text: "The old pottery fires with zirconium." });
    expect(sent).toMatchObject({
      isError: false,
      state: "done",
      reason: "answer",
      turn: `${sent.session as string}-1`,
    });
    expect(sent.answer).toMatch(/rehearsal/);
    const next = await call("send_message", { session: sent.session, text: "Which skills are there?" });
    expect(next).toMatchObject({ state: "done", turn: `${sent.session as string}-2` });
    expect(await call("get_turn", { turn: sent.turn })).toEqual(sent);
    await vi.waitFor(
      async () => expect(await call("search_sessions", { query: "zirconium pottery" })).toMatchObject({ count: 1 }),
      { timeout: 20_000, interval: 100 },
    );
    const { key: other } = await createProfile();
    const stranger = await connect(other);
    expect(await call("search_sessions", { query: "zirconium" }, stranger)).toMatchObject({ count: 0 });
    expect(await call("get_turn", { turn: sent.turn }, stranger)).toMatchObject({ code: "session_not_found" });
    expect(await call("send_message", { text: "hi", session: sent.session }, stranger)).toMatchObject({
      code: "session_not_found",
    });
  });

  it("with a key begin one session and one turn, however often they are sent", async () => {
    const { key: own } = await createProfile();
    const of = await connect(own);
    const message = { text: "Hello.", key: "once" };
    const answers = await Promise.all([1, 2, 3].map(() => call("send_message", message, of)));
    expect(answers[0]).toMatchObject({ isError: false, state: "done" });
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    const { sessions } = (await ask("GET", "/v1/sessions", { key: own })).body as { sessions: unknown[] };
    expect(sessions).toHaveLength(1);
    expect(await call("send_message", { ...message, text: "Something else." }, of)).toMatchObject({
      isError: true,
      code: "idempotency_conflict",
    });
    await ask("DELETE", `/v1/sessions/${answers[0]!.session as string}`, { key: own });
    const again = await call("send_message", message, of);
    expect(again).toMatchObject({ isError: false, state: "done" });
    expect(again.session).not.toBe(answers[0]!.session);
  });

  it("without waiting return the turn, whose end get_turn waits for", async () => {
    const sent = await call("send_message", { text: "Hello.", wait_seconds: 0 });
    expect(sent).toMatchObject({ isError: false, state: expect.stringMatching(/^(queued|running|done)$/) });
    expect(await call("get_turn", { turn: sent.turn })).toMatchObject({ state: "done", answer: expect.any(String) });
    expect(await call("get_turn", { turn: `${sent.session as string}-9` })).toMatchObject({ code: "turn_not_found" });
    expect(await call("send_message", { text: " " })).toMatchObject({ isError: true, code: "body_invalid" });
  });

  it("that are commands of the owner or of a chat are refused, and begin nothing", async () => {
    const { key: own } = await createProfile();
    const of = await connect(own);
    const commands = [
      "/approve",
      " /approve a1 once please",
      "/deny",
      "/revoke a1",
      "/model m",
      "/title T",
      "/undo",
      "/retry",
    ];
    for (const text of [...commands, "/rollback 1", "/learn pottery", "/refine", "/usage", "/stop"]) {
      expect(await call("send_message", { text }, of), text).toMatchObject({ isError: true, code: "person_needed" });
    }
    expect((await ask("GET", "/v1/sessions", { key: own })).body).toMatchObject({ sessions: [] });
    expect(await call("send_message", { text: "/refresh" }, of)).toMatchObject({ state: "done", reason: "refreshed" });
  });

  it("are refused in words that a client knows", async () => {
    const sent = await call("send_message", { text: "Hello.", key: "words" });
    const refused = await Promise.all([
      call("send_message", { text: "Something else.", key: "words" }),
      call("send_message", { text: "Hello.", session: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }),
    ]);
    expect(sent.isError).toBe(false);
    expect(refused.map(({ code }) => code)).toEqual(["idempotency_conflict", "session_not_found"]);
    for (const { error } of refused) expect(error).not.toMatch(/POST|Idempotency-Key/);
  });
});

/** A request whose answer is a stream. */
async function rpcText(body: unknown, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const accept = "application/json, text/event-stream";
  const response = await fetchApi("POST", "/mcp", { key, body, headers: { accept, ...headers } });
  return { status: response.status, text: await response.text() };
}
