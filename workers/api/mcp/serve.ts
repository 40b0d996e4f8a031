// Serves one MCP request. Nothing is kept between requests: each has a server of its own, for the present protocol and for clients of
// 2025. The SDK is loaded with the first request, so that no other route waits for it. Called by mcp.ts, after authentication.
import type { CallToolResult, Server, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { FIXED } from "../../../core/limits.ts";
import { VERSION } from "../health.ts";
import {
  type CallContext,
  type McpScope,
  type McpTool,
  InvalidParams,
  RPC_CODES,
  toFailedCall,
  toRpcError,
  toToolError,
} from "./contract.ts";
import { createMemoryTools } from "./memory-tools.ts";
import { createMessageTools } from "./message-tools.ts";
import { createSearchTool } from "./search-tool.ts";
import { GetSkillParams, ListSkillsParams, SKILLS_EXTENSION, getSkill, listSkills } from "./skill-catalog.ts";
import { getPrompt, listPrompts } from "./skill-prompts.ts";
import type * as loaded from "./sdk.ts";
import { RESOURCE_TEMPLATE, listResources, readResource } from "./skill-resources.ts";

const INSTRUCTIONS =
  "Talaria is an agent of its own, with a memory, skills that it learned, and sessions. Give it work with send_message. Find what " +
  "was said before with search_sessions, and what it remembers with read_memory. Its skills are prompts, and their files are resources.";

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, extensions: { [SKILLS_EXTENSION]: {} } };

/** [own] Requests in one body. Clients of 2025-03-26 may send several. */
const MAX_BATCH = 20;

type Sdk = typeof loaded;

export async function serveMcp(request: Request, scope: McpScope): Promise<Response> {
  const sdk = await import("./sdk.ts");
  const refused = sdk.originValidationResponse(request, allowedOrigins(sdk, request));
  if (refused) return refused;
  const read = await readBody(sdk, request);
  if (read instanceof Response) return read;
  // A stream of changes is acknowledged as empty, since nothing here would send one. Its client holds it open.
  const handler = sdk.createMcpHandler(() => createServer(sdk, scope), { maxSubscriptions: 1 });
  return handler.fetch(request, read);
}

/** A browser's page must come from this host itself. Programs send no Origin. */
function allowedOrigins({ localhostAllowedOrigins }: Sdk, request: Request): string[] {
  const { hostname } = new URL(request.url);
  const local = localhostAllowedOrigins();
  return local.includes(hostname) ? local : [hostname];
}

/** The parsed body. A response if it is too large or not JSON. Other types of content are refused by the SDK. */
async function readBody(sdk: Sdk, request: Request): Promise<{ parsedBody?: unknown } | Response> {
  if (request.method !== "POST" || !sdk.isJsonContentType(request.headers.get("content-type"))) return {};
  const read = await sdk.readRequestBody(request, FIXED.requestBytes);
  if (read.tooLarge) {
    return refuse(413, RPC_CODES.request, `The body is larger than ${FIXED.requestBytes} bytes.`);
  }
  let parsedBody: unknown;
  try {
    parsedBody = JSON.parse(read.text);
  } catch {
    return refuse(400, RPC_CODES.parse, "The body is not valid JSON.");
  }
  if (Array.isArray(parsedBody) && parsedBody.length > MAX_BATCH) {
    return refuse(400, RPC_CODES.request, `Send at most ${MAX_BATCH} requests in one body.`);
  }
  if (Array.isArray(parsedBody) && repeatsId(parsedBody)) {
    return refuse(400, RPC_CODES.request, "Two requests in the body have the same id. Give each its own.");
  }
  return { parsedBody };
}

/** The SDK would carry out all of them and answer only one. */
function repeatsId(batch: unknown[]): boolean {
  const ids = batch.flatMap((message) => {
    const { id, method } = Object(message) as { id?: unknown; method?: unknown };
    return id === undefined || method === undefined ? [] : [id];
  });
  return new Set(ids).size < ids.length;
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

function createServer(sdk: Sdk, scope: McpScope): Server {
  const server = new sdk.Server(
    { name: "talaria", title: "Talaria", version: VERSION },
    { capabilities: CAPABILITIES, instructions: INSTRUCTIONS },
  );
  const tools = createTools(scope);
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(toListedTool) }));
  server.setRequestHandler("tools/call", ({ params }, context) => callTool(tools, params, toCallContext(context)));
  server.setRequestHandler("prompts/list", ({ params }) => guard(listPrompts(scope, params?.cursor)));
  server.setRequestHandler("prompts/get", ({ params }) => guard(getPrompt(scope, params)));
  server.setRequestHandler("resources/list", ({ params }) => guard(listResources(scope, params?.cursor)));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [RESOURCE_TEMPLATE] }));
  server.setRequestHandler("resources/read", ({ params }) => guard(readResource(scope, params.uri)));
  server.setRequestHandler("skills/list", { params: ListSkillsParams }, ({ cursor }) =>
    guard(listSkills(scope, cursor)),
  );
  server.setRequestHandler("skills/get", { params: GetSkillParams }, ({ uri }) => guard(getSkill(scope, uri)));
  return server;
}

/** The arguments of each tool are checked before it runs, so their types need not be told apart here. */
type AnyTool = McpTool<never>;

function createTools(scope: McpScope): AnyTool[] {
  return [createSearchTool(scope), ...createMemoryTools(scope), ...createMessageTools(scope)] as AnyTool[];
}

function toListedTool({ name, title, description, parameters, annotations }: AnyTool) {
  const inputSchema = z.toJSONSchema(parameters, { io: "input" }) as { type: "object" };
  return { name, title, description, inputSchema, annotations: { title, ...annotations } };
}

async function callTool(
  tools: AnyTool[],
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  context: CallContext,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) {
    const names = tools.map((candidate) => candidate.name).join(", ");
    throw toThrown(new InvalidParams(`There is no such tool. There are: ${names}.`));
  }
  const args = tool.parameters.safeParse(given);
  if (!args.success) {
    const [issue] = args.error.issues;
    const where = issue!.path.length > 0 ? `\`${issue!.path.join(".")}\`` : "the arguments";
    return toToolError(
      "bad_arguments",
      `Invalid value in ${where}: ${issue!.message}. Correct it and call ${name} again.`,
    );
  }
  try {
    return await tool.run(args.data, context);
  } catch (error) {
    return toFailedCall(error);
  }
}

function toCallContext({ mcpReq }: ServerContext): CallContext {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    signal: mcpReq.signal,
    async reportProgress(message) {
      if (progressToken === undefined) return;
      progress += 1;
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
    },
  };
}

/** Errors become JSON-RPC errors that say nothing of the inside. */
async function guard<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw toThrown(error);
  }
}

/** The SDK sends the code, message and data of an error as they are. */
function toThrown(error: unknown): Error {
  const { message, ...rest } = toRpcError(error);
  return Object.assign(new Error(message), rest);
}
