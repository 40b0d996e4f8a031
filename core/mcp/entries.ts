// A profile's MCP servers, read from its settings. Used by sessions and by the routes. Pure.
import type { ProfileSections } from "../schemas/profile/settings.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { McpServer } from "../schemas/profile/mcp.ts";
import type { McpEntry } from "./ports.ts";

/** Sorted by name. What belongs to an earlier setting of the same name is left out. */
export function readEntries({ mcp, mcpCatalogs, mcpAccess }: ProfileSections): McpEntry[] {
  return Object.keys(mcp)
    .sort()
    .map((name) => {
      const config = mcp[name]!;
      const catalog = mcpCatalogs[name];
      const access = mcpAccess[name];
      return {
        name,
        config,
        catalog: catalog?.of === printOfConfig(config) ? catalog : null,
        access: access?.of === config.target ? access : null,
      };
    });
}

/** Names one setting. Each put seals again, so it differs after each. */
export function printOfConfig({ sealed }: Pick<McpServer, "sealed">): string {
  return sha256Hex(sealed).slice(0, 16);
}
