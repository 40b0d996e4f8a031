// The kind of work of a turn, as a model named it beside something else it was asked: a short English phrase. Turns of one kind
// meet by it however they were worded. Words of a model: cleaned, compared and shown with who wrote them, never put into a prompt.
// Pure.
import { redactText } from "../redact.ts";
import type { Entry } from "../schemas/entry.ts";
import { MAX_KIND_CHARS } from "../schemas/learning/learning.ts";
import { contentWords } from "./requests.ts";

/** A canonical phrase has few: the longest in our samples have seven. */
const MAX_WORDS = 12;
/** Dice coefficient of two kinds' words. Higher than for requests: "merge PDF files" and "split PDF files" share two of three. */
const SIMILAR_KINDS = 0.75;

/** One line without control characters and the marks a model may put round it; "" where nothing is left. */
export function toBareLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/^[\s#*_`"'“”„«»]+|(?<![\s*_`"'“”«».])[\s*_`"'“”«».]+$/gu, "");
}

/** Null for what is no short phrase: a sentence cut short would name another kind. */
export function toKind(text: string): string | null {
  const phrase = toBareLine(redactText(text));
  const isShort = phrase.length <= MAX_KIND_CHARS && phrase.split(" ").length <= MAX_WORDS;
  return isShort && contentWords(phrase).size > 0 ? phrase : null;
}

/** `kind: …`, or `kind 12: …`, where a model was asked for such lines. */
const KIND_LINE = /^[\s*_`-]{0,8}kind[*_`]{0,2} {0,2}(\d{0,9})[*_` ]{0,4}:/i;

/** What stands on a line that names a kind; `entry` is 0 where it gives no number. Null for any other line. */
export function readKindLine(line: string): { entry: number; kind: string | null } | null {
  const match = KIND_LINE.exec(line);
  return match ? { entry: Number(match[1] || 0), kind: toKind(line.slice(match[0].length)) } : null;
}

const KINDS_ONLY = "The review named kinds of work and gave no closing word.";

/** A reviewer's closing words without the lines that name kinds, and the turns they name: by any entry of a turn, the first word counts. */
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

/** How many of a kind's words another must have at least to be like it, whatever the length of that one. */
export function leastShared(kind: Set<string>): number {
  return Math.ceil((kind.size * SIMILAR_KINDS) / (2 - SIMILAR_KINDS));
}
