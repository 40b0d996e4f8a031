// What a write takes away: cautions that the text no longer has, and lines that were turned into their opposite. A caution that
// is lost does harm as surely as an order that is added. Used by the taint rules. Pure.
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { haveSamePolarity } from "../../skills/search/polarity-words.ts";
import { wordsOf } from "../../skills/search/words.ts";
import { isProse, splitLines } from "../markdown.ts";
import { addToList } from "./list-map.ts";

/** A line that says most of what another said is the same line. */
const SAME = 0.6;
/** One that is about the same, as far as words tell. */
const ALIKE = 0.5;

const CAUTIONS = new Set(
  (
    "no not never nor without unless except only before until first permission consent caution avoid must compare backup " +
    "backups secret secrets password passwords credential credentials private nicht nie niemals ohne nur vor erst freigabe " +
    "vorsicht muss pas jamais sans avant nunca sin antes mai prima"
  ).split(" "),
);
/** Words that begin so. */
const CAUTION_STEMS = (
  "ask confirm check verif review approv warn careful refus limit require kein frag bestätig bestatig prüf pruf kontroll " +
  "genehmig geheim demand vérifi verifi pregunt verific chied controll"
).split(" ");

/** It holds somebody back, or has something looked at or asked first. */
function isCaution(line: string): boolean {
  const text = line.toLowerCase();
  if (/n['’]t(?!\p{L})|(?<!\p{L})back ups?(?!\p{L})/u.test(text)) return true;
  const words = text.match(/\p{L}+/gu) ?? [];
  return words.some((word) => CAUTIONS.has(word) || CAUTION_STEMS.some((stem) => word.startsWith(stem)));
}

const CODE = /`[^`]*`/g;

interface Removed {
  gone: string[];
  /** Of those, what is said nowhere any more, in whatever words. */
  lost: string[];
  /** Cautions that are not said as they were. */
  cautions: string[];
  /** Lines whose words are no reason to say the opposite. */
  turned: Set<string>;
}

/** What only says what a skill or a section is called. */
const TITLES = /^(?:#|(?:name|description|category)\s*:|---$)/;

/** Lines held against each other in one call. Beyond, a line counts as lost and turned: the person decides. */
const MAX_COMPARED = 20_000;

/** `before` and `after`: lines of prose, of a whole skill or of facts. */
export function findRemoved(before: string[], after: string[]): Removed {
  const [old, standing] = [new Set(before), new Set(after)];
  const gone = [...new Set(before)].filter((line) => !standing.has(line));
  const { about, isOver } = createComparer([...standing]);
  const found = gone.map((line) => {
    const near = about(line);
    return { line, alike: near(ALIKE), same: near(SAME) };
  });
  return {
    gone,
    lost: found.filter(({ alike }) => alike.length === 0).map(({ line }) => line),
    // The name of an option holds nobody back.
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

/** Which of `lines` are about the same as another one: only those that share a word with it are looked at. */
function createComparer(lines: string[]) {
  const byWord = new Map<string, number[]>();
  for (const [n, line] of lines.entries()) {
    for (const word of wordsOf(line)) addToList(byWord, word, n);
  }
  let left = MAX_COMPARED;
  return {
    isOver: () => left <= 0,
    /** Asked of one line, the lines that have this share of its words. */
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

/** Of all files that are read as text rather than run. */
export function proseLines(files: FileBodies): string[] {
  return Object.entries(files)
    .filter(([path]) => isProse(path))
    .flatMap(([, body]) => splitLines(textOrEmpty(body)))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !TITLES.test(line));
}

/** Said as a wish: a sentence that only warns of it does not wish it. */
const WITHDRAWS =
  /^\W*(?:(?:please|also|now|ok|okay|then|and|you (?:can|may|should)|let['’]?s|bitte|jetzt|dann|und|du kannst)\W+)*(?:remove|delete|drop|discard|forget|archive|take (?:out|back)|lift|l[öo]sch(?:e|t)?|entfern(?:e|t)?|vergiss|vergesst|streich(?:e|t)?|supprime[zr]?|oublie[zr]?|elimina|borra|olvida|quita)(?!\p{L})|(?<!\p{L})(?:no longer (?:needed|required|valid|wanted|true|holds|applies)|(?:gilt|stimmt) nicht mehr|nicht mehr n[öo]tig|ne vaut plus|ya no vale)(?!\p{L})/iu;

/** Whether a sentence of the person takes something back. */
export function withdraws(sentence: string): boolean {
  return WITHDRAWS.test(sentence);
}
