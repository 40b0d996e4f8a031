// Finds the phrases of the lexicons in the words of a sentence. Called by read-message.ts. Pure. Searches all languages at once,
// because people mix them. Linear time: a word begins few phrases, and a phrase has few words.
import type { Lexicon } from "./reply-words/lexicon.ts";

export type PhraseKind = keyof Lexicon;

/** The words of a sentence from `from` to before `to`. */
export interface FoundPhrase {
  kind: PhraseKind;
  from: number;
  to: number;
}

/** One position in a phrase: a test for a word, or a gap. */
type PhrasePosition = ((word: string) => boolean) | "gap";

interface Phrase {
  kind: PhraseKind;
  written: string[];
  /** Compiled when the first word of the phrase is first found. */
  places?: PhrasePosition[];
}

/** A negation inside these phrases still negates the next one: "it won't" may be followed by what it will not do. */
const KEEPS_NEGATION: ReadonlySet<PhraseKind> = new Set(["complaint", "harm"]);
/** Kinds that say what a clause is about. Such a phrase is kept even inside a longer one. */
const CONTEXT_KINDS: ReadonlySet<PhraseKind> = new Set([
  ...(["work", "thing", "others", "asks", "supposes", "fillers", "past", "now", "nextTime", "contrast"] as const),
]);
const MAX_GAP_WORDS = 3;
/** Length of the index key of a first word that ends in `*`. */
const PREFIX_CHARS = 3;
const PREFIX = /^\p{L}{3,}\*$/u;
const SUFFIX = /^\*\p{L}{3,}$/u;
/** A word or a number; a Chinese or Japanese character; a symbol such as 👍. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+(?:'[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+)*|\p{N}+|\p{Extended_Pictographic}|(?<![\p{L}\p{N}.])[+-]1(?!\p{N})|[:;]-?[()/]|<3/gu;
const NUMBER = /^\p{N}/u;
const NOT = /n't$/u;
/** Contractions without an apostrophe, and irregular ones. */
const CONTRACTED: Record<string, string[]> = {
  ...{ cannot: ["can", "not"], cant: ["can", "not"], "can't": ["can", "not"], wont: ["will", "not"] },
  ...{ "won't": ["will", "not"], "ain't": ["is", "not"], dont: ["do", "not"], doesnt: ["does", "not"] },
  ...{ didnt: ["did", "not"], isnt: ["is", "not"], wasnt: ["was", "not"], havent: ["have", "not"] },
};

/** In lower case. Contractions become two words; "soooo" becomes "so". */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(WORD) ?? [];
  return words.flatMap((word) => {
    if (Object.hasOwn(CONTRACTED, word)) return CONTRACTED[word]!;
    if (NOT.test(word)) return [word.slice(0, -3), "not"];
    return [word.replace(/(\p{L})\1{2,}/gu, "$1")];
  });
}

/** The finder compiles the lexicons on its first call, so an isolate that judges no message does not pay for it. */
export function createFinder(lexicons: readonly Partial<Lexicon>[]): (words: string[]) => FoundPhrase[] {
  let phrases: Map<string, Phrase[]> | undefined;
  return (words) => {
    const byFirst = (phrases ??= readPhrases(lexicons));
    const found: FoundPhrase[] = [];
    for (let from = 0; from < words.length; from += 1) {
      const word = words[from]!;
      for (const key of [word, `${word.slice(0, PREFIX_CHARS)}*`]) {
        for (const phrase of byFirst.get(key) ?? []) {
          phrase.places ??= phrase.written.map(compilePosition);
          const to = matchFrom(phrase.places, words, from);
          if (to !== null) found.push({ kind: phrase.kind, from, to });
        }
      }
    }
    return withoutShorter(found);
  };
}

function readPhrases(lexicons: readonly Partial<Lexicon>[]): Map<string, Phrase[]> {
  const byFirst = new Map<string, Phrase[]>();
  for (const lexicon of lexicons) {
    for (const kind of Object.keys(lexicon) as PhraseKind[]) {
      for (const text of (lexicon[kind] ?? "").split(",")) addPhrase(byFirst, kind, text);
    }
  }
  return byFirst;
}

