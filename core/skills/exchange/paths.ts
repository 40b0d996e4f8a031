// Which paths an imported skill may hold: any relative one that means the same on every system. Used by the import before
// anything else looks at a file, whatever it came in. Pure.
import { type Failure, err } from "../../errors.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import { IMPORT } from "./import-limits.ts";

/** Failure: `bad_path`. What a system's other spelling of a path would make of it counts too. */
export function checkPath(path: string): Failure | null {
  const problem = problemOf(path);
  if (problem === null) return null;
  return err("bad_path", `${quotePath(path)} cannot be imported: ${problem}. Rename it and pack the skill again.`)
    .failure;
}

/** Failure: `bad_path`: two paths that are one on some system, or a file where another path has a folder. */
export function checkPathConflicts(paths: string[]): Failure | null {
  const byFold = new Map<string, string>();
  for (const path of paths) {
    const fold = foldOf(path);
    const other = byFold.get(fold);
    if (other !== undefined) return clash(other, path, "are the same file on some systems");
    byFold.set(fold, path);
  }
  for (const [fold, path] of byFold) {
    for (let at = fold.indexOf("/"); at >= 0; at = fold.indexOf("/", at + 1)) {
      const other = byFold.get(fold.slice(0, at));
      if (other !== undefined) return clash(other, path, "cannot both be: one is a file where the other has a folder");
    }
  }
  return null;
}

/** A path in a sentence, whatever it holds. */
export function quotePath(path: string): string {
  const shown = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  return JSON.stringify(shown.toWellFormed().replace(HIDDEN, "\uFFFD"));
}

/** Controls, and what turns the direction of text or breaks its line. */
const HIDDEN = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

function problemOf(path: string): string | null {
  if (path === "") return "it is empty";
  if (!path.isWellFormed()) return "it holds half of a surrogate pair";
  if (path.search(HIDDEN) >= 0) return "it holds control characters";
  if (path.length > IMPORT.pathChars) return `it is longer than ${IMPORT.pathChars} characters`;
  // Full-width dots and slashes are plain ones after normalisation, which some systems do.
  for (const form of [path, path.normalize("NFKC")]) {
    if (form.includes("\\")) return "it holds a backslash";
    if (form.startsWith("/")) return "it is absolute";
    for (const segment of form.split("/")) {
      if (segment === "") return "it holds an empty name";
      // Trailing dots and blanks are nothing on Windows.
      if (/^[. ]+$/.test(segment)) return "it leaves its folder or means the folder itself";
      if (/^\s*[A-Za-z]:/.test(segment)) return "it names a drive";
      if (byteLength(segment) > IMPORT.segmentBytes) return `a name is longer than ${IMPORT.segmentBytes} bytes`;
    }
  }
  // As the key of an object this one is no key.
  return path === "__proto__" ? "no object can hold that name" : null;
}

/** Windows leaves out what a name ends with when that is dots and blanks. */
function foldOf(path: string): string {
  const plain = path.normalize("NFKC").toLowerCase().normalize("NFC");
  return plain
    .split("/")
    .map((segment) => segment.replace(TRAILING, ""))
    .join("/");
}

/** Looked for from the last character that is neither: a run in the middle is met once. */
const TRAILING = /(?<![. ])[. ]+$/;

function clash(one: string, other: string, what: string): Failure {
  return err("bad_path", `${quotePath(one)} and ${quotePath(other)} ${what}: rename one of them.`).failure;
}
