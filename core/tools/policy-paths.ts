// The spellings of a file's path that a policy may name: `data/a.csv`, `./data/a.csv`, `/work/data/a.csv` and `/data/a.csv` are one
// file of the workspace. Called by policies.ts for tools of files. Pure: links are not followed.
import { parsePatch } from "../patch/patch-text.ts";
import { WORKSPACE_ROOT, climbsOut, isUnder, normalizePath } from "../workspace/workspace-path.ts";

/** Without `.`, `..` and doubled slashes, relative or absolute as it was written. `null`: it leads out of what it is relative to. */
export function cleanPath(path: string): string | null {
  if (path.startsWith("/")) return normalizePath(path);
  return climbsOut(path) ? null : normalizePath(path).slice(1);
}

/** As it is written, and clean: relative, from the mount, and from the root. */
export function spellPath(path: string): string[] {
  const clean = cleanPath(path);
  if (clean === null) return [path];
  const isAbsolute = clean.startsWith("/");
  if (isAbsolute && !isUnder(clean, WORKSPACE_ROOT)) return [path, clean];
  const inside = isAbsolute ? clean.slice(WORKSPACE_ROOT.length) || "/" : `/${clean}`;
  return [path, inside.slice(1), inside, normalizePath(`${WORKSPACE_ROOT}${inside}`)];
}

/** Of all files that a patch names; none of a text that is no patch, which the tool refuses. */
export function pathsOfPatch(text: string): string[] {
  const parsed = parsePatch(text);
  if (!parsed.ok) return [];
  return parsed.value.flatMap((section) => [
    section.path,
    ...("moveTo" in section && section.moveTo !== undefined ? [section.moveTo] : []),
  ]);
}
