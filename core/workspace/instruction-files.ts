// Which files of a workspace speak to the agent with its owner's voice: the ones a prompt takes in. The file tree keeps
// the agent from writing them, core/session/prompt/context-files.ts reads them. Pure. Paths are as they are stored: `/AGENTS.md`.
import { isUnder } from "./workspace-path.ts";

export const SOUL = "/soul.md";

/** Project files by type: of these only the first that is there is read. In lower case, as all comparisons here are. */
export const PROJECT_TYPES: readonly (readonly string[])[] = [
  ["/.talaria.md", "/talaria.md"],
  ["/.hermes.md", "/hermes.md"],
  ["/agents.md"],
  ["/claude.md"],
  ["/.cursorrules", "/.cursor/rules/*.mdc"],
];

const NAMES = new Set([SOUL, ...PROJECT_TYPES.flat()]);
const CURSOR_RULES = "/.cursor/rules";

/** Only at the workspace's root, and in any case: what is spelled otherwise here is the same file on many disks. */
export function isInstructionFile(path: string): boolean {
  return NAMES.has(formOf(path));
}

/** The entry of `PROJECT_TYPES` a path belongs to, or `SOUL`. */
export function formOf(path: string): string {
  const lower = path.toLowerCase();
  const isRule =
    isUnder(lower, CURSOR_RULES) && lower.lastIndexOf("/") === CURSOR_RULES.length && lower.endsWith(".mdc");
  return isRule ? `${CURSOR_RULES}/*.mdc` : lower;
}

/** A folder that may hold instruction files: what is moved there or away, or removed, has to be looked at inside. */
export function mayHoldInstructions(path: string): boolean {
  return isUnder(CURSOR_RULES, path.toLowerCase());
}
