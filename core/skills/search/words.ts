// Turns a text into the words that distinguish skills. Used by the duplicate check, rankings and the Archive. Pure, and
// the same on every runtime, so it uses no locale and no segmenter.

const STOP_WORDS = new Set(
  (
    "a about after all also an and any are as at be been before but by can do does each every for from get has have how i if in into is it " +
    "its may more most must no not of on one only or other our out over own same should so some such than that the their them then there " +
    "these they this those to under up use used uses using very was we what when where which while who why will with without you your"
  ).split(" "),
);

/** Stems of the meaningful words. Text without spaces (Chinese, Japanese) gives pairs of characters. */
export function wordsOf(text: string): Set<string> {
  return new Set(termsOf(text));
}

/** The same stems in text order, with repetitions, `most` at most. */
export function termsOf(text: string, most = Infinity): string[] {
  const terms: string[] = [];
  for (const [run] of foldCase(text).matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (terms.length >= most) break;
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(run)) {
      const signs = [...run];
      const pairs = signs.slice(1).map((sign, i) => `${signs[i]}${sign}`);
      for (const pair of pairs.length > 0 ? pairs : signs) terms.push(pair);
    } else if (!STOP_WORDS.has(run)) {
      terms.push(knownStemOf(run));
    }
  }
  return terms.length > most ? terms.slice(0, most) : terms;
}

/** Two characters that normalisation expands to whole phrases, eighteen times as long. */
export const PHRASE_SIGNS = /[\uFDFA\uFDFB]/g;

/** Lower case, and one spelling of characters that have several. */
export function foldCase(text: string): string {
  if (/^[\0-\x7F]*$/.test(text)) return text.toLowerCase();
  return text.replace(PHRASE_SIGNS, " ").normalize("NFKC").toLowerCase();
}

/** The Dice coefficient of two sets: 1 for equal sets, 0 for disjoint or empty ones. */
export function overlapOf(a: Set<string>, b: Set<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}

/** A longer run is not a word, and stemming it takes quadratic time. */
const MAX_WORD_CHARS = 60;

/** Skills use few different words: caching stems reads a large library in a fifth of the time. */
const knownStems = new Map<string, string>();
const MAX_KNOWN_STEMS = 40_000;
/** Longer substrings may keep the whole string in memory. */
const MAX_KNOWN_CHARS = 12;

function knownStemOf(word: string): string {
  if (word.length > MAX_KNOWN_CHARS) return stemOf(word);
  let stem = knownStems.get(word);
  if (stem === undefined) {
    stem = stemOf(word);
    if (knownStems.size >= MAX_KNOWN_STEMS) knownStems.clear();
    knownStems.set(word, stem);
  }
  return stem;
}

/** Light English stemming: reading, reads and read become one stem. */
function stemOf(word: string): string {
  if (word.length <= 3 || word.length > MAX_WORD_CHARS) return word;
  const stem = word
    .replace(/ies$/, "y")
    .replace(/(s|x|z|ch|sh)es$/, "$1")
    .replace(/([^s])s$/, "$1")
    .replace(/(ing|ed)$/, (ending, _e, at: number) => (at >= 3 ? "" : ending));
  // Drops a doubled final consonant and a final e: planning and plan, caching and cache.
  return stem.replace(/([^aeiouls\d])\1$/, "$1").replace(/(?<=.{3})e$/, "");
}
