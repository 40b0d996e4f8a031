// What an agent said that it had read where its reviewer cannot see it: before the range under review, or in what was cut out of
// a long result. Called when a job is made; the job carries these lines, so that nobody takes them for the agent's own. Pure.
import type { Entry } from "../schemas/entry.ts";
import { fragmentsOf } from "./fragments.ts";
import type { TaintIndex } from "./taint-index.ts";
import { stringsIn } from "./taint-text.ts";
import { toIndex } from "./taint.ts";
import { readClaims, toClaims, toRuns } from "./taint-words.ts";

/** What a job may carry of them, and how long each may be. */
const MAX_PIECES = 400;
const MAX_PIECE_CHARS = 400;
/** The newest: a lesson is about how the work ended. */
const MAX_LINES = 800;

/**
 * Lines of what the agent said in the entries `said` that come from content of `entries` before them, where `shown` does not
 * tell so.
 */
export function taintedPieces(entries: Entry[], { said, shown }: { said: Set<number>; shown: Entry[] }): string[] {
  const lines = [...new Set(entries.filter(({ n }) => said.has(n)).flatMap(ownLines))].slice(-MAX_LINES);
  if (lines.length === 0 || !entries.some(({ parts }) => parts.some(({ source }) => source === "content"))) return [];
  const read = readLines(lines, toIndex({ entries }));
  if (read.length === 0) return [];
  const told = new Set(shown.length === 0 ? [] : readLines(read, toIndex({ entries: shown })));
  return read.filter((line) => !told.has(line)).slice(-MAX_PIECES);
}

function ownLines(entry: Entry): string[] {
  if (entry.kind !== "assistant") return [];
  const texts = [...entry.parts.map(({ text }) => text), ...entry.answer.calls.map(({ args }) => stringsIn(args))];
  return texts
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim().slice(0, MAX_PIECE_CHARS).toWellFormed())
    .filter((line) => line.length > 3);
}

/** All of them in a few passes: one by one would take a pass each. */
function readLines(lines: string[], index: TaintIndex): string[] {
  const found = new Set<string>();
  const byFragment = new Map<string, boolean>();
  for (const line of lines) {
    for (const fragment of fragmentsOf(line)) {
      const isRead = byFragment.get(fragment.text) ?? index.whoseFragment(fragment) !== null;
      byFragment.set(fragment.text, isRead);
      if (isRead) found.add(line);
    }
  }
  const byRun = new Map<string, string[]>();
  const runs = lines.flatMap((line) => {
    const own = toRuns([line], index);
    for (const run of own) byRun.set(run.join(" "), [...(byRun.get(run.join(" ")) ?? []), line]);
    return own;
  });
  for (const { run } of index.readRuns(runs)) for (const line of byRun.get(run.join(" ")) ?? []) found.add(line);
  const claims = lines.map((line) => toClaims([line], index));
  const lineOf = new Map(claims.flatMap((own, n) => own.map((claim) => [claim, lines[n]!] as const)));
  for (const { claim } of readClaims(claims.flat(), index, (key) => index.isRead(key))) found.add(lineOf.get(claim)!);
  return lines.filter((line) => found.has(line));
}
