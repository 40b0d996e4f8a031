// One connection to an MCP server, over the official client package: streamable HTTP, the older SSE, or standard input and output of a
// command on the exec host. Loaded by dialer.ts with the first connection. What the package throws never leaves this folder: it may hold
// an address, or words of the server.
import { Client, type Transport, type jsonSchemaValidator } from "@modelcontextprotocol/client";
import { type Result, err, ok } from "../../core/errors.ts";
import type { McpConnection, McpDialer, McpEntry, McpFailure, McpMethod } from "../../core/mcp/ports.ts";
import type { JsonObject } from "../../core/schemas/entry.ts";
import { byteLength } from "../../core/schemas/learning/digest.ts";
import type { McpSecret, McpTransport } from "../../core/schemas/profile/mcp.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { type McpDialerDeps, MAX_REPLY_BYTES } from "./dialer.ts";
import { isWrongTransport, toFailure } from "./failures.ts";
import { guardMessages } from "./guard-messages.ts";
import { hushTokenErrors } from "./hush-token-errors.ts";
import { createListLimit } from "./list-limit.ts";
import { createSessionProvider } from "./oauth.ts";
import { createStdioTransport } from "./stdio-transport.ts";
import { LostAnswers, createHttpTransport, createSseTransport } from "./transports.ts";

/** Pages of a list. */
const MAX_PAGES = 20;
/** Results are shown as they are, whatever form the server promised: the model reads them as content. */
const ANY_RESULT: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};
/** [own] It is stored with what the server offers. */
const MAX_DISCOVERED_BYTES = 8_000;
const CLIENT = { name: "talaria", version: "1.0.0" };

type OpenOptions = Parameters<McpDialer["open"]>[1];
type Opened = Result<McpConnection, McpFailure>;

export async function openConnection(
  deps: McpDialerDeps,
  entry: McpEntry,
  secret: McpSecret,
  options: OpenOptions,
): Promise<Opened> {
  const { exec } = deps;
  if ("command" in secret) {
    if (!exec) return err("mcp_not_supported", "A local server needs an exec host, and this profile has none.");
    const transport = guardMessages(createStdioTransport(exec, secret, deps.token()));
    return connect(entry, { kind: "stdio", transport, beforeList: () => undefined }, options);
  }
  const url = URL.parse(secret.url);
  if (!url) return err("url_refused", "The server's address is not a valid URL.");
  const plain = withHeaders(deps.outbound.limitedFetch(MAX_REPLY_BYTES), url.origin, secret.headers);
  const { fetch, reset } = createListLimit(hushTokenErrors(plain), MAX_REPLY_BYTES);
  const authProvider = entry.access?.state === "granted" ? createSessionProvider(deps, entry) : undefined;
  const make = (kind: "http" | "sse"): Link => {
    const create = kind === "http" ? createHttpTransport : createSseTransport;
    const transport = guardMessages<Transport>(create(url, { fetch, ...(authProvider && { authProvider }) }));
    return { kind, transport, beforeList: reset };
  };
  const known = entry.config.transport ?? entry.catalog?.listing?.transport;
  const first = known === "sse" ? "sse" : "http";
  const opened = await connect(entry, make(first), options);
  if (opened.ok || known || !isWrongTransport(opened.failure)) return opened;
  return connect(entry, make("sse"), options);
}

/** The profile's headers go to the server's origin only: the package sends others to OAuth servers too. */
function withHeaders(fetch: typeof globalThis.fetch, origin: string, headers: Record<string, string>) {
  return (url: string | URL, init: RequestInit = {}) => {
    const sent = new Headers(init.headers);
    if (new URL(url).origin === origin) {
      for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
    }
    return fetch(url, { ...init, headers: sent });
  };
}

interface Link {
  kind: McpTransport;
  transport: Transport;
  beforeList(): void;
}

async function connect(
  entry: McpEntry,
  link: Link,
  { timeoutMs, signal, onListChanged }: OpenOptions,
): Promise<Opened> {
  const client = new Client(CLIENT, {
    capabilities: {},
    versionNegotiation: { mode: "auto" },
    listMaxPages: MAX_PAGES,
    jsonSchemaValidator: ANY_RESULT,
    ...(onListChanged && {
      listChanged: { tools: { autoRefresh: false, onChanged: () => onListChanged() } },
    }),
  });
  client.onerror = () => undefined; // what fails is reported by the call that it fails
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const discovered = entry.catalog?.listing?.discovered;
  try {
    await unlessAborted(
      client.connect(link.transport, {
        timeout: timeoutMs,
        signal: limit,
        ...(discovered && { prior: { kind: "modern" as const, discover: discovered as never } }),
      }),
      limit,
    );
  } catch (error) {
    void client.close().catch(() => undefined); // it may not be open
    if (discovered && !signal.aborted) {
      // The server may have been replaced by one that needs a session.
      return connect({ ...entry, catalog: null }, link, {
        timeoutMs,
        signal,
        ...(onListChanged && { onListChanged }),
      });
    }
    return { ok: false, failure: toFailure(error, { isConnecting: true, signal }) };
  }
  return ok(toConnection(client, link));
}

function toConnection(client: Client, { kind: transport, beforeList }: Link): McpConnection {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  let closed: Promise<void> | null = null;
  return {
    transport,
    discovered: toKept(client.getDiscoverResult() as JsonObject | undefined),
    offers: { tools: tools !== undefined, resources: resources !== undefined, prompts: prompts !== undefined },
    async ask(method, params, { timeoutMs, signal }) {
      if (signal.aborted) return err("aborted", "The request was called off before it was sent.");
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      if (method.endsWith("/list")) beforeList();
      try {
        const options = { timeout: timeoutMs, signal: limit };
        return ok(await unlessAborted(request(client, method, params, options), limit));
      } catch (error) {
        return { ok: false, failure: toFailure(error, { isConnecting: false, signal }) };
      }
    },
    close: () => (closed ??= close(client)),
  };
}

/** What is stored of it. Its instructions are for no one here. One that is too large is asked for at each connection. */
function toKept(discovered: JsonObject | undefined): JsonObject | undefined {
  if (!discovered) return undefined;
  const { instructions: _, ...kept } = discovered;
  return byteLength(JSON.stringify(kept)) <= MAX_DISCOVERED_BYTES ? kept : undefined;
}

function request(
  client: Client,
  method: McpMethod,
  params: JsonObject,
  options: { timeout: number; signal: AbortSignal },
): Promise<unknown> {
  // Asked again, and remembered: calls over the newest protocol send headers that the list declares.
  const fresh = { ...options, cacheMode: "refresh" as const };
  if (method === "tools/call") return client.callTool(params as never, options);
  if (method === "tools/list") return client.listTools(undefined, fresh);
  if (method === "resources/list") return client.listResources(undefined, fresh);
  if (method === "resources/read") return client.readResource(params as never, fresh);
  if (method === "prompts/list") return client.listPrompts(undefined, fresh);
  return client.getPrompt(params as never, options);
}

const CLOSE_MS = 2_000;

/** Tells the server that the session is over, which it may not hear. */
async function close(client: Client): Promise<void> {
  const { transport } = client;
  const terminated = transport instanceof LostAnswers ? transport.terminate() : Promise.resolve();
  await Promise.race([terminated.catch(() => undefined), systemClock.sleep(CLOSE_MS)]);
  await client.close().catch(() => undefined); // it is gone already
}

/** The package may wait for a server that never answers, whatever its options say. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) onAbort();
  });
}
