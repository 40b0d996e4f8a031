// A session's side of the profile's MCP servers: their tools for a turn, what the prompt says of those that do not answer, and asking them
// again in the background. A turn never waits for a server until it calls one. Called by session-tools.ts and prepare-turn.ts.
import type { Tool } from "../../agent/contract.ts";
import { discover, isDue } from "../../mcp/discover.ts";
import { readEntries } from "../../mcp/entries.ts";
import { createMcpTools } from "../../mcp/mcp-tools.ts";
import { createMcpPool } from "../../mcp/pool.ts";
import type { McpEntry } from "../../mcp/ports.ts";
import type { McpCatalog } from "../../schemas/profile/mcp.ts";
import type { EngineContext } from "../context.ts";
import { markProfileSettingsOutdated, profileSettings } from "./profile-settings.ts";

/** Empty where the profile has none, and where they cannot be reached. */
export function readMcpEntries(context: EngineContext): McpEntry[] {
  return context.host.mcp ? readEntries(profileSettings(context).sections) : [];
}

/** `taken`: names of the session's other tools. */
export function createTurnMcpTools(context: EngineContext, taken: readonly Tool[]): Tool[] {
  const entries = readMcpEntries(context);
  const { mcp, clock } = context.host;
  if (!mcp || entries.length === 0) return [];
  const pool = createMcpPool({
    dialer: mcp.dialer,
    clock,
    store: (server, catalog) => store(context, server, catalog),
  });
  return createMcpTools(entries, pool, new Set(taken.map(({ name }) => name)));
}

/** When this object last asked each server, whatever came of it. */
const asked = new WeakMap<EngineContext, Map<string, number>>();

/** Asks servers again whose answer is old, without waiting for them. What has changed is used from the next turn on. */
export function renewCatalogs(context: EngineContext): void {
  const { mcp, clock, background, report, replay } = context.host;
  if (replay) return;
  const now = clock.now();
  const times = asked.get(context) ?? new Map<string, number>();
  asked.set(context, times);
  const due = readMcpEntries(context).filter((entry) => {
    const checkedAt = times.get(entry.name);
    const known = entry.catalog && checkedAt !== undefined ? { ...entry.catalog, checkedAt } : entry.catalog;
    return isDue({ ...entry, catalog: known }, now);
  });
  if (!mcp || due.length === 0) return;
  for (const { name } of due) times.set(name, now);
  const signal = new AbortController().signal;
  const all = due.map(async (entry) => {
    const catalog = await discover({ dialer: mcp.dialer, clock }, entry, signal);
    if (!isSame(catalog, entry.catalog)) await store(context, entry.name, catalog);
  });
  background(
    Promise.all(all).then(
      () => undefined,
      (error: unknown) => report("mcp", error),
    ),
  );
}

async function store(context: EngineContext, server: string, catalog: McpCatalog): Promise<void> {
  try {
    await context.host.mcp?.storeCatalog(server, catalog);
    markProfileSettingsOutdated(context);
  } catch (error) {
    context.host.report("mcp catalog", error); // it is asked for again
  }
}

function isSame(fresh: McpCatalog, known: McpCatalog | null): boolean {
  const facts = (catalog: McpCatalog | null) =>
    JSON.stringify([catalog?.listing ?? null, catalog?.failure?.code ?? null]);
  return known !== null && facts(fresh) === facts(known);
}
