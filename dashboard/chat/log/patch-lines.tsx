// A difference that the server made, or a patch as the model wrote it.
import type { DiffLine } from "../../components/compare-texts.ts";
import { DiffLines } from "../../components/diff.tsx";
import { UnifiedDiff } from "../../components/unified-diff.tsx";

export function PatchLines({ name, patch }: { name: string; patch: string }) {
  const text = patch.trimEnd();
  if (/^@@ -\d/m.test(text)) return <UnifiedDiff name={name} diff={text} />;
  return <DiffLines name={name} lines={text.split("\n").map(toLine)} />;
}

function toLine(line: string): DiffLine {
  if (line.startsWith("@@")) return { kind: "gap", text: "" };
  if (line.startsWith("+")) return { kind: "added", text: line.slice(1) };
  return line.startsWith("-") ? { kind: "removed", text: line.slice(1) } : { kind: "same", text: line };
}
