// Finds what a write removes: cautions that the text no longer has, and lines that were turned into their opposite. Losing a
// caution does as much harm as gaining a bad order. Called by the taint rules. Pure.
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { haveSamePolarity } from "../../skills/search/polarity-words.ts";
import { wordsOf } from "../../skills/search/words.ts";
import { isProse, splitLines } from "../markdown.ts";
import { addToList } from "./list-map.ts";

/** Shares of a line's words that another line must have: to say the same, and to be about the same. */
const SAME = 0.6;
const ALIKE = 0.5;

const CAUTIONS = new Set(
  (
    "no not never nor without unless except only before until first permission consent caution avoid must compare backup " +
    "backups secret secrets password passwords credential credentials private nicht nie niemals ohne nur vor erst freigabe " +
    "vorsicht muss pas jamais sans avant nunca sin antes mai prima"
  ).split(" "),
);
/** Beginnings of such words. */
const CAUTION_STEMS = (
  "ask confirm check verif review approv warn careful refus limit require kein frag bestätig bestatig prüf pruf kontroll " +
  "genehmig geheim demand vérifi verifi pregunt verific chied controll"
).split(" ");

/** Whether a line forbids something, or demands a check or a question first. */
function isCaution(line: string): boolean {
  const text = line.toLowerCase();
  if (/n['’]t(?!\p{L})|(?<!\p{L})back ups?(?!\p{L})/u.test(text)) return true;
  const words = text.match(/\p{L}+/gu) ?? [];
  return words.some((word) => CAUTIONS.has(word) || CAUTION_STEMS.some((stem) => word.startsWith(stem)));
}

const CODE = /`[^`]*`/g;

interface RemovedLines {
  /** Removed lines that no remaining line is about. */
  lost: string[];
  /** Removed cautions that no remaining line repeats in the same sense. */
  cautions: string[];
  /** Removed lines that a new line contradicts. Their words do not justify the new line. */
  turned: Set<string>;
}

/** Headings and frontmatter names: they say what a skill or section is called, nothing more. */
const TITLES = /^(?:#|(?:name|description|category)\s*:|---$)/;

/** Comparisons of lines in one call. Lines beyond the limit count as lost and turned, so that the person decides. */
const MAX_COMPARED = 20_000;

/** `before` and `after`: the lines of a skill's prose, or of facts. */
export function compareLines(before: string[], after: string[]): RemovedLines {
  const [old, existing] = [new Set(before), new Set(after)];
  const gone = [...new Set(before)].filter((line) => !existing.has(line));
  const { about, isOver } = createComparer([...existing]);
  const found = gone.map((line) => {
    const near = about(line);
    return { line, alike: near(ALIKE), same: near(SAME) };
  });
  return {
    lost: found.filter(({ alike }) => alike.length === 0).map(({ line }) => line),
    // Code is left out: an option named `--no-cache` is not a caution.
    cautions: found
      .filter(
        ({ line, same }) => isCaution(line.replace(CODE, " ")) && !same.some((other) => haveSamePolarity(line, other)),
      )
      .map(({ line }) => line),
    turned: new Set(
      found
        .filter(
          ({ line, alike }) => isOver() || alike.some((other) => !old.has(other) && !haveSamePolarity(line, other)),
        )
        .map(({ line }) => line),
    ),
  };
}

/** Finds lines that share words with a given one. Lines without a shared word cost nothing. */
function createComparer(lines: string[]) {
  const byWord = new Map<string, number[]>();
  for (const [n, line] of lines.entries()) {
    for (const word of wordsOf(line)) addToList(byWord, word, n);
  }
  let left = MAX_COMPARED;
  return {
    isOver: () => left <= 0,
    /** For one line, a function that returns the lines with at least the given share of its words. */
    about(line: string): (share: number) => string[] {
      const words = wordsOf(line);
      const shared = new Map<number, number>();
      for (const word of words) {
        const places = byWord.get(word) ?? [];
        left -= places.length;
        if (left <= 0) return () => [];
        for (const n of places) shared.set(n, (shared.get(n) ?? 0) + 1);
      }
      return (share) => [...shared].filter(([, count]) => count >= share * words.size).map(([n]) => lines[n]!);
    },
  };
}

/** The lines of all prose files, without headings and frontmatter names. */
export function proseLines(files: FileBodies): string[] {
  return Object.entries(files)
    .filter(([path]) => isProse(path))
    .flatMap(([, body]) => splitLines(textOrEmpty(body)))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !TITLES.test(line));
}

/** Orders to remove something, and statements that it no longer applies. A mere warning about removal does not match. */
const WITHDRAWS =
  /^\W*(?:(?:please|also|now|ok|okay|then|and|you (?:can|may|should)|let['’]?s|bitte|jetzt|dann|und|du kannst)\W+)*(?:remove|delete|drop|discard|forget|archive|take (?:out|back)|lift|l[öo]sch(?:e|t)?|entfern(?:e|t)?|vergiss|vergesst|streich(?:e|t)?|supprime[zr]?|oublie[zr]?|elimina|borra|olvida|quita)(?!\p{L})|(?<!\p{L})(?:no longer (?:needed|required|valid|wanted|true|holds|applies)|(?:gilt|stimmt) nicht mehr|nicht mehr n[öo]tig|ne vaut plus|ya no vale)(?!\p{L})/iu;

/** Whether a sentence of the person withdraws something. */
export function withdraws(sentence: string): boolean {
  return WITHDRAWS.test(sentence);
}
