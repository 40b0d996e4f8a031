// The spellings of a file's path that a policy may name: `data/a.csv`, `./data/a.csv`, `/work/data/a.csv` and `/data/a.csv` are one
// file of the workspace. Called by policies.ts for tools of files. Pure: links are not followed.
import { parsePatch } from "../patch/patch-text.ts";

/** Where the workspace is mounted. */
const MOUNT = "/work";

/** Without `.`, `..` and doubled slashes, relative or absolute as it was written. `null`: it leads out of what it is relative to. */
export function cleanPath(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part !== ".." && part !== "." && part !== "") parts.push(part);
    if (part === ".." && parts.pop() === undefined && !path.startsWith("/")) return null;
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}

/** As it is written, and clean: relative, from the mount, and from the root. */
export function spellPath(path: string): string[] {
  const clean = cleanPath(path);
  if (clean === null) return [path];
  if (!clean.startsWith("/")) return [path, clean, `/${clean}`, `${MOUNT}/${clean}`];
  return clean.startsWith(`${MOUNT}/`)
    ? [path, clean, clean.slice(MOUNT.length), clean.slice(MOUNT.length + 1)]
    : [path, clean];
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
