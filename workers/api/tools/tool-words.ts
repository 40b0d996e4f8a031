// Checks the names of tools and toolsets in settings: a mistyped one would take nothing away, and nobody would notice.
import { PROVIDER_TOOLS } from "../../../core/memory/providers/tools.ts";
import { isNear } from "../../../core/near.ts";
import type { ToolSettings } from "../../../core/schemas/profile/tools.ts";
import { TOOL_WORDS } from "../../../core/tools/toolsets.ts";
import { AppError } from "../problems.ts";

/** Names of an MCP server's tools are not checked: the server may be set later. */
const FOREIGN = /^mcp[-_]/;

const KNOWN = [...TOOL_WORDS, ...PROVIDER_TOOLS];

/** Throws `tool_unknown`. */
export function assertToolWords({ only, disabled }: ToolSettings): void {
  const unknown = [...(only ?? []), ...(disabled ?? [])].find((word) => !FOREIGN.test(word) && !KNOWN.includes(word));
  if (unknown === undefined) return;
  const near = KNOWN.find((word) => isNear(word, unknown));
  const hint = near ? `Did you mean \`${near}\`?` : "GET /v1/tools names them.";
  throw new AppError("tool_unknown", `There is no tool or toolset \`${unknown}\`. ${hint}`);
}
