// Decides which paths an imported skill may contain: relative paths that mean the same on every system. The import
// checks them before it looks at any file. Pure.
import { type Failure, err } from "../../errors.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import { HIDDEN, quotePath } from "../../zip/quote-path.ts";
import { IMPORT } from "./import-limits.ts";

/** Failure: `bad_path`. Also rejects paths that some system would normalise to a bad one. */
export function checkPath(path: string): Failure | null {
  const problem = problemOf(path);
  if (problem === null) return null;
  return err("bad_path", `${quotePath(path)} cannot be imported: ${problem}. Rename it and pack the skill again.`)
    .failure;
}

/**
 * Rejects two paths that are the same on some system, and a file where another path needs a folder. Failure:
 * `bad_path`.
 */
export function checkPathConflicts(paths: string[]): Failure | null {
  const byFold = new Map<string, string>();
  for (const path of paths) {
    const fold = foldPath(path);
    const other = byFold.get(fold);
    if (other !== undefined) return pathConflict(other, path, "are the same file on some systems");
    byFold.set(fold, path);
  }
  for (const [fold, path] of byFold) {
    for (let at = fold.indexOf("/"); at >= 0; at = fold.indexOf("/", at + 1)) {
      const other = byFold.get(fold.slice(0, at));
      if (other !== undefined)
        return pathConflict(other, path, "cannot both be: one is a file where the other has a folder");
    }
  }
  return null;
}

function problemOf(path: string): string | null {
  if (path === "") return "it is empty";
  if (!path.isWellFormed()) return "it contains half of a surrogate pair";
  if (path.search(HIDDEN) >= 0) return "it contains control characters";
  if (path.length > IMPORT.pathChars) return `it is longer than ${IMPORT.pathChars} characters`;
  // Some systems normalise full-width dots and slashes to plain ones.
  for (const form of [path, path.normalize("NFKC")]) {
    if (form.includes("\\")) return "it contains a backslash";
    if (form.startsWith("/")) return "it is absolute";
    for (const segment of form.split("/")) {
      if (segment === "") return "it contains an empty name";
      // Windows drops trailing dots and blanks.
      if (/^[. ]+$/.test(segment)) return "it leaves its folder or means the folder itself";
      if (/^\s*[A-Za-z]:/.test(segment)) return "it names a drive";
      if (byteLength(segment) > IMPORT.segmentBytes) return `a name is longer than ${IMPORT.segmentBytes} bytes`;
    }
  }
  // `__proto__` cannot be an object's own key in a literal.
  return path === "__proto__" ? "that name is reserved in JavaScript objects" : null;
}

/** Folds case and Unicode forms, and drops trailing dots and blanks as Windows does. */
function foldPath(path: string): string {
  const plain = path.normalize("NFKC").toLowerCase().normalize("NFC");
  return plain
    .split("/")
    .map((segment) => segment.replace(TRAILING, ""))
    .join("/");
}

/** Starts after the last other character, so that a run in the middle is visited once. */
const TRAILING = /(?<![. ])[. ]+$/;

function pathConflict(one: string, other: string, what: string): Failure {
  return err("bad_path", `${quotePath(one)} and ${quotePath(other)} ${what}: rename one of them.`).failure;
}
