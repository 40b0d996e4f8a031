// The passage of a message that has most words of a query, with the places of these words. Used by the tool session_search and by
// GET /v1/search. Pure.
import { type WordRange, findWords } from "./message-words.ts";

export interface Snippet {
  /** A passage of the text; "…" marks a cut. */
  text: string;
  /** The query's words in `text`: UTF-16 offsets, the second exclusive, in order and apart. */
  highlights: [from: number, to: number][];
}

const CUT = "…";
/** How far a cut moves in order not to split a word. */
const MAX_WORD_SHIFT = 24;

/** `words`: what `toQueryWords` returns. The snippet has at most `maxChars` characters. Without a match it is the beginning. */
export function toSnippet(text: string, words: string[], maxChars: number): Snippet {
  const ranges = findWords(text, words);
  if (text.length <= maxChars) return { text, highlights: mergeRanges(ranges) };
  const { from, to } = choosePassage(text, ranges, Math.max(1, maxChars - 2 * CUT.length));
  const [before, after] = [from > 0 ? CUT : "", to < text.length ? CUT : ""];
  const shift = before.length - from;
  const inside = ranges.filter((range) => range.from >= from && range.to <= to);
  const moved = inside.map((range) => ({ ...range, from: range.from + shift, to: range.to + shift }));
  return { text: `${before}${text.slice(from, to)}${after}`, highlights: mergeRanges(moved) };
}

/** The passage of `maxChars` characters with the most different words. The first of equal ones wins. */
function choosePassage(text: string, ranges: WordRange[], maxChars: number): { from: number; to: number } {
  const { first, last } = findDensest(ranges, maxChars);
  const lead = first && last ? Math.floor((maxChars - (last.to - first.from)) / 2) : 0;
  const wanted = Math.max(0, (first?.from ?? 0) - Math.max(0, lead));
  const start = Math.min(wanted, text.length - maxChars);
  const from = toWordStart(text, start, first?.from ?? start);
  const end = Math.min(text.length, start + maxChars);
  return { from, to: toWordEnd(text, end, last ? Math.min(last.to, end) : from) };
}

/** The first and the last word of the best passage. Moves one window over the ranges and counts the words in it. */
function findDensest(ranges: WordRange[], maxChars: number): { first?: WordRange; last?: WordRange } {
  const counts = new Map<string, number>();
  let best: { first?: WordRange; last?: WordRange } = {};
  let most = 0;
  let start = 0;
  for (const range of ranges) {
    counts.set(range.word, (counts.get(range.word) ?? 0) + 1);
    for (; range.to - ranges[start]!.from > maxChars && ranges[start] !== range; start++) {
      const { word } = ranges[start]!;
      const left = counts.get(word)! - 1;
      if (left === 0) counts.delete(word);
      else counts.set(word, left);
    }
    if (counts.size > most) [most, best] = [counts.size, { first: ranges[start]!, last: range }];
  }
  return best;
}

/** The next beginning of a word at or after `at`, but not after `latest`. Never splits a character. */
function toWordStart(text: string, at: number, latest: number): number {
  if (at === 0) return 0;
  const blank = text.slice(at - 1, Math.min(latest, at + MAX_WORD_SHIFT)).search(/\s/);
  if (blank >= 0) return at + blank;
  return isLowSurrogate(text, at) ? at + 1 : at;
}

/** The last end of a word at or before `at`, but not before `earliest`. Never splits a character. */
function toWordEnd(text: string, at: number, earliest: number): number {
  if (at === text.length) return at;
  for (let end = at; end > earliest && end > at - MAX_WORD_SHIFT; end--) {
    if (/\s/.test(text[end]!)) return end;
  }
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "");
}

/** Pairs of characters overlap. */
function mergeRanges(ranges: WordRange[]): [number, number][] {
  const merged: [number, number][] = [];
  for (const { from, to } of ranges) {
    const last = merged.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
