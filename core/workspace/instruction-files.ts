// Decides which files of a workspace are instruction files: files that the prompt takes in as the owner's words. The
// file tree keeps the agent from writing them, core/session/prompt/context-files.ts reads them. Pure. Paths are in
// their stored form: `/AGENTS.md`.
import type { FileLookup } from "./file-lookup.ts";
import { FileError, PROTECTED } from "./file-node.ts";
import { isUnder, joinPath } from "./workspace-path.ts";

export const SOUL = "/soul.md";

/**
 * Project files by type. Only the first type that exists is read. Lower case, because all comparisons here ignore case.
 */
export const PROJECT_TYPES: readonly (readonly string[])[] = [
  ["/.talaria.md", "/talaria.md"],
  ["/.hermes.md", "/hermes.md"],
  ["/agents.md"],
  ["/claude.md"],
  ["/.cursorrules", "/.cursor/rules/*.mdc"],
];

const NAMES = new Set([SOUL, ...PROJECT_TYPES.flat()]);
const CURSOR_RULES = "/.cursor/rules";

/**
 * Instruction files lie in the workspace's root, except Cursor's rules. Case is ignored: on many disks the spellings
 * are one file.
 */
export function isInstructionFile(path: string): boolean {
  return NAMES.has(toTypePattern(path));
}

/** The entry of `PROJECT_TYPES` that a path belongs to, or `SOUL`; any other path in lower case. */
export function toTypePattern(path: string): string {
  const lower = path.toLowerCase();
  const isRule =
    isUnder(lower, CURSOR_RULES) && lower.lastIndexOf("/") === CURSOR_RULES.length && lower.endsWith(".mdc");
  return isRule ? `${CURSOR_RULES}/*.mdc` : lower;
}

/** Whether a folder may contain instruction files, so that moving or removing it must check what is inside. */
export function mayHoldInstructions(path: string): boolean {
  return isUnder(CURSOR_RULES, path.toLowerCase());
}

/** Throws `EPERM` for an instruction file. `path`: as the caller wrote it. */
export function rejectInstructionFile(resolved: string, path: string): void {
  if (!isInstructionFile(resolved)) return;
  throw new FileError("EPERM", PROTECTED, path);
}

/** Throws if `to`, or any node of `from` once it lies in `to`, is an instruction file. */
export function rejectInstructionFilesIn(lookup: FileLookup, from: string, to: string, path: string): void {
  rejectInstructionFile(to, path);
  if (!mayHoldInstructions(to)) return;
  for (const { parent, name } of lookup.below(from)) {
    rejectInstructionFile(to + joinPath(parent, name).slice(from.length), path);
  }
}
