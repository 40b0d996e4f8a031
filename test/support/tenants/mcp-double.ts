// MCP servers of two tenants at one address: what they say depends on the header that the tenant has set, and access by OAuth needs the
// verifier of the request that a person said yes to. Used by test/flows/two-profiles.stack.test.ts.
import { createHash } from "node:crypto";
import type { Answer, LocalSite } from "../web/local-site.ts";

type Request = LocalSite["requests"][number];

/** The header whose words the server repeats. */
export const ACCESS_HEADER = "x-access";
/** More definitions than a window has room for. */
const MANY = 40;

/** `null`: another part of the site is asked. */
export function answerMcp(origin: string, { path, headers, body }: Request): Answer | null {
  const [pathname = ""] = path.split("?");
  const resource = pathname.match(/^\/\.well-known\/oauth-protected-resource(\/.*)?$/)?.[1];
  if (resource !== undefined) return toJson({ resource: origin + resource, authorization_servers: [origin] });
  if (pathname === "/.well-known/oauth-authorization-server") return toJson(describeOAuth(origin));
  if (pathname === "/register") return toJson({ ...JSON.parse(body), client_id: "client" }, 201);
  if (pathname === "/token") return giveToken(new URLSearchParams(body));
  if (!pathname.startsWith("/mcp/")) return null;
  if (body === "") return { status: 405 };
  const { id, method } = JSON.parse(body) as { id?: number; method: string };
  if (id === undefined) return { status: 202 };
  const result = answerMethod(method, String(headers[ACCESS_HEADER] ?? "nobody"), pathname.endsWith("/many"));
  return toJson({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) });
}

function answerMethod(method: string, word: string, isMany: boolean): object | undefined {
  const name = "notes";
  const answers: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: isMany ? { tools: {} } : { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name, version: "1" },
    },
    "tools/list": {
      tools: isMany ? Array.from({ length: MANY }, (_, at) => toTool(`part_${at}`, word)) : [toTool("read", word)],
    },
    "tools/call": { content: [{ type: "text", text: `Notes of ${word}.` }] },
    "resources/list": { resources: [{ uri: "notes://all", name, description: `Of ${word}.` }] },
    "resources/read": { contents: [{ uri: "notes://all", text: `Notes of ${word}.` }] },
    "prompts/list": { prompts: [{ name, description: `Of ${word}.` }] },
    "prompts/get": { messages: [{ role: "user", content: { type: "text", text: `Speak of ${word}.` } }] },
  };
  return answers[method];
}

function toTool(name: string, word: string): object {
  const description = `Reads the notes of ${word}. ${name.startsWith("part") ? "It reads one part of them. ".repeat(30) : ""}`;
  const of = { type: "string" };
  return {
    name,
    description,
    inputSchema: { type: "object", properties: { of } },
    annotations: { readOnlyHint: true },
  };
}

function describeOAuth(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

/** The code that the server gives after a yes to this request. `note`: a part of the token. */
export function toCode(open: string, note: string): string {
  return `${new URL(open).searchParams.get("code_challenge")}.${note}`;
}

function giveToken(asked: URLSearchParams): Answer {
  const verifier = asked.get("code_verifier") ?? "";
  const [challenge, note] = (asked.get("code") ?? "").split(".");
  if (createHash("sha256").update(verifier).digest("base64url") !== challenge)
    return toJson({ error: "invalid_grant" }, 400);
  return toJson({ access_token: `access-${note}`, token_type: "Bearer", expires_in: 36_000 });
}

function toJson(value: object, status = 200): Answer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
