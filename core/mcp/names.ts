// Names of MCP tools as a model sees them, and which tools of a server a profile wants. Used by server-tools.ts, resource-tools.ts and
// the routes. Pure: the same listing gives the same names.
import { matchesGlob } from "../glob.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { McpServer } from "../schemas/profile/mcp.ts";

/** Of OpenAI's functions. */
const MAX_NAME_CHARS = 64;
const HASH_CHARS = 6;

/**
 * `mcp_<server>_<tool>` for each of these names of a server, in their order. Characters that no provider accepts become `_`. Names that
 * are too long or would be equal end in six digits of their hash.
 */
export function toToolNames(server: string, names: readonly string[]): string[] {
  const plain = names.map((name) => `mcp_${server}_${name.replace(/[^A-Za-z0-9_-]/g, "_")}`);
  const count = new Map<string, number>();
  for (const name of plain) count.set(name, (count.get(name) ?? 0) + 1);
  return plain.map((name, at) => {
    if (name.length <= MAX_NAME_CHARS && count.get(name) === 1) return name;
    const hash = sha256Hex(names[at]!).slice(0, HASH_CHARS);
    return `${name.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
  });
}

/** Whether the profile wants a tool: with `include` only those that it names, else all that `exclude` does not name. */
export function isWanted({ include, exclude }: Pick<McpServer, "include" | "exclude">, tool: string): boolean {
  if (include) return include.some((glob) => matchesGlob(glob, tool));
  return !exclude?.some((glob) => matchesGlob(glob, tool));
}
