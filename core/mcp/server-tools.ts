// The tools of one MCP server as tools of a session. Used by mcp-tools.ts. Effects follow what the server says of its tools: one that
// claims to change nothing may run again after a crash, any other never does.
import * as z from "zod";
import type { Tool, ToolResult } from "../agent/contract.ts";
import type { JsonObject } from "../schemas/entry.ts";
import type { McpTool } from "../schemas/profile/mcp.ts";
import { toToolNames } from "./names.ts";
import { CONNECT_MS, type McpPool } from "./pool.ts";
import type { McpEntry, McpFailure } from "./ports.ts";
import { failWithWords, readCallAnswer } from "./read-result.ts";

const CALL_MS = 60_000;
/** The server checks the arguments by its own schema. */
const Arguments = z.looseObject({});

export function toServerTools(entry: McpEntry, pool: McpPool): Tool[] {
  const tools = entry.catalog?.listing?.tools ?? [];
  const names = toToolNames(
    entry.name,
    tools.map(({ name }) => name),
  );
  return tools.map((tool, at) => toTool(entry, tool, names[at]!, pool));
}

function toTool(entry: McpEntry, tool: McpTool, name: string, pool: McpPool): Tool<JsonObject> {
  // Facts are the harness's own words, and a server may name a tool as it likes.
  const facts = { server: entry.name, tool: tool.name.replace(/[^A-Za-z0-9_./-]/g, "_") };
  return {
    name,
    description: `${describe(entry)} ${tool.description}`.trim(),
    parameters: Arguments,
    schema: tool.schema,
    effect: tool.readOnly ? "read" : "unkeyed",
    timeoutMs: () => callMs(entry) + OPENING_MS,
    async run(args, { signal }) {
      const params = { name: tool.name, arguments: args };
      const answer = await pool.ask(entry, { method: "tools/call", params, timeoutMs: callMs(entry), tool }, signal);
      return answer.ok ? readCallAnswer(answer.value, facts) : toFailed(answer.failure, facts, tool.readOnly);
    },
    end: () => pool.end(),
  };
}

/** To connect, to list the tools, and once more after a restart of the server. */
export const OPENING_MS = 4 * CONNECT_MS + 5_000;

export function describe({ name }: McpEntry): string {
  return `[MCP server ${name}]`;
}

export function callMs({ config }: McpEntry): number {
  return config.timeoutMs ?? CALL_MS;
}

/** `isRead`: the call changes nothing, so an unknown outcome does no harm. */
export function toFailed(failure: McpFailure, facts: JsonObject, isRead: boolean): ToolResult {
  const { code, message, sent, said } = failure;
  const advice = adviceFor(code, sent === true, isRead);
  return failWithWords(code, `${message} ${advice}`, said, facts);
}

function adviceFor(code: string, wasSent: boolean, isRead: boolean): string {
  if (code === "mcp_refused") return "Correct the call by the server's words, or do it another way.";
  if (code === "mcp_tool_changed" || code === "mcp_tool_gone") return "Do the rest without it.";
  if (code === "mcp_unauthorized") return "Tell the person: they must give this server access again.";
  if (wasSent && !isRead)
    return "Whether the call took effect is unknown. Look before you do it again, and tell the person.";
  return wasSent
    ? "Ask for less, or go on without it."
    : "The call was not made. Go on without this server, and tell the person.";
}
