// Reads the multi-file form of a patch, which several models were trained on ("*** Begin Patch"). Called by the tool patch. Pure.
// Tolerates what models add around it: code fences, words before the beginning, a missing end.
import { type Result, err, ok } from "../errors.ts";
import { patchText } from "./patch.ts";

/** One file of a patch, in the order of the text. */
export type PatchSection =
  | { kind: "add"; path: string; text: string }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; moveTo?: string; hunks: PatchHunk[] };

export interface PatchHunk {
  /** Lines after `@@`, outermost first: the hunk follows them. */
  anchors: string[];
  oldLines: string[];
  newLines: string[];
}

const MAX_SECTIONS = 50;
const HEADER = /^\*\*\* (Add|Update|Delete) File:(.*)$/;
const MOVE = /^\*\*\* Move to:(.*)$/;
/** Headers of a unified diff give line numbers, which models count wrongly. They are ignored. */
const LINE_NUMBERS = /^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@ ?/;

/** Failure: `bad_patch`, with the number of the wrong line. */
export function parsePatch(text: string): Result<PatchSection[]> {
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trim() === "*** Begin Patch");
  const end = lines.findIndex((line, i) => i > begin && line.trim() === "*** End Patch");
  const sections: PatchSection[] = [];
  const added = new Map<PatchSection, string[]>();
  for (let i = begin + 1; i < (end < 0 ? lines.length : end); i++) {
    const line = lines[i]!;
    const header = HEADER.exec(line);
    const section = sections.at(-1);
    if (header) {
      sections.push(toSection(header[1]!, header[2]!.trim()));
      if (sections.length > MAX_SECTIONS) return bad(i, `a patch has at most ${MAX_SECTIONS} files: send several`);
    } else if (!section) {
      if (begin >= 0 && line.trim() !== "")
        return bad(i, "begin each file with '*** Update File: PATH', Add File or Delete File");
    } else if (section.kind === "add") {
      const own = added.get(section) ?? [];
      added.set(section, own);
      if (line.startsWith("+")) own.push(line.slice(1));
      else if (!isFiller(line)) return bad(i, "each line of a new file begins with '+'");
    } else if (section.kind === "delete") {
      if (!isFiller(line)) return bad(i, "nothing follows '*** Delete File'");
    } else {
      const move = MOVE.exec(line);
      if (move && section.hunks.length === 0) section.moveTo = move[1]!.trim();
      else if (!readHunkLine(section.hunks, line)) {
        return bad(i, "a line of a hunk begins with '@@', a blank, '-' or '+'");
      }
    }
  }
  if (sections.length === 0)
    return bad(0, "it names no file. Write '*** Begin Patch', then '*** Update File: PATH' and its hunks");
  for (const section of sections) {
    if (section.kind === "add") section.text = (added.get(section) ?? []).map((line) => `${line}\n`).join("");
    if (section.kind === "update") section.hunks = section.hunks.map(withoutTrailingBlank).filter(isTelling);
  }
  return ok(sections);
}

function toSection(kind: string, path: string): PatchSection {
  if (kind === "Add") return { kind: "add", path, text: "" };
  return kind === "Delete" ? { kind: "delete", path } : { kind: "update", path, hunks: [] };
}

/** False for a line that a hunk cannot have. */
function readHunkLine(hunks: PatchHunk[], line: string): boolean {
  const last = hunks.at(-1);
  if (line.startsWith("@@")) {
    const anchor = line.replace(LINE_NUMBERS, "").replace(/^@@ ?/, "").trim();
    const isNew = !last || last.oldLines.length > 0 || last.newLines.length > 0;
    const hunk = isNew ? { anchors: [], oldLines: [], newLines: [] } : last;
    if (isNew) hunks.push(hunk);
    if (anchor !== "") hunk.anchors.push(anchor);
    return true;
  }
  if (line === "*** End of File" || line.startsWith("\\ No newline")) return true;
  const hunk = last ?? { anchors: [], oldLines: [], newLines: [] };
  if (!last) hunks.push(hunk);
  const rest = line.slice(1);
  if (line === "" || line.startsWith(" ")) {
    hunk.oldLines.push(rest);
    hunk.newLines.push(rest);
  } else if (line.startsWith("-")) hunk.oldLines.push(rest);
  else if (line.startsWith("+")) hunk.newLines.push(rest);
  else return line.startsWith("```");
  return true;
}

/** Models leave an empty line before the next header. It is not a line of the file. */
function withoutTrailingBlank(hunk: PatchHunk): PatchHunk {
  const { oldLines, newLines } = hunk;
  const isBlank = oldLines.at(-1) === "" && newLines.at(-1) === "" && oldLines.length > 1;
  return isBlank ? { ...hunk, oldLines: oldLines.slice(0, -1), newLines: newLines.slice(0, -1) } : hunk;
}

function isTelling({ oldLines, newLines }: PatchHunk): boolean {
  return oldLines.join("\n") !== newLines.join("\n");
}

function isFiller(line: string): boolean {
  return line.trim() === "" || line === "*** End of File" || line.startsWith("```");
}

function bad(i: number, why: string): Result<never> {
  return err("bad_patch", `Line ${i + 1} of the patch cannot be read: ${why}.`);
}

/**
 * The text after all hunks, each searched after the one before it. Failures: those of `patchText`, `anchor_not_found`,
 * `nothing_to_change`; with the number of the hunk when there are several.
 */
export function applyHunks(text: string, hunks: readonly PatchHunk[], maxChars: number): Result<string> {
  let [now, from] = [text, 0];
  for (const [i, hunk] of hunks.entries()) {
    const applied = applyHunk(now, from, hunk, maxChars);
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

function applyHunk(
  text: string,
  from: number,
  { anchors, oldLines, newLines }: PatchHunk,
  maxChars: number,
): Result<string> {
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
  if (oldLines.every((line) => line === ""))
    return insertLines(text, anchors.length > 0 ? start : null, newLines, maxChars);
  const passage = { oldString: oldLines.join("\n"), newString: newLines.join("\n"), replaceAll: false, maxChars };
  const after = patchText(text.slice(start), { ...passage, takeFirst: anchors.length > 0 });
  if (after.ok) return ok(text.slice(0, start) + after.value.text);
  if (start === 0 || after.failure.code === "several_matches") return after;
  // The hunk may lie before the one above it. Line numbers in a failure are then those of the whole text.
  const anywhere = patchText(text, passage);
  return anywhere.ok ? ok(anywhere.value.text) : anywhere;
}

/** Without a place the lines go to the end; otherwise after the line that begins there. */
function insertLines(text: string, after: number | null, lines: string[], maxChars: number): Result<string> {
  const lineEnd = after === null ? -1 : text.indexOf("\n", after);
  const at = lineEnd < 0 ? text.length : lineEnd + 1;
  const isOpen = at > 0 && text[at - 1] !== "\n";
  const inserted = `${isOpen ? "\n" : ""}${lines.join("\n")}\n`;
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
