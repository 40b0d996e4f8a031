// The connections of one turn to MCP servers. Each is opened at the first call and closed when the turn ends. Before the first call of a
// tool the server's list is compared with the one that the model read, so that a tool whose definition has changed is never called.
// Used by the tools of this folder. Must not connect before a call needs it.
import { type Result, err, ok } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { JsonObject } from "../schemas/entry.ts";
import type { McpCatalog, McpServerName, McpTool } from "../schemas/profile/mcp.ts";
import type { McpConnection, McpDialer, McpEntry, McpFailure, McpMethod, StoreCatalog } from "./ports.ts";
import { printOfConfig } from "./entries.ts";
import { readListing, readPrints } from "./read-listing.ts";

/** To connect, and again to list the tools. */
export const CONNECT_MS = 10_000;
/** A server that could not be reached is not tried again for this long, so that it costs a turn one wait. */
const REST_MS = 30_000;

export interface McpPool {
  /** `tool`: the call is of this tool, as the model read of it. Failures: also `mcp_tool_changed`, `mcp_tool_gone`. */
  ask(
    entry: McpEntry,
    request: { method: McpMethod; params: JsonObject; timeoutMs: number; tool?: McpTool },
    signal: AbortSignal,
  ): Promise<Result<unknown, McpFailure>>;
  /** Closes all connections. Idempotent, never throws. */
  end(): Promise<void>;
}

interface Held {
  connection: Promise<Result<McpConnection, McpFailure>>;
  openedAt: number;
  failed: boolean;
  /** Under way. */
  calls: number;
  /** Fingerprints of the server's tools; `null` until they are needed, and after the server said that they changed. */
  prints: Promise<Result<Map<string, string>, McpFailure>> | null;
}

export function createMcpPool(deps: { dialer: McpDialer; clock: Clock; store: StoreCatalog }): McpPool {
  const { dialer, clock, store } = deps;
  const held = new Map<McpServerName, Held>();
  /** Ends what is being opened. Calls have their own signals. */
  let ending = new AbortController();

  function hold(entry: McpEntry): Held {
    const known = held.get(entry.name);
    if (known && !(known.failed && clock.now() - known.openedAt >= REST_MS)) return known;
    const fresh: Held = {
      openedAt: clock.now(),
      failed: false,
      calls: 0,
      prints: null,
      connection: dialer.open(entry, {
        timeoutMs: CONNECT_MS,
        signal: ending.signal,
        onListChanged: () => void (fresh.prints = null),
      }),
    };
    held.set(entry.name, fresh);
    void fresh.connection.then(({ ok: isOpen }) => void (fresh.failed = !isOpen));
    return fresh;
  }

  async function close({ connection }: Held): Promise<void> {
    const opened = await connection;
    if (opened.ok) await opened.value.close();
  }

  /** Call after each call. No further call uses a broken connection. Those under way may still be answered: the last one closes it. */
  async function release(name: McpServerName, from: Held, isBroken: boolean): Promise<void> {
    from.calls--;
    if (isBroken && held.get(name) === from) held.delete(name);
    if (held.get(name) !== from && from.calls === 0) await close(from);
  }

  /** Asks once for all calls that need it, so it has no signal of one call. */
  async function list(entry: McpEntry, from: Held): Promise<Result<Map<string, string>, McpFailure>> {
    const connection = await from.connection;
    if (!connection.ok) return connection;
    const options = { timeoutMs: CONNECT_MS, signal: ending.signal };
    const listed = await connection.value.ask("tools/list", {}, options);
    // Nothing was called yet.
    if (!listed.ok) return { ok: false, failure: { ...listed.failure, sent: undefined } as McpFailure };
    const prints = readPrints(listed.value);
    if (!prints) return err("mcp_garbled", "The server's list of tools cannot be read.");
    if (isOutdated(entry.catalog, prints)) {
      const listing = readListing(listed.value, connection.value, entry.config);
      const checkedAt = clock.now();
      if (listing)
        await store(entry.name, { v: 1, of: printOfConfig(entry.config), checkedAt, listing, failure: null });
    }
    return ok(prints);
  }

  async function verify(entry: McpEntry, from: Held, tool: McpTool): Promise<Result<null, McpFailure>> {
    from.prints ??= list(entry, from);
    const asked = from.prints;
    const prints = await asked;
    if (!prints.ok) {
      if (from.prints === asked) from.prints = null;
      return prints;
    }
    const print = prints.value.get(tool.name);
    if (print === undefined)
      return err("mcp_tool_gone", "The server does not offer this tool any more. It was not called.");
    if (print === tool.print) return ok(null);
    return err(
      "mcp_tool_changed",
      "The server has changed this tool since you read its definition, so it was not called. The new definition is shown from the next message on: tell the person.",
    );
  }

  return {
    async ask(entry, { method, params, timeoutMs, tool }, signal) {
      for (let attempt = 1; ; attempt++) {
        const from = hold(attempt === 1 ? entry : withoutDiscovery(entry));
        from.calls++;
        const connection = await from.connection;
        if (!connection.ok) return connection; // nothing is to be closed
        const verified = tool ? await verify(entry, from, tool) : ok(null);
        const answer = verified.ok ? await connection.value.ask(method, params, { timeoutMs, signal }) : verified;
        const isBroken = !answer.ok && BROKEN.has(answer.failure.code);
        await release(entry.name, from, isBroken);
        if (answer.ok || !isBroken) return answer;
        // The server was started again, or replaced by an older one: it knows nothing of this connection and did nothing.
        const wasRefused = entry.catalog?.listing?.discovered !== undefined && !verified.ok;
        if (attempt > 1 || !(answer.failure.code === "mcp_session_gone" || wasRefused)) return answer;
      }
    },
    async end() {
      ending.abort();
      ending = new AbortController();
      const all = [...held.values()];
      held.clear();
      await Promise.all(all.map(close));
    },
  };
}

/** After these the connection is not used again. */
const BROKEN = new Set(["mcp_lost", "mcp_session_gone", "mcp_unreachable", "mcp_timed_out", "mcp_answer_too_large"]);

/** What a server said of itself once may be wrong now. */
function withoutDiscovery(entry: McpEntry): McpEntry {
  const { catalog } = entry;
  if (!catalog?.listing) return entry;
  const { discovered: _, ...listing } = catalog.listing;
  return { ...entry, catalog: { ...catalog, listing } };
}

function isOutdated(catalog: McpCatalog | null, prints: Map<string, string>): boolean {
  const { tools = [], listed } = catalog?.listing ?? {};
  if (catalog?.failure || listed !== prints.size) return true;
  return tools.some((tool) => prints.get(tool.name) !== tool.print);
}
