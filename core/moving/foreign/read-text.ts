// Reads files of other programs as text, JSON or lines of JSON. Anyone may have written them: what does not parse is noted and skipped, and
// nothing here throws. Pure.
import { parseDocument } from "yaml";
import { quotePath } from "../../zip/quote-path.ts";
import type { ForeignFiles, MoveNote } from "./foreign-home.ts";

/** [own] Each far above what the programs write. */
const READ_LIMITS = {
  text: 1 << 20,
  json: 16 << 20,
  /** One conversation. */
  lines: 64 << 20,
  /** Lines that do not parse are noted once a file. */
  lineChars: 8 << 20,
};

/** `null`: there is no such file, it cannot be read, or it is not UTF-8. */
export function readText(files: ForeignFiles, path: string, maxBytes = READ_LIMITS.text): string | null {
  if (!files.paths.includes(path)) return null;
  const bytes = files.read(path, maxBytes);
  return bytes && new TextDecoder().decode(bytes).replace(/^\uFEFF/, "");
}

/** `undefined`: there is no such file, or it does not parse, which is noted. */
export function readJson(files: ForeignFiles, path: string, notes: MoveNote[]): unknown {
  const text = readText(files, path, READ_LIMITS.json);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    notes.push({ kind: "refused", what: quotePath(path), why: "it is not JSON" });
    return undefined;
  }
}

/** `undefined` as for `readJson`. Aliases are not followed: a short file could mean a long one. */
export function readYaml(files: ForeignFiles, path: string, notes: MoveNote[]): unknown {
  const text = readText(files, path);
  if (text === null) return undefined;
  try {
    const document = parseDocument(text, { logLevel: "silent" });
    if (document.errors.length === 0) return document.toJS({ maxAliasCount: 0 });
  } catch {
    // An alias, or a value that is no plain one: noted below.
  }
  notes.push({ kind: "refused", what: quotePath(path), why: "it is not plain YAML" });
  return undefined;
}

/** The objects of a file with one JSON object a line. Lines that do not parse are counted in one note. */
export function* readLines(files: ForeignFiles, path: string, note: (note: MoveNote) => void): Generator<unknown> {
  const bytes = files.read(path, READ_LIMITS.lines);
  if (!bytes) return;
  const decoder = new TextDecoder();
  let bad = 0;
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LINE_BREAK, from);
    const line = bytes.subarray(from, end < 0 ? bytes.length : end);
    from = end < 0 ? bytes.length : end + 1;
    const value = line.length > READ_LIMITS.lineChars ? undefined : parse(decoder.decode(line));
    if (value === undefined) bad += 1;
    else if (value !== null) yield value;
  }
  if (bad > 0) note({ kind: "changed", what: quotePath(path), why: `${bad} lines are not JSON, and were left out` });
}

const LINE_BREAK = 10;

/** `null`: an empty line. `undefined`: it does not parse. */
function parse(line: string): unknown {
  if (line.trim() === "") return null;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A text, or an empty one for every other value. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

/** Milliseconds since 1970 of an ISO time, or of a number of milliseconds. `null` for every other value. */
export function toTime(value: unknown): number | null {
  const ms = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? Math.round(value) : Number.NaN;
  return Number.isSafeInteger(ms) && ms >= 0 && ms < 2 ** 48 ? ms : null;
}
