// Splits a person's message into sentences and clauses, and finds the phrases of the lexicons in them. Called by judge-message.ts.
// Pure. Reads a bounded beginning of the message; no expression here backtracks.
import { type FoundPhrase, type PhraseKind, createFinder, wordsOf } from "./phrases.ts";
import { LEXICONS } from "./reply-words/index.ts";

/** The kind of phrase that a clause begins with. */
export type Opening = "supposes" | "asks" | "others" | "thing" | null;

/** The words of a sentence from `from` to before `to`. */
export interface Clause {
  from: number;
  to: number;
  opening: Opening;
  /** The clause is about the answer: it shares a word with the request or names the agent's work. */
  isAnchored: boolean;
  /** The clause shares a word with the request or the answer. */
  isOfRequest: boolean;
}

export interface Sentence {
  words: string[];
  found: FoundPhrase[];
  clauses: Clause[];
  isQuestion: boolean;
}

/** A verdict comes at the beginning of a message. The next task follows, and its words judge nothing. */
const MAX_SENTENCES = 3;
const MAX_CHARS = 600;
/** Maximum length of the message before code and quotations are removed. */
const MAX_READ_CHARS = 6_000;
const MAX_CLAUSES = 24;
/** Maximum length of a clause. A longer one is a list, a log or text without punctuation. */
const MAX_CLAUSE_WORDS = 40;
const MAX_REQUEST_CHARS = 600;
/** Words with the same first letters count as forms of one word. */
const STEM_CHARS = 5;
/** The kinds of openings, in order of precedence. */
const OPENINGS = ["supposes", "asks", "others", "thing"] as const;

const find = createFinder(LEXICONS);

/** The first sentences of the message. `request` and `answer` tell which clauses are about the answer. */
export function readMessage(message: string, { request, answer }: { request: string; answer: string }): Sentence[] {
  const stems = new Set([...stemsOf(request), ...stemsOf(answer)]);
  return toSentences(message).map((text) => readSentence(text, stems));
}

export function phrasesIn({ found }: Sentence, clause: Clause): FoundPhrase[] {
  return found.filter(({ from }) => from >= clause.from && from < clause.to);
}

export function hasPhrase(sentence: Sentence, clause: Clause, wanted: PhraseKind): boolean {
  return phrasesIn(sentence, clause).some(({ kind }) => kind === wanted);
}

/** The position of the first word of a clause after fillers such as "and", "ok", "well". */
export function skipFillers({ found }: Sentence, clause: Clause): number {
  let at = clause.from;
  for (;;) {
    const filler = found.find(({ kind, from }) => kind === "fillers" && from === at);
    if (!filler || filler.to >= clause.to) return at;
    at = filler.to;
  }
}

export function isTaskOrSupposition({ opening }: Clause): boolean {
  return opening === "asks" || opening === "supposes";
}

function readSentence(text: string, stems: ReadonlySet<string>): Sentence {
  const pieces = text
    .split(/(?<!\p{N})[,.:]|[,.:](?!\p{N})|[;!?()…–—，。；：！？、（）]|\s-\s/u)
    .slice(0, MAX_CLAUSES)
    .map(wordsOf)
    .filter(({ length }) => length > 0 && length <= MAX_CLAUSE_WORDS);
  const words = pieces.flat();
  const sentence: Sentence = { words, found: find(words), clauses: [], isQuestion: /[?？]\s*$/u.test(text) };
  let from = 0;
  for (const piece of pieces) {
    const clause: Clause = { from, to: from + piece.length, opening: null, isAnchored: false, isOfRequest: false };
    clause.opening = openingOf(sentence, clause);
    clause.isOfRequest = piece.some((word) => stems.has(stemOf(word)));
    clause.isAnchored = clause.isOfRequest || hasPhrase(sentence, clause, "work");
    // A task may continue after a comma.
    const before = sentence.clauses.at(-1);
    if (clause.opening === null && before && isTaskOrSupposition(before)) clause.opening = "supposes";
    sentence.clauses.push(clause);
    from = clause.to;
  }
  return sentence;
}

function openingOf(sentence: Sentence, clause: Clause): Opening {
  const at = skipFillers(sentence, clause);
  return OPENINGS.find((kind) => sentence.found.some((phrase) => phrase.kind === kind && phrase.from === at)) ?? null;
}

function stemsOf(text: string): string[] {
  const words = wordsOf(text.slice(0, MAX_REQUEST_CHARS));
  return words.filter((word) => word.length >= STEM_CHARS - 1).map(stemOf);
}

function stemOf(word: string): string {
  return word.slice(0, STEM_CHARS);
}

/** Removes code and quotations first: they say nothing about the answer. */
function toSentences(message: string): string[] {
  const plain = message
    .trimStart()
    .slice(0, MAX_READ_CHARS)
    .normalize("NFC")
    .replace(/```[\s\S]*?(?:```|$)/gu, " ")
    .replace(/`[^`]*`/gu, " x ")
    .replace(/^[ \t]*>.*$/gmu, " ")
    .replace(/["“„«「][^"”“»„«」「]*["”“»」]/gu, " x ")
    .replace(/[’´]/gu, "'")
    .replace(/(?<=(?:should|would|could|must|might|'d) )of(?= )/giu, "have");
  return plain
    .slice(0, MAX_CHARS)
    .split(/(?<=[.!?;:])\s+|(?<=[。！？；])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}|\p{Extended_Pictographic}|[+-]1|\d/u.test(sentence))
    .slice(0, MAX_SENTENCES);
}
