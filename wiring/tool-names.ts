// The tools that a new chat of a profile would get from this deployment, by the same openings as the Session's. Called by the listing
// of tools, which has no session to ask.
import type { Tool } from "../core/agent/contract.ts";
import { readEntries } from "../core/mcp/entries.ts";
import { createMcpTools } from "../core/mcp/mcp-tools.ts";
import type { McpPool } from "../core/mcp/pool.ts";
import type { ProviderEnv } from "../core/memory/provider-env.ts";
import { createCircuit } from "../core/memory/provider-guard.ts";
import { openProvider } from "../core/memory/providers/index.ts";
import type { Tenant } from "../core/memory/providers/tenant.ts";
import type { ModelEnv } from "../core/models/model-env.ts";
import type { Outbound } from "../core/outbound/outbound.ts";
import type { ProfileSections } from "../core/schemas/profile/settings.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { findEyes } from "../core/session/images/ask-eyes.ts";
import { type SearchEnv, openSearch } from "../core/tools/web/search/search-env.ts";
import { TOOLSETS } from "../core/tools/toolsets.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { openImageMaker } from "./images.ts";
import { openModels } from "./models.ts";
import type { BrowserBinding } from "./web.ts";

export interface ToolEnv extends ModelEnv, ProviderEnv, SearchEnv, BrowserBinding {}

export function listDeploymentTools(
  env: ToolEnv,
  settings: Settings,
  { outbound, sections, tenant }: { outbound: Outbound; sections: ProfileSections; tenant: Tenant },
): Pick<Tool, "name" | "toolset">[] {
  const search = openSearch(env, settings.web);
  const lacks = new Set<string>([
    // Only on an exec host, which a session chooses for itself.
    "process",
    ...(search.ok && search.value ? [] : ["web_search"]),
    ...(env.BROWSER ? [] : TOOLSETS.browser),
    ...(findEyes((slot) => openModels(env, settings, slot, outbound)) ? [] : ["vision_analyze"]),
    ...(openImageMaker(env, settings, outbound) ? [] : ["image_generate"]),
  ]);
  const deps = { clock: systemClock, circuit: createCircuit(systemClock), fetch: outbound.fetch };
  const memory = openProvider(env, tenant, deps);
  const provided = memory.ok ? (memory.value?.tools() ?? []) : [];
  const names = Object.values(TOOLSETS)
    .flat()
    .filter((name) => !lacks.has(name));
  const taken = new Set<string>([...names, ...provided.map(({ name }) => name)]);
  return [...names.map((name) => ({ name })), ...provided, ...createMcpTools(readEntries(sections), NO_CALLS, taken)];
}

/** For tools that are only listed. */
const NO_CALLS: McpPool = {
  ask: () => Promise.reject(new Error("a listing calls no tool")),
  end: async () => {},
};
