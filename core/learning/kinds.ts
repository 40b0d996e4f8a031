// Parses and compares kinds of work. A kind is a short English phrase for what a turn does, such as "merge PDF files", so that turns
// match however their requests are worded. A model adds it to another answer. Called by the title, the review and the observation of
// turns. A model's phrase is cleaned, compared, and shown as the model's, but never put into a prompt. Pure.
import { redactText } from "../redact.ts";
import type { Entry } from "../schemas/entry.ts";
import { MAX_KIND_CHARS } from "../schemas/learning/learning.ts";
import { contentWords } from "./requests.ts";

/** The longest phrases in our samples have seven words. */
const MAX_WORDS = 12;
/** Dice coefficient of two kinds' words. Higher than for requests: "merge PDF files" and "split PDF files" share two of three. */
const SIMILAR_KINDS = 0.75;

/** Makes one line of a text, without control characters or surrounding punctuation. May return "". */
export function toBareLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/^[\s#*_`"'“”„«»]+|(?<![\s*_`"'“”«».])[\s*_`"'“”«».]+$/gu, "");
}

/** `null` for anything but a short phrase. A long one is not shortened, because that could change its meaning. */
export function toKind(text: string): string | null {
  const phrase = toBareLine(redactText(text));
  const isShort = phrase.length <= MAX_KIND_CHARS && phrase.split(" ").length <= MAX_WORDS;
  return isShort && contentWords(phrase).size > 0 ? phrase : null;
}

/** `kind: …`, or `kind 12: …` with the number of an entry, as prompts ask for it. */
const KIND_LINE = /^[\s*_`-]{0,8}kind[*_`]{0,2} {0,2}(\d{0,9})[*_` ]{0,4}:/i;

/** Parses a line that names a kind; `entry` is 0 without a number. `null` for any other line. */
export function readKindLine(line: string): { entry: number; kind: string | null } | null {
  const match = KIND_LINE.exec(line);
  return match ? { entry: Number(match[1] || 0), kind: toKind(line.slice(match[0].length)) } : null;
}

const KINDS_ONLY = "The review named kinds of work and gave no closing words.";

/**
 * Splits a reviewer's closing words into kinds and the rest. A kind line may name any entry of its turn. Only the first kind of a
 * turn is used.
 */
export function takeKinds(note: string, entries: Entry[]): { note: string; kinds: { turn: number; kind: string }[] } {
  const turns = new Map(entries.map(({ n, turn }) => [n, turn]));
  const kinds = new Map<number, string>();
  const rest = note.split("\n").filter((line) => {
    const read = readKindLine(line);
    const turn = read && turns.get(read.entry);
    if (turn !== undefined && turn !== null && read?.kind && !kinds.has(turn)) kinds.set(turn, read.kind);
    return read === null;
  });
  return { note: rest.join("\n").trim() || KINDS_ONLY, kinds: [...kinds].map(([turn, kind]) => ({ turn, kind })) };
}

export function areSimilarKinds(a: Set<string>, b: Set<string>): boolean {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared > 0 && (2 * shared) / (a.size + b.size) >= SIMILAR_KINDS;
}

/** The minimum number of words that a similar kind shares with this one. */
export function leastShared(kind: Set<string>): number {
  return Math.ceil((kind.size * SIMILAR_KINDS) / (2 - SIMILAR_KINDS));
}
