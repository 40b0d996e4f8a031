// Compares two texts line by line, in a time that a reader does not notice. The package is loaded with the first comparison.
import { loadPart } from "../data/api.ts";

export type DiffLine = { kind: "same" | "added" | "removed" | "gap"; text: string; old?: number; new?: number };

/** Unchanged lines around a change. */
const CONTEXT = 3;
/** [own] The time grows with the square of the edits: these take 0.3 s, and ten thousand some ten. */
const MAX_EDITS = 2_000;

/** Without the lines that are far from any change. Texts that differ in too much are one removed and the other added. */
export async function compareTexts(before: string, after: string): Promise<DiffLine[]> {
  const { structuredPatch } = await loadPart(import("diff"));
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", before, after, "", "", options);
  if (!patch) return [...toLines(before, "removed", "old"), ...toLines(after, "added", "new")];
  return patch.hunks.flatMap((hunk, i): DiffLine[] => {
    let [old, next] = [hunk.oldStart, hunk.newStart];
    const lines = hunk.lines.flatMap((line): DiffLine[] => {
      const [sign, text] = [line[0], line.slice(1)];
      if (sign === "+") return [{ kind: "added", text, new: next++ }];
      if (sign === "-") return [{ kind: "removed", text, old: old++ }];
      // "\ No newline at end of file" is not a line of either text.
      return sign === " " ? [{ kind: "same", text, old: old++, new: next++ }] : [];
    });
    return i === 0 ? lines : [{ kind: "gap", text: "" }, ...lines];
  });
}

function toLines(text: string, kind: "removed" | "added", side: "old" | "new"): DiffLine[] {
  if (text === "") return [];
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line, i) => ({ kind, text: line, [side]: i + 1 }));
}
