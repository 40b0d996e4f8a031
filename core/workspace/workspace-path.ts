// Converts between the two forms of a workspace path: what a person or a model writes, and the stored absolute form.
// Used by workspace.ts and file-tree.ts. Pure.
import { type Result, err, ok } from "../errors.ts";

/** Where the shell mounts the workspace. */
export const WORKSPACE_ROOT = "/work";
export const MAX_PATH_BYTES = 1_024;

/**
 * Reads `data/a.csv`, `./data/a.csv` or `/work/data/a.csv` into the stored form `/data/a.csv`. The workspace itself is
 * `/`. Failure: `bad_path`.
 */
export function parseWorkspacePath(path: string): Result<string> {
  if (path.trim() === "") return bad("A path is needed, such as 'data/table.csv'.");
  if (path.includes("\0") || !path.isWellFormed())
    return bad("The path contains a NUL or half of a surrogate pair: write it again.");
  if (pathBytes(path) > MAX_PATH_BYTES)
    return bad(`The path is longer than ${MAX_PATH_BYTES} bytes: choose a shorter one.`);
  const inside = isUnder(path, WORKSPACE_ROOT) ? path.slice(WORKSPACE_ROOT.length) : path;
  if (inside.startsWith("/") && inside === path) {
    return bad(`'${path}' is outside the workspace: files live under ${WORKSPACE_ROOT}, so write a relative path.`);
  }
  if (climbsOut(inside)) return bad(`'${path}' leads out of the workspace: leave out the '..'.`);
  return ok(normalizePath(inside));
}

/** Turns `/data/a.csv` into the form that people and models read: `data/a.csv`. */
export function toWorkspacePath(stored: string): string {
  return stored.slice(1);
}

/** An absolute path without `.`, `..`, empty segments or a trailing slash. `..` stops at the root. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function joinPath(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** Splits a path into its folder and its name. Not for `/`. */
export function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { folder: path.slice(0, slash) || "/", name: path.slice(slash + 1) };
}

/**
 * Where a link in `folder` leads; `null` when it leaves the workspace. Targets are written as in the shell, with the
 * mount in front.
 */
export function resolveTarget(folder: string, target: string): string | null {
  const full = normalizePath(target.startsWith("/") ? target : `${WORKSPACE_ROOT}${folder}/${target}`);
  return isUnder(full, WORKSPACE_ROOT) ? full.slice(WORKSPACE_ROOT.length) || "/" : null;
}

/** Whether the path is the folder itself or lies in it. */
export function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

export function pathBytes(path: string): number {
  return new TextEncoder().encode(path).length;
}

function climbsOut(path: string): boolean {
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}

function bad(message: string): Result<never> {
  return err("bad_path", message);
}
