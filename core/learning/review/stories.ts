// Whether a skill tells the story of one session: its day, its tickets, the files of one person, sentences quoted from it. Asked
// of what a review adds to a skill; only what occurs in both is refused, so that nothing is guessed. Pure.
import { type Failure, err } from "../../errors.ts";
import type { AddedText } from "../added-text.ts";
import { type SessionWords, wordsIn } from "./session-words.ts";

const DAY = /(?<![\d-])(?:19|20)\d\d-[01]\d-[0-3]\d(?![\d-])/g;
const TICKET = /\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b/g;
const NUMBER = /(?<![\w#&])#(\d{2,7})\b/g;
const PATH = /(?<![\w./~-])\/[\w./-]*[\w-]\.\w{1,6}\b/g;
const QUOTED = /"([^"\n]{20,400})"|“([^“”\n]{20,400})”|«([^«»\n]{20,400})»|„([^„“”\n]{20,400})[“”]/g;
/** A shorter sentence may be a form that is always said so. */
const MIN_QUOTED_WORDS = 6;
/** Each is looked for in all that was said. A lesson quotes a few. */
const MAX_QUOTES = 200;

/** `null` for a text that could come from many sessions. Failure: `one_off`. */
export function checkStory({ prose, code }: AddedText, words: SessionWords): Failure | null {
  const all = [...prose, ...code].join("\n");
  const found = (pattern: RegExp) =>
    [...all.matchAll(pattern)].map((match) => match.slice(1).find(Boolean) ?? match[0]);
  const told =
    tell("The day", found(DAY), (day) => words.days().has(day)) ??
    tell("The ticket", found(TICKET), (ticket) => words.tickets().has(ticket)) ??
    tell("The number", found(NUMBER), (number) => words.numbers().has(number)) ??
    tell("The file", found(PATH), (path) => words.paths().has(path)) ??
    tell("The sentence", quotesIn(prose), (quote) => isSaid(quote, words));
  if (!told) return null;
  return err(
    "one_off",
    `${told} is of this one session, and the next task has another: write what varies as {{name}}, say in your own ` +
      "words what was meant, or leave it out.",
  ).failure;
}

function tell(what: string, pieces: string[], isSessions: (piece: string) => boolean): string | null {
  const piece = pieces.find(isSessions);
  return piece === undefined ? null : `${what} ${piece.slice(0, 80).toWellFormed()}`;
}

function quotesIn(prose: string[]): string[] {
  const quotes = prose.flatMap((paragraph) => [...paragraph.matchAll(QUOTED)]);
  return [...new Set(quotes.map((match) => match.slice(1).find(Boolean)!))].slice(0, MAX_QUOTES);
}

function isSaid(quote: string, words: SessionWords): boolean {
  const plain = wordsIn(quote);
  return plain.split(" ").length >= MIN_QUOTED_WORDS && words.said().includes(` ${plain} `);
}
