// Scans what a change of a skill adds, not what was there before: an old finding in a person's file does not block a
// patch elsewhere, even in the same file. Called by operations.ts for all writes of a model. Pure.
import { type Failure, err } from "../../errors.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import { type FileFinding, decide, scanFiles } from "../scanner/scanner.ts";

const MAX_REASONS = 5;
/** Rounds that remove found lines from the old text, since a scan reports one place per pattern. */
const MAX_ROUNDS = 10;

/**
 * All writes of an agent are judged alike. That a person asked for a write does not make its words theirs: the agent
 * may have read them anywhere. Failures: `scan_refused`, which nothing lifts, and `scan_doubtful`, which a person may
 * approve.
 */
export function checkScan(before: FileBodies, after: FileBodies, isApproved: boolean): Failure | null {
  const findings = scanChange(before, after);
  const decision = decide(findings, "foreground");
  if (decision === "allow" || (decision === "ask" && isApproved)) return null;
  const severe = findings.filter(isSevere).slice(0, MAX_REASONS);
  const facts = { findings: severe.map(({ path, line, reason }) => ({ path, line, reason })) };
  const list = severe.map(({ path, line, reason }) => `${path}, line ${line}: ${reason}`).join("; ");
  if (decision === "block") {
    const message = `This was not stored, because following it would do harm (${list}). Leave it out.`;
    return err("scan_refused", message, facts).failure;
  }
  const advice = "Leave it out. If it is needed, say so in your answer, so that the person can add it.";
  return err("scan_doubtful", `Following this may do harm (${list}). ${advice}`, facts).failure;
}

/** Findings that the files did not have before, by path and line. */
function scanChange(before: FileBodies, after: FileBodies): FileFinding[] {
  const changed = Object.entries(after).filter(([path, body]) => !Object.hasOwn(before, path) || before[path] !== body);
  return changed.flatMap(([path, body]) => {
    const found = scanFiles({ [path]: body });
    const old = before[path];
    if (!found.some(isSevere) || typeof old !== "string" || typeof body !== "string") return found;
    const { lines, patterns } = oldFindings(path, old);
    const others = scanFiles({ [path]: blankLines(body, lines) });
    // Findings about a whole file, such as its size, are old if the file already had them.
    return others.filter(({ pattern, category }) => category !== "structure" || !patterns.has(pattern));
  });
}

function isSevere({ severity }: FileFinding): boolean {
  return severity === "critical" || severity === "high";
}

/** The lines with findings, with their counts, and the names of all patterns. */
function oldFindings(path: string, text: string): { lines: Map<string, number>; patterns: Set<string> } {
  const lines = new Map<string, number>();
  const patterns = new Set<string>();
  let rest = text.split("\n");
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = scanFiles({ [path]: rest.join("\n") }).filter(isSevere);
    for (const { pattern } of found) patterns.add(pattern);
    const places = new Set(found.map(({ line }) => line - 1).filter((at) => rest[at]));
    if (places.size === 0) break;
    for (const at of places) lines.set(rest[at]!, (lines.get(rest[at]!) ?? 0) + 1);
    rest = rest.map((line, at) => (places.has(at) ? "" : line));
  }
  return { lines, patterns };
}

/** Empties as many copies of each line as were there before. One more copy is new. */
function blankLines(text: string, lines: Map<string, number>): string {
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
