// What became of a move: counted by kind, with a note for everything that did not come as it was. Used by import and export.
import { MOVED_KINDS, type MoveNote, type MovedKind } from "../../../core/moving/foreign/foreign-home.ts";
import type { Output } from "../../output/output.ts";

/** By kind, the names of what was moved, and of what was there before. */
export interface MoveReport {
  moved: Record<MovedKind, string[]>;
  there: Record<MovedKind, string[]>;
  notes: MoveNote[];
}

export function createReport(notes: MoveNote[]): MoveReport {
  const empty = () =>
    Object.fromEntries(MOVED_KINDS.map((kind) => [kind, [] as string[]])) as Record<MovedKind, string[]>;
  return { moved: empty(), there: empty(), notes };
}

const NOUNS: Record<MovedKind, string> = {
  skills: "skills",
  memory: "facts",
  personality: "personality",
  jobs: "jobs",
  sessions: "conversations",
};

const HEADINGS: [kind: MoveNote["kind"], heading: string][] = [
  ["refused", "Refused:"],
  ["changed", "Not as it was:"],
  ["no_equal", "No equal:"],
  ["left_out", "Left out:"],
];

/** `verb`: what was done with those that were moved, such as `came`. */
export function showReport(
  output: Output,
  report: MoveReport,
  { verb, only }: { verb: string; only: readonly MovedKind[] },
): void {
  for (const kind of only) {
    const [moved, there] = [report.moved[kind].length, report.there[kind].length];
    if (moved + there === 0) continue;
    const parts = [...(moved > 0 ? [`${moved} ${verb}`] : []), ...(there > 0 ? [`${there} there already`] : [])];
    output.text(`${NOUNS[kind]}: ${parts.join(", ")}`);
  }
  for (const [kind, heading] of HEADINGS) {
    const notes = report.notes.filter((note) => note.kind === kind);
    if (notes.length === 0) continue;
    output.note(heading);
    for (const { what, why, how } of notes)
      output.note(`  ${what}: ${why}${how === undefined ? "" : `. To have it: ${how}`}.`);
  }
}
