// Builds the replacement for a passage that was found but is not identical to the wanted one. Unchanged lines keep the
// file's own characters; new lines take the file's indentation and line ends. Called by patch.ts. Pure. Never changes a
// character outside the range.
import { diffArrays } from "diff";
import { type Line, type TextRange, splitLines } from "./patch-search.ts";

interface Passage {
  /** The passage as the model wrote it, line by line; as many lines as the range has. */
  oldLines: string[];
  newLines: string[];
}

/** The text that replaces the range. */
export function toReplacement(text: string, range: TextRange, { oldLines, newLines }: Passage): string {
  const fileLines = splitLines(text.slice(range.from, range.to));
  const isMidLine = range.from > 0 && text[range.from - 1] !== "\n";
  const lineEnd = lineEndAt(text, range);
  const kept = keptLines(oldLines, newLines);
  const indents = toIndents(oldLines, fileLines, isMidLine);
  const lines = newLines.map((line, k) => {
    const old = kept.get(k);
    if (old !== undefined && old < fileLines.length) {
      return { text: fileLines[old]!.text, end: fileLineEnd(fileLines, old, text, range) ?? lineEnd };
    }
    const plain = line.replace(/\r$/, "");
    const isWithin = k === 0 && isMidLine;
    return { text: isWithin ? plain : indent(plain, indents), end: lineEnd };
  });
  return lines.map((line, k) => (k + 1 < lines.length ? line.text + line.end : line.text)).join("");
}

/** The replacement with the line ends of the surrounding text. */
export function withLineEnds(text: string, range: TextRange, replacement: string): string {
  return lineEndAt(text, range) === "\r\n" ? replacement.replace(/\r?\n/g, "\r\n") : replacement;
}

/** Extends a range by the line end after it, for removing whole lines. */
export function withLineEnd(text: string, { from, to }: TextRange): TextRange {
  return { from, to: to + (/^\r?\n/.exec(text.slice(to, to + 2))?.[0].length ?? 0) };
}

/** The line end of the first line that ends in or after the range, else of the one before it. */
function lineEndAt(text: string, { from }: TextRange): "\n" | "\r\n" {
  const after = text.indexOf("\n", from);
  const at = after >= 0 ? after : text.lastIndexOf("\n", from);
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

function fileLineEnd(fileLines: Line[], k: number, text: string, range: TextRange): string | null {
  const next = fileLines[k + 1];
  return next ? text.slice(range.from + fileLines[k]!.to, range.from + next.from) : null;
}

/** With more edits than this, only common lines at the beginning and the end are kept. */
const MAX_EDITS = 400;

/** Maps each unchanged line of the new passage to its line in the old one, by index. */
function keptLines(oldLines: string[], newLines: string[]): Map<number, number> {
  const kept = new Map<number, number>();
  const shortest = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shortest && oldLines[head] === newLines[head]) {
    kept.set(head, head);
    head += 1;
  }
  let tail = 0;
  while (tail < shortest - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) {
    kept.set(newLines.length - 1 - tail, oldLines.length - 1 - tail);
    tail += 1;
  }
  const middle = [oldLines.slice(head, oldLines.length - tail), newLines.slice(head, newLines.length - tail)] as const;
  let old = head;
  let now = head;
  for (const { value, added, removed } of diffArrays(...middle, { maxEditLength: MAX_EDITS }) ?? []) {
    for (const _line of value) {
      if (!added && !removed) kept.set(now, old);
      if (!added) old += 1;
      if (!removed) now += 1;
    }
  }
  return kept;
}

/** Maps an indentation of the old passage to the one in the file. */
type Indents = Map<string, string>;

function toIndents(oldLines: string[], fileLines: Line[], isMidLine: boolean): Indents {
  const indents: Indents = new Map();
  for (let k = isMidLine ? 1 : 0; k < Math.min(oldLines.length, fileLines.length); k++) {
    if (oldLines[k]!.trim() === "" || fileLines[k]!.text.trim() === "") continue;
    const given = indentOf(oldLines[k]!);
    if (!indents.has(given)) indents.set(given, indentOf(fileLines[k]!.text));
  }
  return indents;
}

/** Indents by the longest matching indentation of the old passage, plus what the line has beyond it. */
function indent(line: string, indents: Indents): string {
  if (line.trim() === "") return "";
  const own = indentOf(line);
  let nearest: string | null = null;
  for (const given of indents.keys()) {
    if (own.startsWith(given) && given.length >= (nearest ?? "").length) nearest = given;
  }
  if (nearest !== null) return indents.get(nearest)! + line.slice(nearest.length);
  const [first] = indents;
  if (!first) return line;
  const [given, inFile] = first;
  // Indented less than anything in the passage: shifted like the first line.
  return inFile.endsWith(given) ? inFile.slice(given.length) + line : inFile + line.trimStart();
}

function indentOf(line: string): string {
  return /^[^\S\n]*/.exec(line)![0];
}
