// Replaces one passage of a text by another and tolerates how a model remembers it. Strategies go from strict to loose;
// the first one that finds a place decides. Called by core/skills/edit/operation-list.ts and by the tool patch. Pure. Never
// changes a character outside the match.
import { type Result, err, ok } from "../errors.ts";
import { FIXED } from "../limits.ts";
import { readEscapes, strayEscape } from "./patch-escapes.ts";
import { toReplacement, withLineEnd, withLineEnds } from "./patch-place.ts";
import {
  type Line,
  type TextRange,
  type SearchOptions,
  findExact,
  findFolded,
  findLines,
  foldLine,
  foldText,
  splitLines,
} from "./patch-search.ts";
import { MAX_WORK, type WorkBudget, findAnchored, findByContext, toLikeness } from "./patch-similar.ts";

export interface Patch {
  oldString: string;
  newString: string;
  replaceAll: boolean;
  /** Of several exact places the first is meant: the caller has found the surroundings. */
  takeFirst?: boolean;
  /**
   * Both strings are lines of a file: nothing matches inside a line. `removed`: `newString` has no line, so the matched lines go;
   * otherwise an empty `newString` is an empty line.
   */
  wholeLines?: "replaced" | "removed";
  /** Lines before the text, which is a part of a file: failures count lines of the file. */
  linesBefore?: number;
  /** Largest result in characters; by default that of a skill's file. */
  maxChars?: number;
}

/** How the passage was found. The last two are by similarity, all others by equality after folding. */
type PatchMatch =
  | "exact"
  | "trimmed_lines"
  | "white_space"
  | "indentation"
  | "escapes"
  | "boundary"
  | "unicode"
  | "block_anchor"
  | "context";

export interface PatchedText {
  text: string;
  match: PatchMatch;
  replacements: number;
}

const MAX_PLACES = 5;
const PREVIEW_CHARS = 500;
const MAX_NEAREST = 3;
const MAX_QUOTE_CHARS = 200;
/** Maximum number of matches counted. A passage that overlaps itself could match at every character. */
const MAX_COUNTED = 1_000;

/**
 * Failures: `empty_old_string`, `nothing_to_change`, `several_matches`, `inexact_replace_all`, `escape_drift`, `not_found`,
 * `too_large`.
 */
export function patchText(text: string, patch: Patch): Result<PatchedText> {
  const { oldString, newString, replaceAll } = patch;
  if (oldString.trim() === "") {
    return err("empty_old_string", "old_string is empty: copy the passage to be replaced from the file.");
  }
  if (oldString === newString) return err("nothing_to_change", "old_string and new_string are the same.");
  const found = findPassage(text, patch);
  const lineOf = (offset: number) => (patch.linesBefore ?? 0) + lineAt(text, offset);
  if (!found) return notFound(text, oldString, patch.linesBefore ?? 0);
  if (patch.takeFirst && !isByLikeness(found.match)) found.ranges.length = 1;
  const { match, ranges } = found;
  if (ranges.length > 1 && !replaceAll) return severalMatches(ranges, match, lineOf);
  if (replaceAll && isByLikeness(match)) return inexactReplaceAll(ranges, lineOf);
  const drift = findEscapeDrift(text, found, patch);
  if (drift) return escapeDrift(drift, lineOf(ranges[0]!.from));
  return replace(text, found, patch);
}

/** Where the passage is and what replaces it. */
interface FoundPassage {
  match: PatchMatch;
  ranges: TextRange[];
  /** Passage and replacement as interpreted by the strategy. */
  oldString: string;
  newString: string;
  /** `characters`: inserted as it is. `lines`: aligned with the lines in the file. */
  by: "characters" | "lines";
  /** An escape in `newString` whose meaning is unclear. */
  drift?: string | null;
}

function findPassage(text: string, { oldString, newString, replaceAll, wholeLines }: Patch): FoundPassage | null {
  const options = { most: replaceAll ? Infinity : MAX_COUNTED, overlapping: !replaceAll };
  const given = { oldString, newString };
  const isByLine = wholeLines !== undefined;
  const exact = findExact(text, oldString, options, isByLine);
  if (exact.length > 0) return { match: "exact", ranges: exact, ...given, by: "characters" };
  const scope: SearchScope = { text, lines: splitLines(text), options, isByLine };
  const trimmed = trimPassage(given);
  return (
    byLines("trimmed_lines", (line) => line.trimEnd(), trimmed, scope) ??
    byLines("white_space", (line) => line.trimEnd().replace(/\s+/gu, " "), trimmed, scope) ??
    byLines("indentation", toIndentless, trimmed, scope) ??
    (isByLine ? null : byFolding("white_space", false, given, scope)) ??
    byEscapes(given, scope) ??
    (isByLine ? null : byBoundary(given, scope)) ??
    byLines("unicode", foldLine, trimmed, scope) ??
    (isByLine ? null : byFolding("unicode", true, given, scope)) ??
    byLikeness(trimmed, scope)
  );
}

