// What the MCP client needs from outside. wiring/mcp/ implements McpDialer over the official client package, tests over a fake. Types only.
import type { Failure, Result } from "../errors.ts";
import type { JsonObject } from "../schemas/entry.ts";
import type {
  McpCatalog,
  McpAccess,
  McpListing,
  McpServer,
  McpServerName,
  McpTransport,
} from "../schemas/profile/mcp.ts";

/** A server as the profile's settings have it. */
export interface McpEntry {
  name: McpServerName;
  config: McpServer;
  /** What it offered when it was last asked; `null`: it was never asked. */
  catalog: McpCatalog | null;
  access: McpAccess | null;
}

/**
 * Failures. Before a request was sent: `mcp_unreachable`, `mcp_unauthorized`, `mcp_timed_out`, `mcp_not_supported`, `url_refused`,
 * `aborted`. After it was sent: `mcp_lost` (the connection ended without an answer), `mcp_timed_out`, `mcp_answer_too_large`,
 * `mcp_garbled`, `mcp_session_gone` (the server has forgotten the connection and did nothing), `mcp_refused` (the server's own error:
 * its words are in `said`). `sent`: the server may have acted on the request. No message holds an address, a header or a token.
 */
export interface McpFailure extends Failure {
  sent?: true;
  /** The server's words: content. */
  said?: string;
}

export interface McpDialer {
  /** Connects. Never throws. `onListChanged`: the server says that its tools have changed. */
  open(
    entry: McpEntry,
    options: { timeoutMs: number; signal: AbortSignal; onListChanged?(): void },
  ): Promise<Result<McpConnection, McpFailure>>;
}

export type McpMethod =
  | "tools/list"
  | "tools/call"
  | "resources/list"
  | "resources/read"
  | "prompts/list"
  | "prompts/get";

export interface McpConnection {
  readonly transport: McpTransport;
  readonly discovered: McpListing["discovered"];
  readonly offers: { tools: boolean; resources: boolean; prompts: boolean };
  /** The result as the server sent it: content, of any form. Lists are read to their end. Never throws. */
  ask(
    method: McpMethod,
    params: JsonObject,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Result<unknown, McpFailure>>;
  /** Never throws. Idempotent. */
  close(): Promise<void>;
}

/** Stores what a server offered, for the sessions of the profile. Never throws. */
export type StoreCatalog = (server: McpServerName, catalog: McpCatalog) => Promise<void>;
