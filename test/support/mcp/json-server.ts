// A small MCP server over HTTP for tests that need one that lies: it answers each method as the test says. Speaks JSON only, no streams.
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface AskedRequest {
  method: string;
  params: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
}

/** A result, or a function that answers by itself, or not at all. */
export type JsonAnswer = object | ((response: ServerResponse, id: number | string) => void);

export interface JsonServer {
  origin: string;
  url: string;
  /** JSON-RPC requests so far, without those of the protocol's beginning. */
  asked: AskedRequest[];
  close(): Promise<void>;
}

const BEGIN: Record<string, object> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "liar", version: "1" },
  },
};

const isBegin = (method: string) => method === "initialize" || method === "server/discover";

export async function startJsonServer(
  answer: (asked: AskedRequest, nth: number) => JsonAnswer | null,
): Promise<JsonServer> {
  const asked: AskedRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method, params = {} } = JSON.parse(Buffer.concat(pieces).toString());
      if (id === undefined) return response.writeHead(202).end();
      const now = { method, params, headers: request.headers };
      if (!isBegin(method)) asked.push(now);
      const own = answer(now, asked.filter((one) => one.method === method).length);
      // The beginning of a connection is answered as usual, unless the test answers by itself.
      const said = typeof own === "function" ? own : isBegin(method) ? BEGIN[method] : own;
      if (typeof said === "function") return said(response, id);
      const body = said
        ? { jsonrpc: "2.0", id, result: said }
        : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/mcp`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function toListedTool(name: string, more: object = {}): object {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { a: { type: "string" } } },
    ...more,
  };
}
