// How the taint rules take a text apart: into words that are the same in every form, runs of them, and the strings of plain
// data. Used by taint-index.ts and what reads it. Pure; linear in the text.
import type { Part } from "../schemas/entry.ts";
import { termsOf } from "../skills/words.ts";

/** Letters by which two forms of a word are one. */
const KEY_CHARS = 6;

const WORD = /[\p{L}\p{M}\p{N}]+|[.!?…;](?=\s|$)|\n+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

interface Token {
  /** `""` ends a sentence. */
  word: string;
  at: number;
}

/** Words, and pairs of signs where a language has no blanks, with the ends of sentences between them. */
export function* tokensOf(text: string): Generator<Token> {
  for (const { 0: run, index: at } of text.matchAll(WORD)) {
    if (!/[\p{L}\p{N}]/u.test(run)) yield { word: "", at };
    else if (run > "\u2E80" && UNSPACED.test(run)) {
      const signs = [...run];
      for (const [n, sign] of signs.slice(0, -1).entries()) yield { word: sign + signs[n + 1]!, at };
      if (signs.length === 1) yield { word: run, at };
    } else yield { word: run.toLowerCase(), at };
  }
}

/** As a result has it around what was read. */
export const FENCE = "\n<content>\n";

/** A summary, and what an external memory remembers. */
export const FENCED = /^<earlier_conversation>|^<note>\s*<memory-context>/;

/** A result that was rendered, as lines. */
export function toPlain(rendered: string): string {
  const [, body = rendered] = rendered.split(FENCE);
  return readPart({ source: "content", text: body.replace(/\n<\/content>\s*$/, "") });
}

/** What forms of one word have in common; `""` for a word that says nothing. */
export function toKey(word: string): string {
  return (termsOf(word)[0] ?? "").slice(0, KEY_CHARS);
}

/** All that a value of plain data says, keys included: they come from wherever the value does. */
export function stringsIn(value: unknown): string {
  const texts: string[] = [];
  const walk = (item: unknown): void => {
    if (typeof item === "string") texts.push(item);
    else if (typeof item === "number") texts.push(String(item));
    else if (Array.isArray(item)) for (const one of item) walk(one);
    else if (item !== null && typeof item === "object") {
      for (const [key, one] of Object.entries(item)) {
        texts.push(key);
        walk(one);
      }
    }
  };
  walk(value);
  return texts.join("\n");
}

/** Parts of results are JSON. */
export function readPart({ text }: Part): string {
  try {
    return stringsIn(JSON.parse(text));
  } catch {
    return text; // plain text, or JSON that was cut
  }
}

/** More words than a session has. */
const PAIR = 1 << 24;

function startOf([first = 0, second = 0]: number[]): number {
  return first * PAIR + second;
}

/** First places of runs of one length, which is at least two. */
export function findRuns(words: number[], length: number, wanted: Map<string, number[]>): Map<string, number> {
  const found = new Map<string, number>();
  const starts = new Set([...wanted.values()].filter((run) => run.length === length).map(startOf));
  for (let at = 0; at + length <= words.length; at++) {
    if (!starts.has(words[at]! * PAIR + words[at + 1]!)) continue;
    const key = words.slice(at, at + length).join(" ");
    if (wanted.has(key) && !found.has(key)) found.set(key, at);
  }
  return found;
}

/** `ends` holds pairs: where a piece ends, and its order. */
export function orderAt(ends: number[], place: number): number {
  let [low, high] = [0, ends.length / 2 - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle * 2]! > place) high = middle;
    else low = middle + 1;
  }
  return ends[low * 2 + 1]!;
}
