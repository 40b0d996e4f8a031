import { afterAll, beforeAll, expect, test } from "vitest";
import {
  openTestDialer,
  startEverything,
  toEntry,
  toRemote,
  type RunningServer,
} from "../../support/mcp/everything.ts";

let http: RunningServer;
let sse: RunningServer;
beforeAll(async () => {
  [http, sse] = await Promise.all([startEverything("streamableHttp"), startEverything("sse")]);
});
afterAll(async () => {
  await Promise.all([http.kill(), sse.kill()]);
});

const LIMITS = { timeoutMs: 10_000, signal: new AbortController().signal };

for (const kind of ["streamable HTTP", "SSE"] as const) {
  test(`the reference server lists, calls, reads and prompts over ${kind}`, async () => {
    const server = kind === "SSE" ? sse : http;
    const { dialer, requests } = openTestDialer([server.origin]);
    const config = toRemote(server.url, {
      headers: { "x-key": "secret-1" },
      ...(kind === "SSE" && { transport: "sse" }),
    });
    const opened = await dialer.open(toEntry("every", config), LIMITS);
    if (!opened.ok) throw new Error(opened.failure.code);
    const connection = opened.value;
    expect(connection.offers).toEqual({ tools: true, resources: true, prompts: true });
    expect(connection.transport).toBe(kind === "SSE" ? "sse" : "http");
    const tools = await connection.ask("tools/list", {}, LIMITS);
    expect(tools).toMatchObject({
      ok: true,
      value: { tools: expect.arrayContaining([expect.objectContaining({ name: "echo" })]) },
    });
    const called = await connection.ask("tools/call", { name: "echo", arguments: { message: "hi" } }, LIMITS);
    expect(called).toMatchObject({ ok: true, value: { content: [{ type: "text", text: "Echo: hi" }] } });
    const resources = await connection.ask("resources/list", {}, LIMITS);
    if (!resources.ok) throw new Error(resources.failure.code);
    const { uri } = (resources.value as { resources: { uri: string }[] }).resources[0]!;
    expect(await connection.ask("resources/read", { uri }, LIMITS)).toMatchObject({
      ok: true,
      value: { contents: [{ uri }] },
    });
    expect(await connection.ask("prompts/get", { name: "simple-prompt" }, LIMITS)).toMatchObject({
      ok: true,
      value: { messages: [{ role: "user" }] },
    });
    const wrong = await connection.ask("tools/call", { name: "no-such-tool", arguments: {} }, LIMITS);
    expect(wrong.ok ? wrong.value : wrong.failure).toMatchObject({});
    await connection.close();
    expect(requests.every(({ headers }) => headers.get("x-key") === "secret-1")).toBe(true);
  });
}

test("a server that only speaks SSE is found without being told", async () => {
  const { dialer } = openTestDialer([sse.origin]);
  const opened = await dialer.open(toEntry("every", toRemote(sse.url)), LIMITS);
  expect(opened.ok ? opened.value.transport : opened.failure).toBe("sse");
  if (opened.ok) await opened.value.close();
});

for (const mode of ["streamableHttp", "sse"] as const) {
  test(`a call whose server is killed ends at once as lost, over ${mode}`, async () => {
    const server = await startEverything(mode);
    const { dialer } = openTestDialer([server.origin]);
    const opened = await dialer.open(toEntry("every", toRemote(server.url)), LIMITS);
    if (!opened.ok) throw new Error(opened.failure.code);
    const params = { name: "trigger-long-running-operation", arguments: { duration: 20, steps: 2 } };
    const began = Date.now();
    const call = opened.value.ask("tools/call", params, { ...LIMITS, timeoutMs: 15_000 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await server.kill();
    expect(await call).toEqual({
      ok: false,
      failure: { code: "mcp_lost", message: "The connection to the server broke before it answered.", sent: true },
    });
    expect(Date.now() - began).toBeLessThan(6_000);
    await opened.value.close();
  });
}

test("a server of which nothing listens cannot be reached, and nothing of its address is told", async () => {
  const { dialer } = openTestDialer(["http://127.0.0.1:9"]);
  const opened = await dialer.open(toEntry("gone", toRemote("http://127.0.0.1:9/mcp?key=secret-2")), LIMITS);
  expect(opened).toEqual({ ok: false, failure: { code: "mcp_unreachable", message: "The server cannot be reached." } });
});
