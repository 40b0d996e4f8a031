// What a profile has set up of servers of the Model Context Protocol (MCP): the servers, what they offered when they were last asked,
// and permissions by OAuth. Kept by the Account as profile settings. Secrets are stored sealed (wiring/sealing.ts) only.
import * as z from "zod";
import { JsonObject } from "../entry.ts";
import { Sha256 } from "../ids.ts";

/** Part of a tool's name, so it has no `_`: `mcp_<server>_<tool>` then has one reading. */
export const McpServerName = z
  .string()
  .regex(
    /^[a-z](?:[a-z0-9-]{0,22}[a-z0-9])?$/,
    "must have 1 to 24 lower-case letters, digits or hyphens, a letter first",
  );
export type McpServerName = z.infer<typeof McpServerName>;

/** `sse`: the transport that streamable HTTP replaced. */
export const McpTransport = z.enum(["http", "sse", "stdio"]);
export type McpTransport = z.infer<typeof McpTransport>;

/** `*` stands for any characters, `?` for one. */
const Glob = z.string().min(1).max(100);
const HeaderName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "must be the name of an HTTP header");
const HeaderValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,8192}$/, "must be the value of an HTTP header");
const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "must be the name of an environment variable");
const few = (value: object) => Object.keys(value).length <= 20;

const Choice = {
  include: z.array(Glob).max(50).optional(),
  exclude: z.array(Glob).max(50).optional(),
  timeoutMs: z.int().min(1_000).max(600_000).optional(),
  enabled: z.boolean().optional(),
};

/** Body of `PUT /v1/mcp/servers/{server}`: the whole setting. What is left out is not kept from before. */
export const PutMcpServer = z
  .strictObject({
    url: z.string().min(1).max(2_000).optional().describe("Address of a remote server."),
    transport: z
      .enum(["http", "sse"])
      .optional()
      .describe("Absent: streamable HTTP is tried first, then the older SSE."),
    command: z
      .string()
      .min(1)
      .max(4_000)
      .optional()
      .describe("Instead of `url`: a bash command that the exec host runs; it speaks over standard input and output."),
    headers: z
      .record(HeaderName, HeaderValue)
      .refine(few, "must be at most 20")
      .optional()
      .describe("Sent with every request to the server. Stored sealed, never shown."),
    env: z
      .record(VariableName, z.string().max(8_192))
      .refine(few, "must be at most 20")
      .optional()
      .describe("Environment variables of `command`. Stored sealed, never shown."),
    include: Choice.include.describe("Tools to offer, with `*` and `?`. Absent: all. Wins over `exclude`."),
    exclude: Choice.exclude.describe("Tools not to offer, with `*` and `?`."),
    timeoutMs: Choice.timeoutMs.describe("Of one call. Default: 60,000."),
    enabled: Choice.enabled.describe("False: the server is kept and not used. Default: true."),
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), "must have either `url` or `command`")
  .refine(({ command, headers, transport }) => command === undefined || (!headers && !transport), {
    error: "`headers` and `transport` belong to a `url`",
  })
  .refine(({ url, env }) => url === undefined || !env, { error: "`env` belongs to a `command`" });
export type PutMcpServer = z.infer<typeof PutMcpServer>;

/** Body of `PATCH /v1/mcp/servers/{server}`: address and secrets stay. `null` takes a choice back. */
export const ChangeMcpServer = z.strictObject({
  include: Choice.include.unwrap().nullable().optional().describe("As in `PUT`; `null`: all."),
  exclude: Choice.exclude.unwrap().nullable().optional().describe("As in `PUT`; `null`: none."),
  timeoutMs: Choice.timeoutMs.unwrap().nullable().optional().describe("As in `PUT`; `null`: the default."),
  enabled: Choice.enabled,
});
export type ChangeMcpServer = z.infer<typeof ChangeMcpServer>;

/** What is sealed of a server. */
export const McpSecret = z.union([
  z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) }),
  z.strictObject({ command: z.string(), env: z.record(z.string(), z.string()) }),
]);
export type McpSecret = z.infer<typeof McpSecret>;

