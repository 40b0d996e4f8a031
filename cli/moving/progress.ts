// How an export or import says how far it is: one line at most every second, and only to a person at a terminal.
import type { Output } from "../output/output.ts";

const EVERY_MS = 1_000;

export function createProgress(
  output: Pick<Output, "isTerminal" | "note">,
  now: () => number = Date.now,
): (line: string) => void {
  let last = -Infinity;
  return (line) => {
    if (!output.isTerminal || now() - last < EVERY_MS) return;
    last = now();
    output.note(line);
  };
}

export function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
