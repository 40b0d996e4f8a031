// How the taint rules take a text apart: into words that are the same in every form, and the strings of plain data. Used by
// consequences.ts and entries.ts. Pure; linear in the text.
import type { Part } from "../../schemas/entry.ts";
import { termsOf } from "../../skills/words.ts";

/** Letters by which two forms of a word are one. */
const KEY_CHARS = 6;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Words, and pairs of signs where a language has no blanks. */
function* wordsIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(WORD)) {
    if (run > "\u2E80" && UNSPACED.test(run)) {
      const signs = [...run];
      for (const [n, sign] of signs.slice(0, -1).entries()) yield sign + signs[n + 1]!;
      if (signs.length === 1) yield run;
    } else yield run;
  }
}

/** What the words of a text, in the spelling of `foldText`, have in common with other forms of them; each once. */
export function termsIn(folded: string): Set<string> {
  const terms = new Set<string>();
  for (const word of wordsIn(folded)) {
    const term = toKey(word);
    if (term.length > 1 && !/^\p{N}{1,2}$/u.test(term)) terms.add(term);
  }
  return terms;
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

/** In front of every address. */
const SCHEMES = new Set(["http", "https", "www"]);

/** Few words make up most of a text. */
const keys = new Map<string, string>();
const MAX_KEYS = 40_000;
/** A longer piece of a string may keep the whole string in memory. */
const MAX_KEPT_CHARS = 12;

/** What forms of one word have in common; `""` for a word that says nothing. */
function toKey(word: string): string {
  const known = keys.get(word);
  if (known !== undefined) return known;
  const key = SCHEMES.has(word) ? "" : (termsOf(word)[0] ?? "").slice(0, KEY_CHARS).replace(/(?<=.{3})y$/, "i");
  if (word.length > MAX_KEPT_CHARS) return key;
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(word, key);
  return key;
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
