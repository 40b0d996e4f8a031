// The MCP servers of a profile: set, list, test, remove, give access by OAuth. Answers never hold an address in full, a header or a token.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { toToolNames } from "../../../core/mcp/names.ts";
import type { McpEntry } from "../../../core/mcp/ports.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { judgeUrl } from "../../../core/outbound/judge-url.ts";
import {
  ChangeMcpServer,
  McpAuthorization,
  type McpSecret,
  type McpServer,
  McpServerInfo,
  McpServerList,
  McpServerName,
  McpServerTest,
  PutMcpServer,
} from "../../../core/schemas/profile/mcp.ts";
import { openSecret } from "../../../wiring/mcp/dialer.ts";
import { readPolicy } from "../../../wiring/outbound.ts";
import { assertExecHost, parseEnvSettings } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openMcpAccount } from "./mcp-account.ts";
import { pageQuery, toSortedPage } from "../pages.ts";

export const mcpServers = createRouter();

const params = z.object({ server: McpServerName });

mcpServers.openapi(
  createRoute({
    method: "get",
    path: "/v1/mcp/servers",
    operationId: "listMcpServers",
    description: "Lists the profile's MCP servers, and whether each answered when it was last asked.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "The servers, by name", McpServerList),
  }),
  async (c) => {
    const entries = await openMcpAccount(c.env, c.var.profile).list();
    const all = entries.map((entry) => toInfo(entry));
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey: ({ server }) => server });
    return c.json({ servers: page, ...next }, 200);
  },
);

mcpServers.openapi(
  createRoute({
    method: "put",
    path: "/v1/mcp/servers/{server}",
    operationId: "putMcpServer",
    scope: "admin",
    ...refuses(
      "url_refused",
      "too_many_settings",
      "setting_too_large",
      "sealing_key_missing",
      "backend_unavailable",
      "mcp_not_supported",
    ),
    description:
      "Sets an MCP server, and asks it in the background what it offers. Its tools are there from the next message on.",
    request: { params, body: jsonBody(PutMcpServer) },
    responses: describeResponses(200, "The server as it is stored", McpServerInfo),
  }),
  async (c) => {
    const { server } = c.req.valid("param");
    const body = c.req.valid("json");
    assertReachable(c.env, c.var.profile, body);
    const account = openMcpAccount(c.env, c.var.profile);
    const sealer = unwrap(account.deps.sealer);
    const config = toConfig(body, await sealer.seal(JSON.stringify(toSecret(body))));
    await account.put(server, config);
    const entry = await account.find(server);
    if (entry.config.enabled !== false) c.executionCtx.waitUntil(account.ask(entry).catch(() => undefined)); // a session asks again
    return c.json(toInfo(entry), 200);
  },
);

mcpServers.openapi(
  createRoute({
    method: "patch",
    path: "/v1/mcp/servers/{server}",
    operationId: "changeMcpServer",
    scope: "admin",
    ...refuses("mcp_server_not_found", "too_many_settings", "setting_too_large"),
    description:
      "Changes which tools of an MCP server are offered, how long a call may take, and whether it is used. Its address, its secrets and its access stay.",
    request: { params, body: jsonBody(ChangeMcpServer) },
    responses: describeResponses(200, "The server as it is stored", McpServerInfo),
  }),
  async (c) => {
    const { server } = c.req.valid("param");
    const account = openMcpAccount(c.env, c.var.profile);
    const { config } = await account.find(server);
    await account.put(server, changeConfig(config, c.req.valid("json")));
    return c.json(toInfo(await account.find(server)), 200);
  },
);