function addPhrase(byFirst: Map<string, Phrase[]>, kind: PhraseKind, text: string): void {
  const written = text.trim().split(/\s+/u).filter(Boolean).flatMap(splitCharacters);
  // A leading gap changes nothing.
  while (written[0] === "..") written.shift();
  const [first] = written;
  if (first === undefined) return;
  const phrase = { kind, written };
  for (const word of first.split("|")) {
    const key = toIndexKey(word);
    const others = byFirst.get(key);
    if (others) others.push(phrase);
    else byFirst.set(key, [phrase]);
  }
}

function toIndexKey(first: string): string {
  if (isOneWord(first)) return first;
  if (PREFIX.test(first)) return `${first.slice(0, PREFIX_CHARS)}*`;
  return wordsOf(first)[0] ?? first;
}

/** Whether `wordsOf` would return the text unchanged. A cheap test that covers most words of a lexicon. */
function isOneWord(written: string): boolean {
  return /^[a-z]+$/.test(written) && !Object.hasOwn(CONTRACTED, written) && !/([a-z])\1\1/.test(written);
}

/** `不对` and `doesn't` are two words each. */
function splitCharacters(written: string): string[] {
  if (/[|*_.]/u.test(written) || isOneWord(written)) return [written];
  const words = wordsOf(written);
  return words.length > 0 ? words : [written];
}

function compilePosition(written: string): PhrasePosition {
  if (written === "..") return "gap";
  if (written === "_") return () => true;
  if (written === "#") return (word) => NUMBER.test(word);
  const whole = new Set<string>();
  const beginnings: string[] = [];
  const endings: string[] = [];
  for (const form of written.split("|")) {
    if (PREFIX.test(form)) beginnings.push(form.slice(0, -1));
    else if (SUFFIX.test(form)) endings.push(form.slice(1));
    else whole.add(form);
  }
  return (word) =>
    whole.has(word) ||
    beginnings.some((beginning) => word.startsWith(beginning)) ||
    endings.some((ending) => word.endsWith(ending));
}

/** Index of the word after the phrase; `null` when the phrase does not begin at `from`. */
function matchFrom(places: PhrasePosition[], words: string[], from: number): number | null {
  let at = from;
  for (let n = 0; n < places.length; n += 1) {
    const place = places[n]!;
    if (place !== "gap") {
      if (at >= words.length || !place(words[at]!)) return null;
      at += 1;
      continue;
    }
    const next = places[n + 1];
    if (next === undefined || next === "gap") continue;
    const until = Math.min(words.length, at + MAX_GAP_WORDS + 1);
    while (at < until && !next(words[at]!)) at += 1;
    if (at >= until) return null;
  }
  return at;
}

/**
 * A phrase inside a longer one does not count separately: "problem" in "no problem". A negation may still apply to what follows.
 * Duplicates are removed, since two languages may share a phrase.
 */
function withoutShorter(found: FoundPhrase[]): FoundPhrase[] {
  const ordered = found.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const kept: FoundPhrase[] = [];
  let longest: FoundPhrase | null = null;
  for (const one of ordered) {
    const isContext = CONTEXT_KINDS.has(one.kind);
    const isInside = longest !== null && one.to <= longest.to && one.to - one.from < longest.to - longest.from;
    const isKept = isContext || (one.kind === "negation" && KEEPS_NEGATION.has(longest?.kind ?? "plain"));
    if ((isInside && !isKept) || kept.some((known) => isSame(known, one))) continue;
    kept.push(one);
    if (!isContext && (longest === null || one.to > longest.to)) longest = one;
  }
  return kept;
}

function isSame(a: FoundPhrase, b: FoundPhrase): boolean {
  return a.kind === b.kind && a.from === b.from && a.to === b.to;
}
