// What an agent said that it had read where its reviewer cannot see it: before the range under review, or in what was cut out of
// a long result. Called when a job is made; the job carries these lines, so that nobody takes them for the agent's own. Pure.
import type { Entry } from "../../schemas/entry.ts";
import { fragmentsOf } from "./fragments.ts";
import type { TaintIndex } from "./taint-index.ts";
import { stringsIn } from "./text.ts";
import { toIndex } from "./taint.ts";
import { toClaims } from "./claims.ts";
import { foreignIn, readClaims, toRuns } from "./words.ts";

/** What a job may carry of them, and how long each may be. */
const MAX_CHARS = 150_000;
const MAX_PIECE_CHARS = 400;
/** So much of it at once, cut where a word ends if there is one. */
const WORDS = new RegExp(`[^]{1,${MAX_PIECE_CHARS}}(?:\\s{1,400}|$)|[^]{1,${MAX_PIECE_CHARS}}`, "gu");
/** The newest: a lesson is about how the work ended. What the agent said goes before what it wrote into calls. */
const MAX_LINES = 5_000;
/** Each is looked for in all that was read. More of them count as read. */
const MAX_FRAGMENTS = 1_000;

/**
 * Lines of what the agent said in the entries `said` that come from content of `entries` before them, where `shown` does not
 * tell so.
 */
export function taintedPieces(entries: Entry[], { said, shown }: { said: Set<number>; shown: Entry[] }): string[] {
  const own = entries.filter(({ n }) => said.has(n));
  const lines = [...new Set([...own.flatMap(linesInCalls), ...own.flatMap(linesSaid)])].slice(-MAX_LINES);
  if (lines.length === 0 || !entries.some(({ parts }) => parts.some(({ source }) => source === "content"))) return [];
  const read = readLines(lines, toIndex({ entries }));
  if (read.length === 0) return [];
  const told = new Set(shown.length === 0 ? [] : readLines(read, toIndex({ entries: shown })));
  return newest(read.filter((line) => !told.has(line)));
}

function newest(lines: string[]): string[] {
  let chars = 0;
  const first = lines.findLastIndex((line) => (chars += line.length) > MAX_CHARS);
  return lines.slice(first + 1);
}

function linesSaid(entry: Entry): string[] {
  return entry.kind === "assistant" ? entry.parts.flatMap(({ text }) => linesOf(text)) : [];
}

function linesInCalls(entry: Entry): string[] {
  return entry.kind === "assistant" ? entry.answer.calls.flatMap(({ args }) => linesOf(stringsIn(args))) : [];
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .flatMap(inPieces)
    .filter((line) => line.length > 3);
}

/** A long answer may be one line: it is taken by sentences, and what is longer still by words. */
function inPieces(line: string): string[] {
  const pieces: string[] = [];
  let open = "";
  for (const sentence of line.split(/(?<=[.!?…])\s+/)) {
    for (const words of sentence.match(WORDS) ?? []) {
      if (open.length + words.length > MAX_PIECE_CHARS) {
        pieces.push(open);
        open = "";
      }
      open = `${open} ${words}`.trim();
    }
  }
  return [...pieces, open].map((piece) => piece.toWellFormed());
}

/** All of them in a few passes: one by one would take a pass each. */
function readLines(lines: string[], index: TaintIndex): string[] {
  const found = new Set<string>();
  const byFragment = new Map<string, boolean>();
  for (const line of lines) {
    for (const fragment of fragmentsOf(line)) {
      const isMore = byFragment.size >= MAX_FRAGMENTS;
      const isRead = byFragment.get(fragment.text) ?? (isMore || index.whoseFragment(fragment) !== null);
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
  const claims = lines.map((line) => toClaims({ prose: [line] }, index));
  const lineOf = new Map(claims.flatMap((own, n) => own.map((claim) => [claim, lines[n]!] as const)));
  for (const claim of claims.flat()) if (foreignIn(claim, index)) found.add(lineOf.get(claim)!);
  for (const { claim } of readClaims(claims.flat(), index, (key) => index.isRead(key))) found.add(lineOf.get(claim)!);
  return lines.filter((line) => found.has(line));
}
