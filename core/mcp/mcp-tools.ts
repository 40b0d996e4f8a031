// All tools of a profile's MCP servers, for one turn. Called when a turn's tools are made. The same settings give the same definitions in
// the same order, so that the cached prefix stays. Makes no request: connections open at the first call.
import type { Tool } from "../agent/contract.ts";
import type { McpPool } from "./pool.ts";
import type { McpEntry } from "./ports.ts";
import { toResourceTools } from "./resource-tools.ts";
import { toServerTools } from "./server-tools.ts";

/** Sorted by name. `taken`: names of other tools, which are never replaced. */
export function createMcpTools(entries: readonly McpEntry[], pool: McpPool, taken: ReadonlySet<string>): Tool[] {
  const tools = new Map<string, Tool>();
  for (const entry of entries) {
    if (entry.config.enabled === false) continue;
    const toolset = `mcp-${entry.name}`;
    const own = toServerTools(entry, pool);
    for (const tool of [...own, ...toResourceTools(entry, pool)]) {
      if (!taken.has(tool.name) && !tools.has(tool.name)) tools.set(tool.name, { ...tool, toolset });
    }
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function isMcpTool({ name }: Pick<Tool, "name">): boolean {
  return name.startsWith("mcp_");
}

/** What the prompt says of servers that could not be asked; `""` if all could. */
export function describeUnavailable(entries: readonly McpEntry[]): string {
  const lines = entries.flatMap(({ name, config, catalog }) => {
    if (config.enabled === false || (catalog && !catalog.failure)) return [];
    const why =
      catalog?.failure?.code === "mcp_unauthorized" ? "the person must give access again" : "it does not answer";
    return [`- ${name}: ${catalog ? why : "it has not answered yet"}`];
  });
  return lines.length === 0
    ? ""
    : `These MCP servers did not answer when this prompt was made. Their tools may fail or be missing:\n${lines.join("\n")}`;
}
