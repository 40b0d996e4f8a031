// Applies the hunks of a patch to one text. Called by the tool patch, with the hunks that patch-text.ts has read. Pure.
import { type Result, err, ok } from "../errors.ts";
import { withLineEnds } from "./patch-place.ts";
import type { PatchHunk } from "./patch-text.ts";
import { type PatchedText, patchText } from "./patch.ts";

export interface HunkLimits {
  /** Of the resulting text. */
  maxChars: number;
  /** Characters that may still be searched. All files of a patch share it. Counts down. */
  search: { left: number };
}

/** Each hunk searches its whole file. On a slow machine, a file of 2 MB takes 0.1 s a hunk. */
export const MAX_SEARCHED_CHARS = 48 << 20;
/** What the looser comparisons cost, in exact searches. */
const LOOSE_SEARCHES = 8;

/**
 * The text after all hunks, each searched after the one before it. Failures: those of `patchText`, `anchor_not_found`,
 * `too_many_hunks`; with the number of the hunk when there are several.
 */
export function applyHunks(text: string, hunks: readonly PatchHunk[], limits: HunkLimits): Result<string> {
  let [now, from] = [text, 0];
  for (const [i, hunk] of hunks.entries()) {
    const applied = applyHunk(now, from, hunk, limits);
    if (!applied.ok && hunks.length === 1) return applied;
    if (!applied.ok) {
      const { code, message, facts } = applied.failure;
      return err(code, `Hunk ${i + 1}: ${message}`, facts);
    }
    from = applied.value.length - commonEnd(now, applied.value);
    now = applied.value;
  }
  return ok(now);
}

function applyHunk(text: string, from: number, hunk: PatchHunk, limits: HunkLimits): Result<string> {
  const { search, maxChars } = limits;
  search.left -= text.length;
  if (search.left < 0) return tooManyHunks();
  const start = findStart(text, from, hunk.anchors);
  if (!start.ok) return start;
  const isAnchored = hunk.anchors.length > 0;
  if (hunk.oldLines.every((line) => line === "")) {
    return insertLines(text, isAnchored ? start.value : null, hunk.newLines, maxChars);
  }
  const after = replaceFrom(text, start.value, hunk, limits);
  if (after.ok && after.value.match === "exact") return ok(after.value.text);
  // The hunk may lie before the one above it. Its very words there take precedence over similar ones below.
  const mayBeAbove = !isAnchored && start.value > 0;
  if (mayBeAbove && (after.ok ? hasLines(text, hunk.oldLines) : after.failure.code !== "several_matches")) {
    const anywhere = replaceFrom(text, 0, hunk, limits);
    return anywhere.ok ? ok(anywhere.value.text) : anywhere;
  }
  return after.ok ? ok(after.value.text) : after;
}

/** Where the search begins: after the hunk above, or at the last of the anchors. */
function findStart(text: string, from: number, anchors: string[]): Result<number> {
  let start = from;
  for (const anchor of anchors) {
    const at = findAnchor(text, anchor, start) ?? findAnchor(text, anchor, 0);
    if (at === null) {
      return err(
        "anchor_not_found",
        `No line is '${anchor.slice(0, 200)}', which stands after @@: copy it from the file.`,
      );
    }
    start = at;
  }
  return ok(start);
}

function replaceFrom(
  text: string,
  start: number,
  { anchors, oldLines, newLines }: PatchHunk,
  { maxChars, search }: HunkLimits,
): Result<PatchedText> {
  const after = patchText(text.slice(start), {
    oldString: oldLines.join("\n"),
    newString: newLines.join("\n"),
    wholeLines: newLines.length > 0 ? "replaced" : "removed",
    replaceAll: false,
    takeFirst: anchors.length > 0,
    maxChars,
    linesBefore: countLines(text, start),
  });
  if (!after.ok) return after;
  if (after.value.match !== "exact") search.left -= LOOSE_SEARCHES * text.length;
  return ok({ ...after.value, text: text.slice(0, start) + after.value.text });
}

function hasLines(text: string, lines: string[]): boolean {
  return `\n${text}\n`.includes(`\n${lines.join("\n")}\n`);
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

function tooManyHunks(): Result<never> {
  return err(
    "too_many_hunks",
    "Placing so many hunks in files of this size takes too long: send a part of them a call, or use terminal (sed, awk).",
  );
}

/** Without a place the lines go to the end; otherwise after the line that begins there. */
function insertLines(text: string, after: number | null, lines: string[], maxChars: number): Result<string> {
  const lineEnd = after === null ? -1 : text.indexOf("\n", after);
  const at = lineEnd < 0 ? text.length : lineEnd + 1;
  const isOpen = at > 0 && text[at - 1] !== "\n";
  const plain = `${isOpen ? "\n" : ""}${lines.join("\n")}\n`;
  const inserted = withLineEnds(text, { from: Math.max(0, at - 1), to: at }, plain);
  if (text.length + inserted.length > maxChars) {
    return err("too_large", `The file would become larger than ${maxChars} characters: insert less.`);
  }
  return ok(text.slice(0, at) + inserted + text.slice(at));
}

/** Offset of the first line from `from` on that is the anchor or, when none is, contains it. */
function findAnchor(text: string, anchor: string, from: number): number | null {
  let containing: number | null = null;
  for (let at = from; at < text.length;) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end).trim();
    if (line === anchor) return at;
    if (containing === null && line.includes(anchor)) containing = at;
    if (end < 0) break;
    at = end + 1;
  }
  return containing;
}

function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  return same;
}
