// A server that answers as the test says, and the tools that a turn has of it: over real HTTP, through the real dialer and the URL policy.
import type { Tool } from "../../../core/agent/contract.ts";
import { discover } from "../../../core/mcp/discover.ts";
import { createMcpTools } from "../../../core/mcp/mcp-tools.ts";
import { createMcpPool } from "../../../core/mcp/pool.ts";
import type { McpEntry } from "../../../core/mcp/ports.ts";
import type { McpCatalog } from "../../../core/schemas/profile/mcp.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { openTestDialer, toEntry, toRemote } from "./everything.ts";
import { type AskedRequest, type JsonAnswer, type JsonServer, startJsonServer } from "./json-server.ts";

const SIGNAL = new AbortController().signal;

export const said = (text: string) => ({ content: [{ type: "text", text }] });

/** Begins a turn with the server `liar`, after it has been asked what it offers. The server is added to `servers`, to be closed. */
export function beginTurn(servers: JsonServer[]) {
  return async (answer: (asked: AskedRequest, nth: number) => JsonAnswer | null, allow: string[] = []) => {
    const server = await startJsonServer(answer);
    servers.push(server);
    const { dialer, requests } = openTestDialer([server.origin, ...allow]);
    const config = toRemote(server.url, { headers: { authorization: "Bearer secret-3" }, timeoutMs: 1_500 });
    const bare = toEntry("liar", config);
    const catalog = await discover({ dialer, clock: systemClock }, bare, SIGNAL);
    const entry: McpEntry = { ...bare, catalog };
    const stored: McpCatalog[] = [];
    const pool = createMcpPool({ dialer, clock: systemClock, store: async (_, fresh) => void stored.push(fresh) });
    const tools = createMcpTools([entry], pool, new Set());
    const call = (name: string, args = {}) => run(tools, name, args);
    return { server, dialer, requests, entry, catalog, stored, tools, call, end: () => pool.end() };
  };
}

function run(tools: Tool[], name: string, args: object) {
  const tool = tools.find((one) => one.name === name)!;
  return tool.run(args, { op: "op", prepared: {}, signal: SIGNAL });
}
