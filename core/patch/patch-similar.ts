// Finds a passage by similarity: between two equal lines (block anchors), or with every line nearly as remembered
// (context). Called by patch.ts, with folded lines, when nothing is equal. Pure. Returns nothing when the work budget
// is exceeded, because an unfinished search cannot prove that a place is unique.
import { distance } from "fastest-levenshtein";

/** Remaining work, in cells of an edit-distance table. */
export interface WorkBudget {
  left: number;
}

/** A few tenths of a second at worst. */
export const MAX_WORK = 8_000_000;
/** Cost of one pair of characters in a map, in cells. */
const PAIR_WORK = 8;

const MIN_ANCHORED_LINES = 3;
const MIN_CONTEXT_LINES = 2;
/** Minimum similarity of the lines between the anchors (Hermes Agent): with one candidate, and with several. */
const ONE_CANDIDATE = 0.5;
const SEVERAL_CANDIDATES = 0.7;
/** Minimum similarity of each line (Hermes Agent). */
const CONTEXT = 0.8;

/** First lines of the places whose first and last line are equal and whose middle is similar. */
export function findAnchored(lines: string[], wanted: string[], work: WorkBudget): number[] {
  const last = wanted.length - 1;
  const anchors = [wanted[0]!, wanted[last]!];
  // Two brackets or fences are too common to be anchors.
  if (wanted.length < MIN_ANCHORED_LINES || !anchors.some((line) => /[\p{L}\p{N}]/u.test(line))) return [];
  const candidates: number[] = [];
  for (let at = 0; at + last < lines.length; at++) {
    if (lines[at] === anchors[0] && lines[at + last] === anchors[1]) candidates.push(at);
  }
  const least = candidates.length > 1 ? SEVERAL_CANDIDATES : ONE_CANDIDATE;
  const middle = wanted.slice(1, last).map(toRememberedLine);
  const found = candidates.filter((at) => work.left > 0 && middleLikeness(lines, at + 1, middle, work) >= least);
  return work.left > 0 ? found : [];
}

/** First lines of the places where every line is similar. Compares the first and last line first. */
export function findByContext(lines: string[], wanted: string[], work: WorkBudget): number[] {
  if (wanted.length < MIN_CONTEXT_LINES) return [];
  const remembered = wanted.map(toRememberedLine);
  const last = wanted.length - 1;
  const order = [0, last, ...Array.from({ length: last - 1 }, (_, k) => k + 1)];
  const found: number[] = [];
  for (let at = 0; at + last < lines.length && work.left > 0; at++) {
    if (order.every((k) => isAlike(lines[at + k]!, remembered[k]!, CONTEXT, work))) found.push(at);
  }
  return work.left > 0 ? found : [];
}

/**
 * Returns a function that rates the similarity of a line to the wanted one, from 0 to 1: by edit distance or by shared
 * pairs, whichever is higher.
 */
export function toLikeness(wanted: string, work: WorkBudget = { left: MAX_WORK }): (line: string) => number {
  const remembered = toRememberedLine(wanted);
  return (line) => likeness(line, remembered, work);
}

interface RememberedLine {
  text: string;
  pairs: Map<string, number>;
}

function toRememberedLine(text: string): RememberedLine {
  return { text, pairs: pairsOf(text) };
}

function middleLikeness(lines: string[], from: number, middle: RememberedLine[], work: WorkBudget): number {
  let alike = 0;
  let whole = 0;
  for (const [k, wanted] of middle.entries()) {
    const line = lines[from + k]!;
    const weight = Math.max(line.length, wanted.text.length);
    if (weight > 0) alike += weight * likeness(line, wanted, work);
    whole += weight;
  }
  return whole === 0 ? 1 : alike / whole;
}

function isAlike(line: string, wanted: RememberedLine, least: number, work: WorkBudget): boolean {
  work.left -= 1;
  if (line === wanted.text) return true;
  const [shorter, longer] = [line.length, wanted.text.length].sort((a, b) => a - b) as [number, number];
  // An upper bound of both measures.
  if ((2 * shorter) / (shorter + longer) < least) return false;
  return likeness(line, wanted, work) >= least;
}

/** Maximum length of a line that is compared by edit distance. Longer lines are compared by pairs only. */
const MAX_DISTANCE_CHARS = 256;

function likeness(line: string, wanted: RememberedLine, work: WorkBudget): number {
  if (work.left <= 0) return 0;
  work.left -= PAIR_WORK * (line.length + 1);
  if (line === wanted.text) return 1;
  const longest = Math.max(line.length, wanted.text.length);
  const shared = sharedPairs(line, wanted.pairs);
  const sum = line.length + wanted.text.length - 2;
  const byPairs = sum > 0 ? (2 * shared) / sum : 0;
  if (longest > MAX_DISTANCE_CHARS || work.left <= 0) return byPairs;
  // One edit destroys at most two pairs, so the distance is at least half of the unshared pairs.
  const atMost = 1 - Math.max(0, longest - 1 - shared) / 2 / longest;
  if (atMost <= byPairs) return byPairs;
  work.left -= line.length * wanted.text.length;
  return Math.max(byPairs, 1 - distance(line, wanted.text) / longest);
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Time is linear in the line. */
function sharedPairs(line: string, wanted: Map<string, number>): number {
  let shared = 0;
  for (const [pair, count] of pairsOf(line)) shared += Math.min(count, wanted.get(pair) ?? 0);
  return shared;
}
