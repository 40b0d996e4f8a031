// An MCP server in memory behind the McpDialer port, and the Account's settings that name it. For tests of sessions and of core/mcp.
import { err, ok } from "../../../core/errors.ts";
import { printOfConfig } from "../../../core/mcp/entries.ts";
import type { McpConnection, McpDialer } from "../../../core/mcp/ports.ts";
import { readListing } from "../../../core/mcp/read-listing.ts";
import type { McpCatalog } from "../../../core/schemas/profile/mcp.ts";
import { type ProfileSettings, noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { toRemote } from "./everything.ts";

export interface FakeServer {
  tools: object[];
  /** `hangs`: nothing is ever answered. */
  state: "up" | "down" | "hangs";
  answer(name: string, args: object): unknown;
  /** Methods that were asked. */
  asked: string[];
  opened: number;
  closed: number;
  /** Says that its tools have changed. */
  notify(): void;
}

/** `now`: when a catalog counts as checked. */
export function createFakeServer(tools: object[], now: () => number) {
  const server: FakeServer = {
    tools,
    state: "up",
    answer: (name) => ({ content: [{ type: "text", text: `${name} says yes` }] }),
    ...{ asked: [], opened: 0, closed: 0 },
    notify: () => undefined,
  };
  const facts = {
    transport: "http" as const,
    discovered: undefined,
    offers: { tools: true, resources: false, prompts: false },
  };
  const dialer: McpDialer = {
    async open(_, { onListChanged, signal }) {
      server.opened++;
      if (server.state === "down") return err("mcp_unreachable", "The server cannot be reached.");
      if (server.state === "hangs") await new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (onListChanged) server.notify = onListChanged;
      const connection: McpConnection = {
        ...facts,
        async ask(method, params) {
          server.asked.push(method);
          if (method === "tools/list") return ok({ tools: server.tools });
          return ok(await server.answer(String(params.name), params.arguments as object));
        },
        async close() {
          server.closed++;
        },
      };
      return ok(connection);
    },
  };
  const config = toRemote("https://mcp.example/mcp");
  const settings: ProfileSettings = noProfileSettings();
  const setCatalog = (catalog: McpCatalog) => {
    settings.rev++;
    settings.sections.mcpCatalogs.fake = catalog;
  };
  return {
    server,
    dialer,
    config,
    settings,
    /** As `PUT` and the discovery after it leave the settings. */
    set({ failure = null }: Pick<Partial<McpCatalog>, "failure"> = {}) {
      settings.rev++;
      settings.sections.mcp.fake = config;
      const listing = failure ? null : readListing({ tools: server.tools }, facts, config);
      setCatalog({ v: 1, of: printOfConfig(config), checkedAt: now(), listing, failure });
    },
    port: {
      dialer,
      async storeCatalog(_: string, catalog: McpCatalog) {
        setCatalog(catalog);
      },
    },
  };
}
