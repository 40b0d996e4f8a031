// Finds which entries of a word list a text holds: words, beginnings of words (`word*`), words that follow each other (`a_b`) or
// nearly (`a~b`), and signs of languages without blanks. Used by consequences.ts. Pure; linear in the text.

/** How many words may stand between the two of `a~b`. */
const NEAR_WORDS = 4;
const LONGEST_STEM = 14;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/;

interface Phrase<Name> {
  names: Name[];
  /** The words after the first; `isNear`: others may stand before each. */
  rest: string[];
  isNear: boolean;
}

interface Found<Name> {
  name: Name;
  at: number;
  /** Only a part of what is joined by signs has it: `skip` in `ocr_skip`. */
  isPart: boolean;
}

export interface Vocabulary<Name extends string> {
  /** Of a text in the spelling of `foldText`: the names of the lists that have a word of it, in order of place. */
  find(folded: string): Found<Name>[];
}

/** Small letters without accents; one spelling of signs that look alike. */
export function foldText(text: string): string {
  if (/^[\0-\x7F]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[\u2018\u2019\u02BC]/g, "'")
    .replace(/ß/g, "ss")
    .toLowerCase();
}

export function createVocabulary<Name extends string>(lists: Record<Name, string>): Vocabulary<Name> {
  const whole = new Map<string, Phrase<Name>[]>();
  const stems = new Map<string, Phrase<Name>[]>();
  const signs = new Map<string, { sign: string; name: Name }[]>();
  for (const [name, words] of Object.entries(lists) as [Name, string][]) {
    for (const entry of new Set(words.split(/\s+/))) {
      if (entry === "") continue;
      if (UNSPACED.test(entry)) {
        signs.set(entry[0]!, [...(signs.get(entry[0]!) ?? []), { sign: entry, name }]);
        continue;
      }
      const [first, ...rest] = entry.split(/[_~]/) as [string, ...string[]];
      const map = first.endsWith("*") ? stems : whole;
      const key = first.replace(/\*$/, "");
      map.set(key, [...(map.get(key) ?? []), { names: [name], rest, isNear: entry.includes("~") }]);
    }
  }
  return {
    find(folded) {
      const found: Found<Name>[] = [];
      const words = [...folded.matchAll(/-{0,2}[\p{L}\p{N}](?:[\p{L}\p{N}'._=-]*[\p{L}\p{N}])?/gu)];
      const add = (phrases: Phrase<Name>[] | undefined, n: number, isPart: boolean) => {
        for (const { names, rest, isNear } of phrases ?? []) {
          if (!follows(words, n, rest, isNear)) continue;
          for (const name of names) found.push({ name, at: words[n]!.index, isPart });
        }
      };
      for (const [n, { 0: word, index }] of words.entries()) {
        if (UNSPACED.test(word)) {
          for (let at = 0; at < word.length; at++) {
            for (const { sign, name } of signs.get(word[at]!) ?? []) {
              if (word.startsWith(sign, at)) found.push({ name, at: index + at, isPart: false });
            }
          }
        }
        for (const { form, isPart } of formsOf(word)) {
          add(whole.get(form), n, isPart);
          for (let length = 2; length <= Math.min(form.length, LONGEST_STEM); length++) {
            add(stems.get(form.slice(0, length)), n, isPart);
          }
        }
      }
      return found;
    },
  };
}

/** As it is written, and the parts of what is joined. */
function formsOf(word: string): { form: string; isPart: boolean }[] {
  const bare = word.replace(/^-+/, "");
  const whole = bare === word ? [word] : [word, bare];
  const parts = /[-_.='/]/.test(bare) ? bare.split(/[-_.='/]+/).filter((part) => part.length > 2) : [];
  return [...whole.map((form) => ({ form, isPart: false })), ...parts.map((form) => ({ form, isPart: true }))];
}

function follows(words: RegExpExecArray[], n: number, rest: string[], isNear: boolean): boolean {
  let at = n;
  for (const wanted of rest) {
    const from = at + 1;
    const to = isNear ? from + NEAR_WORDS : from;
    at = -1;
    for (let next = from; next <= to && next < words.length; next++) {
      const word = words[next]![0];
      if (wanted.endsWith("*") ? word.startsWith(wanted.slice(0, -1)) : word === wanted) {
        at = next;
        break;
      }
    }
    if (at < 0) return false;
  }
  return true;
}
