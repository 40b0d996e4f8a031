// A difference as the API sends it: a unified diff of one or more files, or lines of facts with their sign.
import { useMemo } from "preact/hooks";
import type { DiffLine } from "./compare-texts.ts";
import { DiffLines } from "./diff.tsx";

/** `name`: of what is changed, for screen readers. */
export function UnifiedDiff({ name, diff }: { name: string; diff: string }) {
  const parts = useMemo(() => parseUnified(diff), [diff]);
  if (parts.length === 0) return <p class="muted">Nothing changes in the text.</p>;
  return (
    <>
      {parts.map(({ path, lines }, i) =>
        // Such as a change of state.
        path === null && lines.every(({ kind }) => kind === "same") ? (
          <p key={i} class="small" dir="auto">
            {lines.map(({ text }) => text).join(", ")}
          </p>
        ) : (
          <div key={i} class="diff-file">
            {path !== null && (
              <p class="mono small" dir="auto">
                {path}
              </p>
            )}
            <DiffLines name={path === null ? name : `${name}: ${path}`} lines={lines} />
          </div>
        ),
      )}
    </>
  );
}

export interface DiffPart {
  /** `null`: lines outside a file. */
  path: string | null;
  lines: DiffLine[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The counts of a hunk say where it ends, so a removed line that begins with two dashes is not a header. */
export function parseUnified(diff: string): DiffPart[] {
  const parts: DiffPart[] = [];
  const rows = diff.split("\n");
  if (rows.at(-1) === "") rows.pop();
  let part: DiffPart | null = null;
  let left = { old: 0, new: 0 };
  let at = { old: 1, new: 1 };
  const open = (path: string | null): DiffPart => {
    const opened: DiffPart = { path, lines: [] };
    parts.push(opened);
    return opened;
  };
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const [sign, text] = [row[0], row.slice(1)];
    if (left.old > 0 || left.new > 0) {
      part ??= open(null);
      if (sign === "+") part.lines.push({ kind: "added", text, new: at.new++ });
      else if (sign === "-") part.lines.push({ kind: "removed", text, old: at.old++ });
      else if (sign !== "\\") part.lines.push({ kind: "same", text, old: at.old++, new: at.new++ });
      if (sign === "+" || (sign !== "-" && sign !== "\\")) left.new -= 1;
      if (sign === "-" || (sign !== "+" && sign !== "\\")) left.old -= 1;
      continue;
    }
    const hunk = HUNK.exec(row);
    if (hunk) {
      const [, oldStart, oldCount = "1", newStart, newCount = "1"] = hunk;
      part ??= open(null);
      if (part.lines.length > 0) part.lines.push({ kind: "gap", text: "" });
      at = { old: Number(oldStart), new: Number(newStart) };
      left = { old: Number(oldCount), new: Number(newCount) };
    } else if (row.startsWith("--- ") && rows[i + 1]?.startsWith("+++ ")) {
      const [before, after] = [row.slice(4), rows[++i]!.slice(4)];
      part = open(toPath(after === "/dev/null" ? before : after));
    } else if (sign !== "\\") {
      if (part === null || part.path !== null) part = open(null);
      part.lines.push(toLooseLine(row));
    }
  }
  return parts;
}

/** Without the `a/` or `b/` of the form. */
function toPath(name: string): string {
  return name.replace(/^[ab]\//, "").split("\t", 1)[0]!;
}

function toLooseLine(row: string): DiffLine {
  if (row.startsWith("+ ")) return { kind: "added", text: row.slice(2) };
  if (row.startsWith("- ")) return { kind: "removed", text: row.slice(2) };
  return { kind: "same", text: row };
}
