// Checks the names of tools and toolsets in settings: a mistyped one would take nothing away, and nobody would notice. Called where
// settings are taken from a person: workers/api and the Channels object. Pure.
import { PROVIDER_TOOLS } from "../memory/providers/tools.ts";
import { isNear } from "../near.ts";
import type { ToolSettings } from "../schemas/profile/tools.ts";
import { TOOL_WORDS } from "./toolsets.ts";

/** Names of an MCP server's tools are not checked: the server may be set later. */
const FOREIGN = /^mcp[-_]/;

const KNOWN = [...TOOL_WORDS, ...PROVIDER_TOOLS];

/** What is wrong, in two sentences. `null`: every name is one of a tool or a toolset. */
export function describeUnknownTool({ only, disabled }: ToolSettings): string | null {
  const unknown = [...(only ?? []), ...(disabled ?? [])].find((word) => !FOREIGN.test(word) && !KNOWN.includes(word));
  if (unknown === undefined) return null;
  const near = KNOWN.find((word) => isNear(word, unknown));
  const hint = near ? `Did you mean \`${near}\`?` : "GET /v1/tools names them.";
  return `There is no tool or toolset \`${unknown}\`. ${hint}`;
}
