// The official client of the present protocol, and raw requests, against the Worker's own fetch handler.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exports } from "cloudflare:workers";
import { type Answer, ask } from "../api-calls.ts";

const URL_OF_MCP = new URL("https://talaria.test/mcp");

/** `era`: how the client begins. `legacy` sends `initialize`, as clients of 2025 do. */
export async function connect(key: string, era: "legacy" | "auto" = "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: era } });
  await client.connect(
    new StreamableHTTPClientTransport(URL_OF_MCP, {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
      fetch: (input, init) => exports.default.fetch(new Request(input, init)),
    }),
  );
  return client;
}

/** One request as clients of 2025 send it. The answer's stream has one event. */
export async function rpc(key: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return ask("POST", "/mcp", {
    key,
    body,
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
  });
}
