// The thread of one search: walks folders by descriptor, never through a link, and matches lines. Started by search.ts.
import { closeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { LIMITS } from "../limits.ts";
import { Problem } from "../problem.ts";
import { readAt, readNames, withFile } from "./read.ts";
import type { SearchReply, SearchRequest, ThreadAnswer } from "./search.ts";
import { type Place, type Root, look, withPlace } from "./walk.ts";

/** Not searched unless the path names them: others wrote what they hold. */
const SKIPPED_FOLDERS = new Set([".git", "node_modules"]);
const MAX_SKIPPED_NAMED = 10;
const MAX_DEPTH = 100;
/** A file with a NUL in its first bytes is not text. */
const SNIFFED_BYTES = 8_192;

const { root, request } = workerData as { root: Root; request: SearchRequest };
parentPort!.postMessage(answer());

function answer(): ThreadAnswer {
  try {
    return { reply: search() };
  } catch (error) {
    if (error instanceof Problem) return { problem: { code: error.code, message: error.message } };
    if (error instanceof SyntaxError) {
      const message = `${error.message}. Escape characters that are meant literally.`;
      return { problem: { code: "pattern_malformed", message } };
    }
    return { problem: { code: "internal", message: "The search failed." } };
  }
}

function search(): SearchReply {
  const flags = request.ignoreCase ? "iu" : "u";
  const found: Found = {
    pattern: new RegExp(request.pattern, flags),
    paths: request.paths === null ? null : new RegExp(request.paths, "u"),
    lines: [],
    truncated: false,
    skipped: [],
  };
  withPlace(root, request.path, (place) => {
    if (place.stats.isDirectory()) searchFolder(place, found, 0);
    else searchFile(place, found);
  });
  return { lines: found.lines, truncated: found.truncated, skipped: found.skipped };
}

interface Found extends SearchReply {
  pattern: RegExp;
  paths: RegExp | null;
}

function searchFolder(folder: Place, found: Found, depth: number): void {
  const { names, truncated } = readNames(folder.fd);
  found.truncated ||= truncated || depth > MAX_DEPTH;
  if (depth > MAX_DEPTH) return;
  for (const name of names.sort()) {
    if (found.lines.length >= request.limit) {
      found.truncated = true;
      return;
    }
    const path = folder.path === "" ? name : `${folder.path}/${name}`;
    searchEntry(folder, name, path, found, depth);
  }
}

function searchEntry(folder: Place, name: string, path: string, found: Found, depth: number): void {
  let entry: ReturnType<typeof look>;
  try {
    entry = look(folder.fd, name, path);
  } catch {
    return; // its name is not UTF-8, or this user may not see it
  }
  if (!entry) return;
  try {
    if (entry.stats.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(name)) searchFolder({ ...entry, path }, found, depth + 1);
    } else if (entry.stats.isFile()) searchFile({ ...entry, path }, found);
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    // unreadable: left out, as grep -s does
  } finally {
    closeSync(entry.fd);
  }
}

function searchFile(file: Place, found: Found): void {
  if (found.paths && !found.paths.test(file.path)) return;
  if (request.mode === "names") {
    if (found.pattern.test(file.path)) found.lines.push(file.path);
    return;
  }
  if (file.stats.size > LIMITS.searchedFileBytes) {
    if (found.skipped.length < MAX_SKIPPED_NAMED) found.skipped.push(file.path);
    return;
  }
  const bytes = withFile(file, (fd) => readAt(fd, 0, LIMITS.searchedFileBytes));
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return;
  matchLines(file.path, bytes.toString("utf8"), found);
}

function matchLines(path: string, text: string, found: Found): void {
  for (const [i, line] of text.split("\n").entries()) {
    if (!found.pattern.test(line)) continue;
    if (found.lines.length >= request.limit) {
      found.truncated = true;
      return;
    }
    found.lines.push(`${path}:${i + 1}:${line.slice(0, LIMITS.searchLineChars)}`);
  }
}