/** Section `mcp` of the profile settings, by server name. */
export const McpServer = z.strictObject({
  v: z.literal(1),
  kind: z.enum(["remote", "local"]),
  /** The address's origin, or the command's first word: the rest may hold a secret. */
  shown: z.string(),
  /** Names the whole address or command. */
  target: z.string(),
  transport: z.enum(["http", "sse"]).optional(),
  /** An `McpSecret` as JSON. */
  sealed: z.string(),
  /** Names of the headers or variables. */
  secretNames: z.array(z.string()),
  ...Choice,
});
export type McpServer = z.infer<typeof McpServer>;

/** One tool as its server described it, made safe to show: see core/mcp/read-listing.ts. */
export const McpTool = z.strictObject({
  /** The server's own name of it. */
  name: z.string(),
  description: z.string(),
  /** JSON Schema of the arguments. */
  schema: JsonObject,
  /** The server says that it changes nothing. */
  readOnly: z.boolean(),
  /** Fingerprint of all that the server said of the tool. */
  print: Sha256,
  /** Patterns that the scanner found. The texts are then withheld. */
  findings: z.array(z.string()).optional(),
});
export type McpTool = z.infer<typeof McpTool>;

export const McpListing = z.strictObject({
  transport: McpTransport,
  /** What the server said of itself at a connection without a session, which saves asking it again. Absent: it needs a session. */
  discovered: JsonObject.optional(),
  /** Those that the profile wants and that can be shown. */
  tools: z.array(McpTool),
  /** The server's names of others, as many as fit. */
  others: z.array(z.string()),
  /** How many tools the server named. */
  listed: z.int(),
  resources: z.boolean(),
  prompts: z.boolean(),
});
export type McpListing = z.infer<typeof McpListing>;

/** Section `mcpCatalogs` of the profile settings, by server name: what the server offered when it was last asked. */
export const McpCatalog = z.strictObject({
  v: z.literal(1),
  /** Fingerprint of the setting that was used. A catalog of another setting is ignored. */
  of: z.string(),
  checkedAt: z.int(),
  /** `null`: it has never answered. */
  listing: McpListing.nullable(),
  /** Why it could not be asked last time. `null`: it could. */
  failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type McpCatalog = z.infer<typeof McpCatalog>;

/** Section `mcpAccess` of the profile settings, by server name: a permission by OAuth, or one that a person is asked for. */
export const McpAccess = z.strictObject({
  v: z.literal(1),
  /** `McpServer.target`. Access to another address is ignored. */
  of: z.string(),
  state: z.enum(["asked", "granted"]),
  at: z.int(),
  /** What the OAuth client must remember, as JSON: wiring/mcp/oauth.ts. */
  sealed: z.string(),
});
export type McpAccess = z.infer<typeof McpAccess>;

/** A server, for the profile's owner: no address in full, no header, no token. */
export const McpServerInfo = z.strictObject({
  server: McpServerName,
  kind: McpServer.shape.kind,
  address: z.string().describe("Its origin, or the first word of a command: the rest may hold a secret."),
  enabled: z.boolean(),
  secrets: z.array(z.string()).describe("Names of the headers or variables that are stored."),
  include: z.array(z.string()).optional(),
  exclude: z.array(z.string()).optional(),
  timeoutMs: z.int().optional(),
  authorization: z.enum(["none", "asked", "granted"]).describe("Access by OAuth."),
  state: z.enum(["unknown", "ready", "unavailable", "unauthorized"]),
  checkedAt: z.int().optional().describe("When it was last asked."),
  reason: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  tools: z.int().describe("How many of its tools are offered."),
});
export type McpServerInfo = z.infer<typeof McpServerInfo>;
export const McpServerList = z.strictObject({ servers: z.array(McpServerInfo), next: z.string().optional() });

/** What a server offers, as it was just asked. */
export const McpServerTest = McpServerInfo.extend({
  tools: z.array(
    z.strictObject({
      name: z.string().describe("As the agent calls it."),
      tool: z.string().describe("As the server calls it."),
      description: z.string(),
      effect: z.enum(["read", "unkeyed"]),
      findings: z.array(z.string()).optional().describe("Why the server's words are withheld from the agent."),
    }),
  ),
  others: z.array(z.string()).describe("Tools that are not offered: left out by the setting, or impossible to show."),
  resources: z.boolean(),
  prompts: z.boolean(),
});
export type McpServerTest = z.infer<typeof McpServerTest>;

/** Where the owner gives access, in a browser. */
export const McpAuthorization = z.strictObject({ open: z.url(), expiresAt: z.int() });
