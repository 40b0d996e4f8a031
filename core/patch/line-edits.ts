// What turns one list of lines into another. Read by the undo of a revision and by the merge of a package. Pure.
import { diffArrays } from "diff";

/** With more differing lines than this, a file counts as rewritten: the search takes quadratic time, here 0.1 s. */
export const MAX_EDITS = 1_000;

/** A carriage return belongs to its line, so line ends are kept and compared. */
export function toLines(text: string): { lines: string[]; endsWithBreak: boolean } {
  const lines = text.split("\n");
  const endsWithBreak = lines.at(-1) === "";
  return { lines: endsWithBreak ? lines.slice(0, -1) : lines, endsWithBreak };
}

export interface LineEdit {
  /** Lines from `from` up to but not including `to` become `lines`. */
  from: number;
  to: number;
  lines: string[];
}

/** In order. Null when the texts differ too much. */
export function diffToEdits(from: string[], to: string[]): LineEdit[] | null {
  const pieces = diffArrays(from, to, { maxEditLength: MAX_EDITS });
  if (!pieces) return null;
  const edits: LineEdit[] = [];
  let at = 0;
  let open: LineEdit | null = null;
  for (const { value, added, removed } of pieces) {
    if (!added && !removed) {
      open = null;
      at += value.length;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      edits.push(open);
    }
    if (added) {
      open.lines.push(...value);
    } else {
      at += value.length;
      open.to = at;
    }
  }
  return edits;
}