interface SearchScope {
  text: string;
  lines: Line[];
  options: SearchOptions;
  isByLine: boolean;
}
type PassageAndReplacement = Pick<Patch, "oldString" | "newString">;

function toIndentless(line: string): string {
  return line.trim().replace(/\s+/gu, " ");
}

/** Runs of whole lines that are equal after folding. A range ends before the end of its last line. */
function byLines(
  match: PatchMatch,
  fold: (line: string) => string,
  trimmed: PassageAndReplacement,
  scope: SearchScope,
): FoundPassage | null {
  const wanted = trimmed.oldString.split("\n");
  const folded = scope.lines.map((line) => fold(line.text));
  return toFoundPassage(match, findLines(folded, wanted.map(fold), scope.options), trimmed, scope);
}

function toFoundPassage(
  match: PatchMatch,
  firsts: number[],
  given: PassageAndReplacement,
  { lines }: SearchScope,
): FoundPassage | null {
  if (firsts.length === 0) return null;
  const count = given.oldString.split("\n").length;
  const ranges = firsts.map((first) => ({ from: lines[first]!.from, to: lines[first + count - 1]!.to }));
  return { match, ranges, ...given, by: "lines" };
}

/** Also matches inside lines. */
function byFolding(
  match: PatchMatch,
  lookalikes: boolean,
  given: PassageAndReplacement,
  { text, options }: SearchScope,
): FoundPassage | null {
  const ranges = findFolded(foldText(text, lookalikes), foldText(given.oldString, lookalikes), options);
  return ranges.length === 0 ? null : { match, ranges, ...given, by: "characters" };
}

function byEscapes({ oldString, newString }: PassageAndReplacement, scope: SearchScope): FoundPassage | null {
  for (const { drift, ...meant } of readEscapes(oldString, newString)) {
    const exact = findExact(scope.text, meant.oldString, scope.options, scope.isByLine);
    if (exact.length > 0) return { match: "escapes", ranges: exact, ...meant, by: "characters", drift };
    const found = byLines("escapes", toIndentless, trimPassage(meant), scope);
    if (found) return { ...found, drift };
  }
  return null;
}

/**
 * Ignores white space around the passage that the file does not have. Where white space was given, no word may
 * continue: ` cat ` does not match in `concatenate`.
 */
function byBoundary(
  { oldString, newString }: PassageAndReplacement,
  { text, options }: SearchScope,
): FoundPassage | null {
  const passage = oldString.trim();
  if (passage === oldString) return null;
  const [isOpen, isClosed] = [oldString.trimStart() !== oldString, oldString.trimEnd() !== oldString];
  const ranges = findExact(text, passage, options).filter(
    ({ from, to }) => !(isOpen && endsInWord(text, from)) && !(isClosed && startsInWord(text, to)),
  );
  const before = oldString.trimStart() === oldString ? newString : newString.trimStart();
  const meant = oldString.trimEnd() === oldString ? before : before.trimEnd();
  return ranges.length === 0
    ? null
    : { match: "boundary", ranges, oldString: passage, newString: meant, by: "characters" };
}

function endsInWord(text: string, at: number): boolean {
  return /[\p{L}\p{M}\p{N}_]$/u.test(text.slice(Math.max(0, at - 2), at));
}

function startsInWord(text: string, at: number): boolean {
  return /^[\p{L}\p{M}\p{N}_]/u.test(text.slice(at, at + 2));
}

function byLikeness(trimmed: PassageAndReplacement, scope: SearchScope): FoundPassage | null {
  const wanted = trimmed.oldString.split("\n").map(foldLine);
  const lines = scope.lines.map((line) => foldLine(line.text));
  const work: WorkBudget = { left: MAX_WORK };
  return (
    toFoundPassage("block_anchor", findAnchored(lines, wanted, work), trimmed, scope) ??
    toFoundPassage("context", findByContext(lines, wanted, work), trimmed, scope)
  );
}

function isByLikeness(match: PatchMatch): boolean {
  return match === "block_anchor" || match === "context";
}

/** Removes blank lines that a model put around a copied passage; the replacement loses as many. */
function trimPassage({ oldString, newString }: PassageAndReplacement): PassageAndReplacement {
  const old = oldString.split("\n");
  const now = newString.split("\n");
  const [before, after] = [leadingBlankLines(old), trailingBlankLines(old)];
  const [first, last] = [leadingBlankLines(now), trailingBlankLines(now)];
  const kept = now.slice(Math.min(before, first), now.length - Math.min(after, last));
  return {
    oldString: old
      .slice(before, old.length - after)
      .join("\n")
      .trimEnd(),
    newString: newString.trim() === "" ? "" : kept.join("\n"),
  };
}

function leadingBlankLines(lines: string[]): number {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? lines.length : first;
}

