// Asks an MCP server what it offers, within limits of time, for the profile's settings. Called by the routes, and by a session in the
// background. Never by a turn that waits for it.
import { err } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { McpCatalog } from "../schemas/profile/mcp.ts";
import { printOfConfig } from "./entries.ts";
import { CONNECT_MS } from "./pool.ts";
import type { McpDialer, McpEntry, McpFailure } from "./ports.ts";
import { readListing } from "./read-listing.ts";

/** A server that cannot be asked keeps what it offered before, with the reason. Never throws. */
export async function discover(
  { dialer, clock }: { dialer: McpDialer; clock: Clock },
  entry: McpEntry,
  signal: AbortSignal,
): Promise<McpCatalog> {
  const listing = await ask(dialer, entry, signal);
  const checkedAt = clock.now();
  const of = printOfConfig(entry.config);
  if (listing.ok) return { v: 1, of, checkedAt, listing: listing.value, failure: null };
  const { code, message } = listing.failure;
  return { v: 1, of, checkedAt, listing: entry.catalog?.listing ?? null, failure: { code, message } };
}

async function ask(dialer: McpDialer, entry: McpEntry, signal: AbortSignal) {
  const options = { timeoutMs: CONNECT_MS, signal };
  // Without what is known, so that a server that was replaced is found out.
  const opened = await dialer.open({ ...entry, catalog: null }, options);
  if (!opened.ok) return opened;
  const connection = opened.value;
  try {
    const listed = connection.offers.tools ? await connection.ask("tools/list", {}, options) : NO_TOOLS;
    if (!listed.ok) return listed;
    const listing = readListing(listed.value, connection, entry.config);
    return listing ? { ok: true as const, value: listing } : GARBLED;
  } finally {
    await connection.close();
  }
}

const NO_TOOLS = { ok: true as const, value: { tools: [] } };
const GARBLED: { ok: false; failure: McpFailure } = err("mcp_garbled", "The server's list of tools cannot be read.");

/** A catalog older than this is checked in the background, also if the server failed then. */
const FRESH_MS = 60 * 60_000;
const RETRY_MS = 5 * 60_000;

export function isDue({ config, catalog }: McpEntry, now: number): boolean {
  if (config.enabled === false) return false;
  if (!catalog) return true;
  return now - catalog.checkedAt >= (catalog.failure ? RETRY_MS : FRESH_MS);
}
