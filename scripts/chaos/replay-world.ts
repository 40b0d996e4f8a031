// Local servers around a chaos run over replays: the rehearsal model over HTTP, which calls tools of the outside where a text tells it to, and
// the doubles that such calls would reach: a search service, an MCP server, a receiver of webhooks. Each counts what arrives. They outlive
// every kill. Called by replay-stack.ts.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ChatRequest, toEvents, toModelRequest } from "./rehearsal-wire.ts";
import { MCP_NAME, answerMarked } from "./replay-script.ts";

export interface ReplayWorld {
  url: string;
  /** What arrived from outside the model: which double, and what was asked. */
  arrivals: { at: number; double: "search" | "mcp" | "hook"; what: string }[];
  close(): void;
}

export async function startReplayWorld(): Promise<ReplayWorld> {
  const arrivals: ReplayWorld["arrivals"] = [];
  const take = (double: ReplayWorld["arrivals"][number]["double"], what: string) =>
    arrivals.push({ at: Date.now(), double, what });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url!, "http://world");
    const body = await readBody(request);
    const say = (value: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (pathname === "/v1/chat/completions") {
      const answer = await answerMarked(toModelRequest(ChatRequest.parse(JSON.parse(body))));
      response.writeHead(200, { "content-type": "text/event-stream" }).end(toEvents(answer));
    } else if (pathname === "/search") {
      take("search", search);
      say({ results: [{ title: "Rates", url: "http://rates.example/", content: "The rate is 7." }] });
    } else if (pathname === "/hook") {
      take("hook", body);
      response.writeHead(204).end();
    } else if (pathname === "/mcp") {
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } };
      take("mcp", `${method} ${params?.name ?? ""}`.trim());
      if (id === undefined) return void response.writeHead(202).end();
      const result = answerMcp(method);
      say({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) });
    } else response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    // The caller may be killed at any moment.
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    arrivals,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answerMcp(method: string): object | undefined {
  const tool = (name: string, readOnlyHint: boolean) => ({
    ...{ name, description: `The tool ${name}.`, annotations: { readOnlyHint } },
    inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  });
  const answers: Record<string, object> = {
    initialize: {
      ...{ protocolVersion: "2025-06-18", capabilities: { tools: {} } },
      serverInfo: { name: MCP_NAME, version: "1" },
    },
    "tools/list": { tools: [tool("rate", true), tool("send", false)] },
    "tools/call": { content: [{ type: "text", text: "It is 7." }] },
  };
  return answers[method];
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
