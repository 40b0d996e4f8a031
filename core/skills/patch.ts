// Replaces one passage of a text by another, forgiving how a model remembers white space. Tried from strict to loose;
// the first way that matches decides. Called by operations.ts. Pure. Never changes a character outside the match.
import { type Result, err, ok } from "../errors.ts";
import { overlapOf } from "./words.ts";

export interface Patch {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

/** How the passage was found. All but `exact` compare whole lines. */
export type PatchMatch = "exact" | "trimmed_lines" | "white_space" | "indentation";

export interface Patched {
  text: string;
  match: PatchMatch;
  replacements: number;
}

const MAX_PLACES = 5;
const PREVIEW_CHARS = 500;
/** Nobody needs to know of more, and a passage that overlaps itself may be found at every character. */
const MAX_COUNTED = 1_000;

/** Failures: `empty_old_string`, `nothing_to_change`, `several_matches`, `inexact_replace_all`, `not_found`. */
export function patchText(text: string, patch: Patch): Result<Patched> {
  const { oldString, newString, replaceAll } = patch;
  if (oldString.trim() === "") {
    return err("empty_old_string", "old_string is empty: copy the passage to be replaced from the file.");
  }
  if (oldString === newString) return err("nothing_to_change", "old_string and new_string are the same.");
  const exact = findExact(text, oldString);
  if (exact.length > 0) return replaceExact(text, patch, exact);
  for (const { match, fold } of LOOSE) {
    const ranges = findLines(text, oldString, fold);
    if (ranges.length === 0) continue;
    if (ranges.length > 1) return severalMatches(text, ranges);
    if (replaceAll) {
      const place = lineAt(text, ranges[0]!.from);
      return err(
        "inexact_replace_all",
        `old_string matches line ${place} only when white space is ignored, and replace_all needs an exact copy: copy it from the file.`,
        { lines: [place] },
      );
    }
    return ok({ text: replaceLines(text, ranges[0]!, oldString, newString), match, replacements: 1 });
  }
  return notFound(text, oldString);
}

interface Range {
  from: number;
  to: number;
}

/** What counts as the same line, each looser than the one before. */
const LOOSE: { match: PatchMatch; fold: (line: string) => string }[] = [
  { match: "trimmed_lines", fold: (line) => line.trimEnd() },
  { match: "white_space", fold: (line) => line.trimEnd().replace(/\s+/gu, " ") },
  { match: "indentation", fold: (line) => line.trim().replace(/\s+/gu, " ") },
];

/** Overlapping ones too: a passage that overlaps itself is not unique. */
function findExact(text: string, wanted: string): Range[] {
  const ranges: Range[] = [];
  for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + 1)) {
    ranges.push({ from, to: from + wanted.length });
    if (ranges.length === MAX_COUNTED) break;
  }
  return ranges;
}

function replaceExact(text: string, { oldString, newString, replaceAll }: Patch, found: Range[]): Result<Patched> {
  if (found.length > 1 && !replaceAll) return severalMatches(text, found);
  const pieces = text.split(oldString);
  return ok({ text: pieces.join(newString), match: "exact", replacements: pieces.length - 1 });
}

function severalMatches(text: string, found: Range[]): Result<never> {
  const lines = found.slice(0, MAX_PLACES).map(({ from }) => lineAt(text, from));
  const more = found.length > MAX_PLACES ? ", …" : "";
  return err(
    "several_matches",
    `old_string stands at ${found.length} places (lines ${lines.join(", ")}${more}): add a line of its surroundings, or set replace_all.`,
    { lines, matches: found.length },
  );
}

/** Runs of whole lines equal to the wanted ones after folding; a range ends before the last line's end. */
function findLines(text: string, wanted: string, fold: (line: string) => string): Range[] {
  const lines = splitLines(text);
  const folded = lines.map((line) => fold(line.text));
  const target = wantedLines(wanted).map(fold);
  const ranges: Range[] = [];
  for (let i = 0; i + target.length <= folded.length; i++) {
    if (target.every((line, k) => folded[i + k] === line)) {
      const last = lines[i + target.length - 1]!;
      ranges.push({ from: lines[i]!.from, to: last.from + last.text.length });
    }
  }
  return ranges;
}

function splitLines(text: string): { text: string; from: number }[] {
  let from = 0;
  return text.split("\n").map((line) => {
    const entry = { text: line.endsWith("\r") ? line.slice(0, -1) : line, from };
    from += line.length + 1;
    return entry;
  });
}

/** Without the blank lines a model puts around a copied passage. */
function wantedLines(wanted: string): string[] {
  return wanted
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd()
    .split("\n");
}

/** The new lines move by as much as the old ones were off, and keep the file's line ends. */
function replaceLines(text: string, { from, to }: Range, oldString: string, newString: string): string {
  if (newString.trim() === "") return text.slice(0, from) + text.slice(to).replace(/^\r?\n/, "");
  const matched = text.slice(from, to);
  const there = indentOf(matched);
  const given = indentOf(wantedLines(oldString)[0]!);
  const moved = wantedLines(newString).map((line) => {
    if (line.trim() === "" || there === given) return line.trim() === "" ? "" : line;
    return line.startsWith(given) ? there + line.slice(given.length) : there + line.trimStart();
  });
  const lineEnd = matched.includes("\r\n") || text.slice(to, to + 2) === "\r\n" ? "\r\n" : "\n";
  return text.slice(0, from) + moved.map((line) => line.replace(/\r$/, "")).join(lineEnd) + text.slice(to);
}

function indentOf(line: string): string {
  return /^[^\S\n]*/.exec(line)![0];
}

function notFound(text: string, wanted: string): Result<never> {
  const target = wantedLines(wanted)[0]!.trim();
  const ranked = text
    .split("\n")
    .map((line, i) => ({ line: i + 1, text: line.trim(), score: likeness(line.trim(), target) }))
    .sort((a, b) => b.score - a.score);
  const nearest = ranked[0] && ranked[0].score >= 0.4 ? { line: ranked[0].line, text: ranked[0].text } : null;
  const hint = nearest ? ` Did you mean line ${nearest.line} (nearest)?` : "";
  return err("not_found", `old_string is not in the file.${hint} View it again and copy the passage exactly.`, {
    ...(nearest && { nearest }),
    preview: text.slice(0, PREVIEW_CHARS),
  });
}

/** Share of common pairs of characters, 0 to 1. */
function likeness(a: string, b: string): number {
  return overlapOf(pairsOf(a.toLowerCase()), pairsOf(b.toLowerCase()));
}

function pairsOf(text: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
