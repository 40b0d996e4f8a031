// Scans what a change of a skill writes, and nothing that stood there before: an old finding in a person's file does not
// block a patch elsewhere, also not elsewhere in that file. Called by operations.ts for whatever a model writes. Pure.
import { type Failure, err } from "../../errors.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import { type FileFinding, decide, scanFiles } from "../scanner/scanner.ts";

const MAX_REASONS = 5;
/** Rounds in which the lines of an old text that it was found for are taken out; a scan names one place a pattern. */
const MAX_ROUNDS = 10;

/**
 * Failures: `scan_refused`, which nothing lifts, and `scan_doubtful`, which a person may. Who asks an agent to write does
 * not make its words theirs: it may have read them anywhere, so all its writing is judged alike.
 */
export function checkScan(before: FileBodies, after: FileBodies, isApproved: boolean): Failure | null {
  const findings = scanChange(before, after);
  const decision = decide(findings, "foreground");
  if (decision === "allow" || (decision === "ask" && isApproved)) return null;
  const grave = findings.filter(isGrave).slice(0, MAX_REASONS);
  const facts = { findings: grave.map(({ path, line, reason }) => ({ path, line, reason })) };
  const list = grave.map(({ path, line, reason }) => `${path}, line ${line}: ${reason}`).join("; ");
  return decision === "block"
    ? err(
        "scan_refused",
        `This is not kept, because it would do harm when it is followed (${list}). Leave it out.`,
        facts,
      ).failure
    : err(
        "scan_doubtful",
        `This may do harm when it is followed (${list}). Leave it out; if it is needed, say so in your answer, so that the person can add it.`,
        facts,
      ).failure;
}

/** Findings that the files did not have before, by path and line. */
function scanChange(before: FileBodies, after: FileBodies): FileFinding[] {
  const changed = Object.entries(after).filter(([path, body]) => !Object.hasOwn(before, path) || before[path] !== body);
  return changed.flatMap(([path, body]) => {
    const found = scanFiles({ [path]: body });
    const old = before[path];
    if (!found.some(isGrave) || typeof old !== "string" || typeof body !== "string") return found;
    const { lines, patterns } = oldFindings(path, old);
    const others = scanFiles({ [path]: blank(body, lines) });
    // What is not said by one line, such as the size, is old as long as it was there.
    return others.filter(({ pattern, category }) => category !== "structure" || !patterns.has(pattern));
  });
}

function isGrave({ severity }: FileFinding): boolean {
  return severity === "critical" || severity === "high";
}

/** Lines with how often each was found, and the names of all patterns. */
function oldFindings(path: string, text: string): { lines: Map<string, number>; patterns: Set<string> } {
  const lines = new Map<string, number>();
  const patterns = new Set<string>();
  let rest = text.split("\n");
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = scanFiles({ [path]: rest.join("\n") }).filter(isGrave);
    for (const { pattern } of found) patterns.add(pattern);
    const places = new Set(found.map(({ line }) => line - 1).filter((at) => rest[at]));
    if (places.size === 0) break;
    for (const at of places) lines.set(rest[at]!, (lines.get(rest[at]!) ?? 0) + 1);
    rest = rest.map((line, at) => (places.has(at) ? "" : line));
  }
  return { lines, patterns };
}

/** With as many of the lines emptied as there were: one more of them is new. */
function blank(text: string, lines: Map<string, number>): string {
  const left = new Map(lines);
  return text
    .split("\n")
    .map((line) => {
      const times = left.get(line) ?? 0;
      if (times > 0) left.set(line, times - 1);
      return times > 0 ? "" : line;
    })
    .join("\n");
}
