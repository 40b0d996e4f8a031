// What changed between two texts, line by line. A screen reader hears "added" and "removed"; the colours only repeat the signs.
import { useEffect, useState } from "preact/hooks";
import { type DiffLine, compareTexts } from "./compare-texts.ts";
import { showHidden } from "./hidden-text.ts";
import { Failure, Loading } from "./states.tsx";

interface DiffProps {
  /** Name of the text, for screen readers. */
  name: string;
  /** `null`: there was none, or there is none any more. */
  before: string | null;
  after: string | null;
}

/** So many lines are shown, and so many more with each click: a page of 100,000 rows helps nobody. */
const STEP = 400;
const SIGNS = { same: " ", added: "+", removed: "−", gap: "⋯" };
const SPOKEN = { same: "", added: "Added: ", removed: "Removed: ", gap: "" };

export function Diff({ name, before, after }: DiffProps) {
  const [lines, setLines] = useState<DiffLine[] | Error>();
  useEffect(() => {
    let isCurrent = true;
    compareTexts(before ?? "", after ?? "").then(
      (found) => isCurrent && setLines(found),
      (error: Error) => isCurrent && setLines(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [before, after]);
  if (lines === undefined) return <Loading />;
  if (lines instanceof Error) return <Failure error={lines} retry={() => location.reload()} />;
  if (lines.length === 0) return <p class="muted">Nothing changed in the text.</p>;
  return <DiffLines name={name} lines={lines} />;
}

export function DiffLines({ name, lines }: { name: string; lines: DiffLine[] }) {
  const [count, setCount] = useState(STEP);
  const shown = lines.slice(0, count);
  return (
    <div class="diff" role="group" aria-label={`Changes of ${name}`} tabIndex={0}>
      {shown.map((line, i) => (
        <div key={i} class={`diff-line diff-${line.kind}`}>
          <span class="diff-number" aria-hidden="true">
            {line.new ?? line.old ?? ""}
          </span>
          <span class="diff-sign" aria-hidden="true">
            {SIGNS[line.kind]}
          </span>
          <code>
            {SPOKEN[line.kind] !== "" && <span class="visually-hidden">{SPOKEN[line.kind]}</span>}
            <span dir="auto">{showHidden(line.text)}</span>
          </code>
        </div>
      ))}
      {shown.length < lines.length && (
        <button type="button" class="button" onClick={() => setCount(count + STEP)}>
          Show {Math.min(STEP, lines.length - shown.length)} of {lines.length - shown.length} more lines
        </button>
      )}
    </div>
  );
}