function trailingBlankLines(lines: string[]): number {
  return lines.length - 1 - lines.findLastIndex((line) => line.trim() !== "");
}

function findEscapeDrift(
  text: string,
  { match, ranges, drift }: FoundPassage,
  { oldString, newString }: Patch,
): string | null {
  if (match === "exact" || match === "escapes") return drift ?? null;
  return strayEscape(
    oldString,
    newString,
    ranges.map(({ from, to }) => text.slice(from, to)),
  );
}

function replace(
  text: string,
  { match, ranges, oldString, newString, by }: FoundPassage,
  { wholeLines, maxChars = FIXED.skillFileBytes }: Patch,
): Result<PatchedText> {
  const passage = { oldLines: oldString.split("\n"), newLines: newString.split("\n") };
  const pieces: string[] = [];
  let length = 0;
  let at = 0;
  for (const place of ranges) {
    const isRemoved = wholeLines ? wholeLines === "removed" : by === "lines" && newString === "";
    const range = isRemoved ? withLineEnd(text, place) : place;
    const replacement = isRemoved ? "" : replacementFor(text, range, { match, newString, passage });
    pieces.push(text.slice(at, range.from), replacement);
    length += range.from - at + replacement.length;
    at = range.to;
    if (length > maxChars) return tooLarge(maxChars);
  }
  pieces.push(text.slice(at));
  const patched = pieces.join("");
  if (patched.length > maxChars) return tooLarge(maxChars);
  if (patched === text) return err("nothing_to_change", "The file already contains what new_string would make of it.");
  return ok({ text: patched, match, replacements: ranges.length });
}

interface Replacement {
  match: PatchMatch;
  newString: string;
  passage: { oldLines: string[]; newLines: string[] };
}

function replacementFor(text: string, range: TextRange, { match, newString, passage }: Replacement): string {
  return match === "exact" ? withLineEnds(text, range, newString) : toReplacement(text, range, passage);
}

function tooLarge(maxChars: number): Result<never> {
  const most = `${maxChars} characters`;
  return err(
    "too_large",
    `The file would become larger than ${most}: make new_string shorter, or replace fewer places.`,
  );
}

function severalMatches(found: TextRange[], match: PatchMatch, lineOf: (offset: number) => number): Result<never> {
  const lines = found.slice(0, MAX_PLACES).map(({ from }) => lineOf(from));
  const more = found.length > MAX_PLACES ? ", …" : "";
  const [how, advice] = isByLikeness(match)
    ? ["resembles", "copy the one you mean exactly"]
    : ["matches", "add a line of its surroundings, or set replace_all"];
  return err(
    "several_matches",
    `old_string ${how} ${found.length} places (lines ${lines.join(", ")}${more}): ${advice}.`,
    {
      lines,
      matches: found.length,
    },
  );
}

function inexactReplaceAll(found: TextRange[], lineOf: (offset: number) => number): Result<never> {
  const lines = found.slice(0, MAX_PLACES).map(({ from }) => lineOf(from));
  return err(
    "inexact_replace_all",
    `old_string only resembles line ${lines.join(", ")}, and replace_all needs an exact copy: copy it from the file.`,
    { lines },
  );
}

function escapeDrift(escape: string, line: number): Result<never> {
  return err(
    "escape_drift",
    `old_string matches line ${line} only when its escapes are decoded, and it is unclear whether ${escape} in new_string should be decoded too: write both with the real characters, as the file has them.`,
    { lines: [line] },
  );
}

function notFound(text: string, wanted: string, linesBefore: number): Result<never> {
  const nearest = nearestLines(text, wanted).map((near) => ({ ...near, line: near.line + linesBefore }));
  const places = nearest.map(({ line }) => line).join(", ");
  const hint = nearest.length > 0 ? ` Did you mean line ${places} (nearest)?` : "";
  return err("not_found", `old_string is not in the file.${hint} View it again and copy the passage exactly.`, {
    ...(nearest.length > 0 && { nearest }),
    preview: text.slice(0, PREVIEW_CHARS),
  });
}

/** Minimum length of a line that is suggested. Shorter lines, such as a bracket, say too little. */
const MIN_TELLING_CHARS = 8;

function nearestLines(text: string, wanted: string): { line: number; text: string }[] {
  const lines = wanted.split("\n").map((line) => line.trim());
  const target = (lines.find((line) => line.length >= MIN_TELLING_CHARS) ?? wanted.trim()).slice(0, MAX_QUOTE_CHARS);
  const likeness = toLikeness(target.toLowerCase());
  return splitLines(text)
    .map((line, i) => ({ line: i + 1, text: line.text.trim().slice(0, MAX_QUOTE_CHARS) }))
    .map((line) => ({ line, score: likeness(line.text.toLowerCase()) }))
    .filter(({ score }) => score >= 0.4)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_NEAREST)
    .map(({ line }) => line);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
