// What the parts of the MCP server share: whom a request is for, the form of a tool, and how results and errors are worded. Errors of
// the API keep their code. An unknown error is logged under an id, and its message is never sent.
import type { CallToolResult } from "@modelcontextprotocol/server";
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
  /** Writes to the audit log what a call has changed, as the route of the same change does. */
  note(act: string, target: string): Promise<void>;
}

/** Codes of JSON-RPC. */
export const RPC_CODES = { parse: -32_700, request: -32_600, params: -32_602, internal: -32_603 } as const;

/** A request that asks for what there is not, or in a form that is not taken. Becomes a JSON-RPC error. */
export class InvalidParams extends Error {
  override name = "InvalidParams";
  readonly data: JsonObject | undefined;
  constructor(message: string, data?: JsonObject) {
    super(message);
    this.data = data;
  }
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
export function toRpcError(thrown: unknown): { code: number; message: string; data?: JsonObject } {
  if (thrown instanceof InvalidParams) return { code: RPC_CODES.params, message: thrown.message, data: thrown.data };
  const { code, message, isOurs } = describeError(thrown);
  return { code: isOurs ? RPC_CODES.params : RPC_CODES.internal, message, data: { code } };
}

function describeError(thrown: unknown): Refusal {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const known = toAppError(error);
  if (known) return { code: known.code, message: known.message, isOurs: true };
  const id = ulid();
  console.error(JSON.stringify({ id, path: "/mcp", error: error.stack ?? String(error) }));
  return { code: "internal", message: `Something went wrong on our side. Report this id: ${id}.`, isOurs: false };
}
