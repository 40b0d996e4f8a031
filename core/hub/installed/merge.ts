// Merges what was changed here with what an update changes, by three texts: the installed one, the one here, and the new one. Line by line;
// both changes are kept where they do not touch, as git does it. Bytes that are not text are kept or replaced whole. Pure.
import { type LineEdit, diffToEdits, toLines } from "../../patch/line-edits.ts";
import { type FileBodies, type FileBody, bodyAt, isSameBody } from "../../schemas/file-body.ts";

export interface MergeConflict {
  path: string;
  /** Of the text here, from 1; 0 for the whole file. */
  line: number;
  /** What both made of the place; clipped. */
  here: string;
  there: string;
}

export interface Merged {
  files: FileBodies;
  /** If there are any, `files` has the text of here in their places. */
  conflicts: MergeConflict[];
}

/** A file that both sides removed is gone; one that one side removed and the other changed is a conflict. */
export function mergeFiles(base: FileBodies, here: FileBodies, there: FileBodies): Merged {
  const paths = [...new Set([...Object.keys(base), ...Object.keys(here), ...Object.keys(there)])].sort();
  const files: [path: string, body: FileBody][] = [];
  const conflicts: MergeConflict[] = [];
  for (const path of paths) {
    const merged = mergeFile(bodyAt(base, path), bodyAt(here, path), bodyAt(there, path));
    if (merged.body !== undefined) files.push([path, merged.body]);
    conflicts.push(...merged.conflicts.map((conflict) => ({ path, ...conflict })));
  }
  return { files: Object.fromEntries(files), conflicts };
}

interface MergedFile {
  body: FileBody | undefined;
  conflicts: Omit<MergeConflict, "path">[];
}

function mergeFile(base: FileBody | undefined, here: FileBody | undefined, there: FileBody | undefined): MergedFile {
  if (isSameBody(here, there) || isSameBody(base, there)) return { body: here, conflicts: [] };
  if (isSameBody(base, here)) return { body: there, conflicts: [] };
  const whole = { body: here, conflicts: [{ line: 0, here: describe(here), there: describe(there) }] };
  if (typeof here !== "string" || typeof there !== "string") return whole;
  // Added on both sides: nothing says how the two belong together.
  if (typeof base !== "string") return whole;
  return mergeText(base, here, there) ?? whole;
}

function describe(body: FileBody | undefined): string {
  if (body === undefined) return "removed";
  return typeof body === "string" ? "changed" : `${body.length} bytes that are not text`;
}

/** Null when the texts differ too much to be compared line by line. */
function mergeText(base: string, here: string, there: string): MergedFile | null {
  const [old, own, other] = [toLines(base), toLines(here), toLines(there)];
  const ownEdits = diffToEdits(old.lines, own.lines);
  const otherEdits = diffToEdits(old.lines, other.lines);
  if (!ownEdits || !otherEdits) return null;
  const lines: string[] = [];
  const conflicts: MergedFile["conflicts"] = [];
  let at = 0;
  for (const group of groupTouching(ownEdits, otherEdits)) {
    lines.push(...old.lines.slice(at, group.from));
    const ownLines = applyEdits(old.lines, group, group.own);
    const otherLines = applyEdits(old.lines, group, group.other);
    if (group.own.length > 0 && group.other.length > 0 && ownLines.join("\n") !== otherLines.join("\n")) {
      conflicts.push({ line: lines.length + 1, here: clipLines(ownLines), there: clipLines(otherLines) });
    }
    lines.push(...(group.own.length > 0 ? ownLines : otherLines));
    at = group.to;
  }
  lines.push(...old.lines.slice(at));
  const endsWithBreak = own.endsWithBreak === old.endsWithBreak ? other.endsWithBreak : own.endsWithBreak;
  return { body: lines.join("\n") + (endsWithBreak && lines.length > 0 ? "\n" : ""), conflicts };
}

interface EditGroup {
  /** Lines of the base. */
  from: number;
  to: number;
  own: LineEdit[];
  other: LineEdit[];
}

/** Edits of both sides in order; those that overlap or touch are one group. */
function groupTouching(own: LineEdit[], other: LineEdit[]): EditGroup[] {
  const all = [...own.map((edit) => ({ edit, isOwn: true })), ...other.map((edit) => ({ edit, isOwn: false }))].sort(
    (a, b) => a.edit.from - b.edit.from || a.edit.to - b.edit.to,
  );
  const groups: EditGroup[] = [];
  for (const { edit, isOwn } of all) {
    const last = groups.at(-1);
    const group = last && edit.from <= last.to ? last : { from: edit.from, to: edit.to, own: [], other: [] };
    if (group !== last) groups.push(group);
    group.to = Math.max(group.to, edit.to);
    (isOwn ? group.own : group.other).push(edit);
  }
  return groups;
}

/** What one side makes of the group's lines. */
function applyEdits(base: string[], { from, to }: EditGroup, edits: LineEdit[]): string[] {
  const lines: string[] = [];
  let at = from;
  for (const edit of edits) {
    lines.push(...base.slice(at, edit.from), ...edit.lines);
    at = edit.to;
  }
  return [...lines, ...base.slice(at, to)];
}

const MAX_SHOWN_CHARS = 400;

function clipLines(lines: string[]): string {
  return lines.join("\n").slice(0, MAX_SHOWN_CHARS).toWellFormed();
}
