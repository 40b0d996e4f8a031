// The words of messages and of queries, as the message index has them. Used by message-archive.ts and message-ranking.ts. Pure, and
// the same on every runtime. A change of words needs a new version of the index in message-tables.ts.
import { stemmer } from "stemmer";
import { foldCase } from "../../skills/search/words.ts";

/** Words that say nothing of what a message or a question is about. */
const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be because been before being between both but by can could did do does doing " +
    "during each few for from had has have having he her hers herself him himself his how i if in into is it its just me more most " +
    "must my myself no nor not now of on only or other our ours out over own same shall she should so some such than that the their " +
    "theirs them then there these they this those through to too under until up very was we were what when where which while who " +
    "whom whose why will with would you your yours"
  ).split(" "),
);

/** Characters of a message that are indexed. The whole text stays in the session's log. */
export const MAX_INDEXED_CHARS = 16_000;
/** Words of a query that are searched for. */
const MAX_QUERY_WORDS = 24;
/** A longer run of letters and digits is data, not a word. */
const MAX_WORD_CHARS = 60;
/** Scripts that do not separate words, and Korean, whose words carry endings. Extensions include the long-vowel mark of Japanese. */
const PAIRED_SCRIPTS = "Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar"
  .split(" ")
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join("");
const PAIRED = new RegExp(`[${PAIRED_SCRIPTS}]`, "u");
const PAIRED_OR_OTHER = new RegExp(`[${PAIRED_SCRIPTS}]+|[^${PAIRED_SCRIPTS}]+`, "gu");
const RUNS = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** The text as the tables keep it. SQLite's text functions end at a NUL, and a lone surrogate is not valid UTF-8. */
export function toStoredText(text: string): string {
  return text.slice(0, MAX_INDEXED_CHARS).toWellFormed().replaceAll("\0", " ");
}

/** The indexed words of a text in their order, with repetitions, separated by blanks. */
export function toIndexedWords(text: string): string {
  return toWords(text, (signs) => [...toPairs(signs), signs.at(-1)!]).join(" ");
}

/** `words`: what `toIndexedWords` returns. */
export function countIndexedWords(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}

/** The distinct words of a query in their order. */
export function toQueryWords(query: string): string[] {
  const withoutPossessives = query.slice(0, MAX_INDEXED_CHARS).replace(/['’]s\b/g, "");
  const words = toWords(withoutPossessives, (signs) => (signs.length === 1 ? signs : toPairs(signs)));
  return [...new Set(words)].slice(0, MAX_QUERY_WORDS);
}

/** Whether a word of a query is one character of a script whose texts are indexed as pairs. Indexed words begin with it. */
export function isSingleSign(word: string): boolean {
  return PAIRED.test(word) && [...word].length === 1;
}

/** A text in quotes, of any of the common kinds. */
const QUOTED = /["“„«「]([^"“”„«»「」]{3,200})["”“»」]/g;
/** A run of letters, digits and the signs that file names, versions and error codes have inside. */
const NAMES = /[\p{L}\p{N}\-_./:#@]+/gu;
const MAX_PIECES = 8;
const MAX_PIECE_CHARS = 200;

/** Quoted texts and names such as `src/a.ts` and `ERR_404`: a query that has them wants exactly them. None under 3 characters. */
export function toExactPieces(query: string): string[] {
  const text = toStoredText(query);
  const quoted = [...text.matchAll(QUOTED)].map(([, piece]) => piece!.trim());
  const names = (text.match(NAMES) ?? []).map(trimSigns).filter((name) => SIGN.test(name));
  const pieces = [...quoted, ...names].map((piece) => piece.slice(0, MAX_PIECE_CHARS));
  return [...new Set(pieces)].filter((piece) => [...piece].length >= 3).slice(0, MAX_PIECES);
}

const SIGN = /[-_./:#@]/;

/** The name without the signs around it, such as the full stop of its sentence. */
function trimSigns(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && SIGN.test(name[start]!)) start += 1;
  while (end > start && SIGN.test(name[end - 1]!)) end -= 1;
  return name.slice(start, end);
}

const MONTHS = "january february march april may june july august september october november december".split(" ");
const DAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** Words by which people name a day, as in "Thursday 26 November 2026". `at`: Unix time in ms, read as UTC. */
export function toDateWords(at: number): string {
  const date = new Date(at);
  const [day, month] = [DAYS[date.getUTCDay()], MONTHS[date.getUTCMonth()]];
  return toIndexedWords(`${day} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`);
}

/** A word in a text, by its position in UTF-16 units; `to` is exclusive. */
export interface WordRange {
  from: number;
  to: number;
  word: string;
}

/** Where a text has words of a query, in their order. Pairs of characters overlap. `words`: what `toQueryWords` returns. */
export function findWords(text: string, words: string[]): WordRange[] {
  const asked = new Set(words);
  return [...text.matchAll(RUNS)].flatMap(({ 0: run, index }) =>
    [...run.matchAll(PAIRED_OR_OTHER)].flatMap(({ 0: part, index: at }) =>
      cutPart(part).flatMap(({ piece, offset }): WordRange[] => {
        const from = index + at + offset;
        const word = toWords(piece, (signs) => [signs.join("")]).find((one) => asked.has(one));
        return word === undefined ? [] : [{ from, to: from + piece.length, word }];
      }),
    ),
  );
}

/** A word; or each character of a script without blanks, alone and with the next one. */
function cutPart(part: string): { piece: string; offset: number }[] {
  if (!PAIRED.test(part)) return [{ piece: part, offset: 0 }];
  const signs = [...part];
  let end = 0;
  return signs.flatMap((sign, i) => {
    const offset = end;
    end += sign.length;
    const pieces = i + 1 < signs.length ? [sign, `${sign}${signs[i + 1]}`] : [sign];
    return pieces.map((piece) => ({ piece, offset }));
  });
}

/** English stems. `toSigned` makes the words of a run of characters whose script does not separate words. */
function toWords(text: string, toSigned: (signs: string[]) => string[]): string[] {
  // Compatibility forms fold to up to six characters.
  const folded = foldCase(text.slice(0, MAX_INDEXED_CHARS)).slice(0, MAX_INDEXED_CHARS);
  return (folded.match(RUNS) ?? []).flatMap((run) => {
    if (!PAIRED.test(run)) return toPlainWord(run);
    return run.match(PAIRED_OR_OTHER)!.flatMap((part) => (PAIRED.test(part) ? toSigned([...part]) : toPlainWord(part)));
  });
}

function toPlainWord(run: string): string[] {
  if (STOP_WORDS.has(run)) return [];
  return [run.length > MAX_WORD_CHARS ? run.slice(0, MAX_WORD_CHARS).toWellFormed() : stemmer(run)];
}

function toPairs(signs: string[]): string[] {
  return signs.slice(1).map((sign, i) => `${signs[i]}${sign}`);
}