mcpServers.openapi(
  createRoute({
    method: "delete",
    path: "/v1/mcp/servers/{server}",
    operationId: "deleteMcpServer",
    scope: "admin",
    ...refuses("mcp_server_not_found"),
    description: "Removes an MCP server with its headers and its access.",
    request: { params },
    responses: { 204: { description: "Removed" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    await openMcpAccount(c.env, c.var.profile).remove(c.req.valid("param").server);
    return c.body(null, 204);
  },
);

mcpServers.openapi(
  createRoute({
    method: "post",
    path: "/v1/mcp/servers/{server}/test",
    operationId: "testMcpServer",
    ...refuses("mcp_server_not_found", "sealing_key_missing", "too_many_settings", "setting_too_large"),
    description:
      "Asks an MCP server now what it offers. A server that does not answer is not an error: `state` and `reason` say so.",
    request: { params },
    responses: describeResponses(200, "What it offers", McpServerTest),
  }),
  async (c) => {
    const account = openMcpAccount(c.env, c.var.profile);
    const entry = await account.ask(await account.find(c.req.valid("param").server));
    return c.json(toTest(entry), 200);
  },
);

mcpServers.openapi(
  createRoute({
    method: "post",
    path: "/v1/mcp/servers/{server}/authorize",
    operationId: "authorizeMcpServer",
    scope: "admin",
    ...refuses("mcp_server_not_found", "mcp_not_supported", "mcp_oauth_failed", "url_refused", "sealing_key_missing"),
    description:
      "Begins access by OAuth: finds the server's authorization server and registers this deployment there. Open the address in a browser.",
    request: { params },
    responses: describeResponses(200, "Where to give access", McpAuthorization),
  }),
  async (c) => {
    const account = openMcpAccount(c.env, c.var.profile);
    const entry = await account.find(c.req.valid("param").server);
    const secret = unwrap(await openSecret(account.deps.sealer, entry));
    if (!("url" in secret)) throw new AppError("mcp_not_supported", "Access by OAuth is for servers with a `url`.");
    const { startAccess } = await import("../../../wiring/mcp/oauth.ts");
    const begun = unwrap(
      await startAccess(account.deps, entry.name, {
        url: secret.url,
        of: entry.config.target,
        redirectUrl: new URL("/v1/mcp/callback", c.req.url).href,
        nonce: `${c.var.profile}.${entry.name}.${crypto.randomUUID()}`,
      }),
    );
    return c.json(begun, 200);
  },
);

/** Refused here already, so that the owner hears of it at once. Each request is judged again. */
function assertReachable(env: ApiEnv["Bindings"], profile: string, { url }: PutMcpServer): void {
  if (url === undefined) return assertExecHost(env, profile);
  unwrap(judgeUrl(url, readPolicy(env, parseEnvSettings(env))));
}

function toSecret({ url, command, headers = {}, env = {} }: PutMcpServer): McpSecret {
  return url === undefined ? { command: command!, env } : { url, headers };
}

function toConfig(body: PutMcpServer, sealed: string): McpServer {
  const { url, command, transport, headers, env, ...choice } = body;
  const address = url === undefined ? null : new URL(url);
  return {
    v: 1,
    kind: address ? "remote" : "local",
    shown: address ? address.origin : command!.trim().split(/\s/, 1)[0]!.slice(0, 100),
    target: sha256Hex(url ?? command!).slice(0, 16),
    ...(transport && { transport }),
    sealed,
    secretNames: Object.keys(headers ?? env ?? {}).sort(),
    ...choice,
  };
}

/** What is left out stays; `null` takes a choice back. */
function changeConfig(config: McpServer, changes: ChangeMcpServer): McpServer {
  const changed = { ...config, ...changes };
  const kept = Object.entries(changed).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as McpServer;
}

function toInfo({ name, config, catalog, access }: McpEntry): McpServerInfo {
  const { include, exclude, timeoutMs, enabled } = config;
  const failure = catalog?.failure;
  return {
    server: name,
    kind: config.kind,
    address: config.shown,
    enabled: enabled !== false,
    secrets: config.secretNames,
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    authorization: access?.state ?? "none",
    state: stateOf(catalog),
    ...(catalog && { checkedAt: catalog.checkedAt }),
    ...(failure && { reason: failure }),
    tools: catalog?.listing?.tools.length ?? 0,
  };
}

function stateOf(catalog: McpEntry["catalog"]): McpServerInfo["state"] {
  if (!catalog) return "unknown";
  if (!catalog.failure) return "ready";
  return catalog.failure.code === "mcp_unauthorized" ? "unauthorized" : "unavailable";
}

function toTest(entry: McpEntry): McpServerTest {
  const listing = entry.catalog?.listing;
  const tools = listing?.tools ?? [];
  const names = toToolNames(
    entry.name,
    tools.map(({ name }) => name),
  );
  return {
    ...toInfo(entry),
    tools: tools.map(({ name, description, readOnly, findings }, at) => ({
      name: names[at]!,
      tool: name,
      description,
      effect: readOnly ? "read" : "unkeyed",
      ...(findings && { findings }),
    })),
    others: listing?.others ?? [],
    resources: listing?.resources ?? false,
    prompts: listing?.prompts ?? false,
  };
}
