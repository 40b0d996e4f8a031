// Reads the multi-file form of a patch, which several models were trained on ("*** Begin Patch"). Called by the tool patch. Pure.
// Tolerates what models add around it: code fences, words before the beginning, a missing end.
import { type Result, err, ok } from "../errors.ts";

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
  // With a blank before it, it is a line of a file.
  const end = lines.findIndex((line, i) => i > begin && line.trimEnd() === "*** End Patch");
  const after = end < 0 ? -1 : lines.findIndex((line, i) => i > end && HEADER.test(line));
  if (after >= 0) return bad(after, "'*** End Patch' comes before this file. Put all files before it");
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
