// The official client inside workerd, against the official server in the same isolate: the package loads there, and connects over both
// generations of the protocol.
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import * as z from "zod";
import { ok } from "../../../core/errors.ts";
import { createOutbound } from "../../../core/outbound/outbound.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { createMcpDialer } from "../../../wiring/mcp/dialer.ts";

const LIMITS = { timeoutMs: 10_000, signal: new AbortController().signal };

test("the client lists and calls inside workerd, and a server of the newest protocol is asked nothing to connect again", async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "inside", version: "1" });
    server.registerTool("double", { description: "Doubles.", inputSchema: z.object({ n: z.number() }) }, ({ n }) => ({
      content: [{ type: "text", text: String(2 * n) }],
    }));
    return server;
  });
  const asked: string[] = [];
  const outbound = createOutbound({
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input, init as RequestInit<RequestInitCfProperties>);
      if (request.method === "POST") asked.push(((await request.clone().json()) as { method: string }).method);
      return handler.fetch(request);
    },
    clock: systemClock,
    policy: { ports: [], allow: [], configured: [] },
  });
  const dialer = createMcpDialer({
    outbound,
    sealer: ok({ seal: async (text) => text, open: async (text) => ok(text) }),
    exec: null,
    token: () => crypto.randomUUID(),
    accesses: { read: async () => null, store: async () => undefined },
  });
  const sealed = JSON.stringify({ url: "https://inside.example/mcp", headers: {} });
  const config = { v: 1 as const, kind: "remote" as const, shown: "", target: "", sealed, secretNames: [] };
  const entry = { name: "inside", config, catalog: null, access: null };
  const opened = await dialer.open(entry, LIMITS);
  if (!opened.ok) throw new Error(opened.failure.code);
  expect(await opened.value.ask("tools/list", {}, LIMITS)).toMatchObject({ value: { tools: [{ name: "double" }] } });
  const params = { name: "double", arguments: { n: 21 } };
  expect(await opened.value.ask("tools/call", params, LIMITS)).toMatchObject({ value: { content: [{ text: "42" }] } });
  const { discovered } = opened.value;
  await opened.value.close();
  expect(discovered).toBeDefined();

  asked.length = 0;
  const listing = {
    transport: "http" as const,
    discovered: discovered!,
    tools: [],
    others: [],
    listed: 0,
    resources: false,
    prompts: false,
  };
  const again = await dialer.open(
    { ...entry, catalog: { v: 1, of: "", checkedAt: 0, listing, failure: null } },
    LIMITS,
  );
  if (!again.ok) throw new Error(again.failure.code);
  expect(await again.value.ask("tools/call", params, LIMITS)).toMatchObject({ ok: true });
  await again.value.close();
  expect(asked).toEqual(["tools/call"]);
});

test("the older transport works inside workerd, and ends its calls when the stream ends", async () => {
  const encoder = new TextEncoder();
  let stream: WritableStreamDefaultWriter<Uint8Array> | undefined;
  const send = (event: string, data: unknown) =>
    stream!.write(
      encoder.encode(`event: ${event}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`),
    );
  const outbound = createOutbound({
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      if ((init?.method ?? "GET") === "GET") {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        stream = writable.getWriter();
        void send("endpoint", "/post").catch(() => undefined);
        return new Response(readable, { headers: { "content-type": "text/event-stream" } });
      }
      const { id, method } = JSON.parse(String(init!.body)) as { id?: number; method: string };
      const begun = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "1" },
      };
      if (method === "initialize") void send("message", { jsonrpc: "2.0", id, result: begun });
      else if (method === "tools/list") void send("message", { jsonrpc: "2.0", id, result: { tools: [] } });
      else if (method === "tools/call") void stream!.abort(new Error("gone")).catch(() => undefined);
      else if (id !== undefined) void send("message", { jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
      return new Response(null, { status: 202 });
    },
    clock: systemClock,
    policy: { ports: [], allow: [], configured: [] },
  });
  const dialer = createMcpDialer({
    outbound,
    sealer: ok({ seal: async (text) => text, open: async (text) => ok(text) }),
    exec: null,
    token: () => crypto.randomUUID(),
    accesses: { read: async () => null, store: async () => undefined },
  });
  const sealed = JSON.stringify({ url: "https://old.example/sse", headers: {} });
  const config = {
    v: 1 as const,
    kind: "remote" as const,
    shown: "",
    target: "",
    sealed,
    secretNames: [],
    transport: "sse" as const,
  };
  const opened = await dialer.open({ name: "old", config, catalog: null, access: null }, LIMITS);
  if (!opened.ok) throw new Error(opened.failure.code);
  expect(await opened.value.ask("tools/list", {}, LIMITS)).toMatchObject({ value: { tools: [] } });
  expect(await opened.value.ask("tools/call", { name: "a", arguments: {} }, LIMITS)).toMatchObject({
    ok: false,
    failure: { code: "mcp_lost" },
  });
  await opened.value.close();
});
