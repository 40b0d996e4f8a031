// How the taint rules take a text apart: into words that are the same in every form, runs of them, and the strings of plain
// data. Used by taint-index.ts and what reads it. Pure; linear in the text.
import type { Part } from "../../schemas/entry.ts";
import { termsOf } from "../../skills/words.ts";

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

/** In front of every address. */
const SCHEMES = new Set(["http", "https", "www"]);

/** Few words make up most of a text. */
const keys = new Map<string, string>();
const MAX_KEYS = 40_000;
/** A longer piece of a string may keep the whole string in memory. */
const MAX_KEPT_CHARS = 12;

/** What forms of one word have in common; `""` for a word that says nothing. */
export function toKey(word: string): string {
  const known = keys.get(word);
  if (known !== undefined) return known;
  const key = SCHEMES.has(word) ? "" : (termsOf(word)[0] ?? "").slice(0, KEY_CHARS).replace(/(?<=.{3})y$/, "i");
  if (word.length > MAX_KEPT_CHARS) return key;
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(word, key);
  return key;
}

const GERMAN =
  /(?<!\p{L})(?:der|die|das|dem|den|des|und|oder|ist|sind|wird|werden|nicht|kein|keine|ein|eine|einen|einer|zu|zum|zur|mit|f[üu]r|auf|von|vom|vor|nach|bei|wenn|sich|als|auch|alle|jede[rnms]?)(?!\p{L})/giu;

/** Where every noun has a capital. Two words tell, in what is short one. */
export function isGerman(sentence: string): boolean {
  const found = sentence.match(GERMAN)?.length ?? 0;
  return found > 1 || (found > 0 && (sentence.length < 60 || /[äöüß]/i.test(sentence)));
}

/** Most of its words have a capital. */
export function isHeadline(sentence: string): boolean {
  const words = sentence.match(/(?<![\p{L}\p{N}])\p{L}{4,}/gu) ?? [];
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word));
  return words.length > 1 && capitals.length > 0.6 * words.length;
}

const FAULTS =
  "not|no|none|nothing|never|cannot|can['’]t|fail\\p{L}*|invalid|illegal|missing|lacks?|unknown|unexpected|refus\\p{L}*|reject\\p{L}*|den(?:y|ied|ies)|abort\\p{L}*|mismatch\\p{L}*|conflict\\p{L}*|wrong|broken|unable|exceed\\p{L}*|timed? ?out|forbidden|unsupported|undefined|behind|fehlt|fehlen\\p{L}*|fehlgeschl\\p{L}*|nicht|kein\\p{L}*|ung[üu]ltig\\p{L}*|unbekannt\\p{L}*|abbr[iue]\\p{L}*|bricht|verweiger\\p{L}*|falsch\\p{L}*";
const FAULT = new RegExp(`(?<![\\p{L}-])(?:${FAULTS})(?!\\p{L})`, "iu");
/** What such a sentence is headed by. */
const FAULT_HEAD =
  /(?<![\p{L}\d])(?:errors?|exception|traceback|warn\p{L}*|exit (?:code|status)|fehler|E\d{2,}|[45]\d\d)(?![\p{L}\d])/iu;
/** What says how things are to be is no complaint. */
const ORDER =
  /(?<!\p{L})(?:must|should|shall|ought|ha(?:s|ve) to|is to|are to|needs? to|always|please|only|unless|first|instead|muss|m[üu]ssen|soll\p{L}*|immer|bitte|stets|nur|zuerst)(?!\p{L})/iu;

/** Whether a sentence says what is wrong, and nothing of what is to be done. */
export function isComplaint(sentence: string): boolean {
  const clauses = sentence.split(/[,;]\s/).filter((clause) => /\p{L}/u.test(clause));
  return clauses.every((clause) => FAULT.test(clause) && !ORDER.test(clause));
}

/** The same of one that may only name an error. */
export function tellsOfFailure(sentence: string): boolean {
  return (FAULT.test(sentence) || FAULT_HEAD.test(sentence)) && !ORDER.test(sentence);
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
