// What the parts of the MCP server share: whom a request is for, the form of a tool, and how results and errors are worded. Errors of
// the API keep their code. An unknown error is logged under an id, and its message is never sent.
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { ulid } from "ulid";
import type * as z from "zod";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Env } from "../env.ts";
import { toAppError } from "../problems.ts";

export interface McpScope {
  env: Env;
  profile: ProfileId;
  /** Revision of the profile's settings, sent with each message. */
  settingsRev: number;
}

/** What a running call may use of its request. */
export interface CallContext {
  /** Aborted when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Tells a client that asked for it that the call still runs. Clients then wait longer. */
  reportProgress(message: string): Promise<void>;
}

export interface McpTool<Args = never> {
  name: string;
  title: string;
  /** For the client's model: what the tool does, and when to use it. */
  description: string;
  parameters: z.ZodType<Args>;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint: boolean };
  /** Throws an `AppError` for a refusal. */
  run(args: Args, context: CallContext): Promise<CallToolResult>;
}

/** A result as JSON text for the client's model, and as the same object for programs. */
export function toResult(value: JsonObject): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

export function toToolError(code: string, error: string): CallToolResult {
  return { isError: true, ...toResult({ error, code }) };
}

interface Refusal {
  code: string;
  message: string;
  isOurs: boolean;
}

/** Of tools: the client's model reads what went wrong. */
export function toFailedCall(thrown: unknown): CallToolResult {
  const { code, message } = describeError(thrown);
  return toToolError(code, message);
}

/** Of everything else: a JSON-RPC error, with the code of the API in its data. */
export function toProtocolError(thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const { code, message, isOurs } = describeError(thrown);
  const kind = isOurs ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(kind, message, { code });
}

function describeError(thrown: unknown): Refusal {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const known = toAppError(error);
  if (known) return { code: known.code, message: known.message, isOurs: true };
  const id = ulid();
  console.error(JSON.stringify({ id, path: "/mcp", error: error.stack ?? String(error) }));
  return { code: "internal", message: `Something went wrong on our side. Report this id: ${id}.`, isOurs: false };
}
