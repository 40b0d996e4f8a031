// What a write takes away: cautions that stand nowhere any more, and lines that were turned into their opposite. A caution that
// is lost does harm as surely as an order that is added. Used by the taint rules. Pure.
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { turnsAlike } from "../../skills/turning-words.ts";
import { wordsOf } from "../../skills/words.ts";

/** A line that says most of what another said is the same line. */
const SAME = 0.6;
/** One that is about the same, as far as words tell. */
const ALIKE = 0.5;

/** Lines that hold somebody back, or have something looked at or asked first. */
const CAUTIONS =
  /(?<!\p{L})(?:no|not|never|nor|n['’]t|without|unless|except|only|before|until|first|ask\p{L}*|confirm\p{L}*|check\p{L}*|verif\p{L}*|review\p{L}*|approv\p{L}*|permission|consent|warn\p{L}*|careful\p{L}*|caution|avoid|refus\p{L}*|limit\p{L}*|must|require\p{L}*|compare|back ?ups?|secrets?|passwords?|credentials?|private|nicht|kein\p{L}*|nie|niemals|ohne|nur|vor|erst|frag\p{L}*|best[äa]tig\p{L}*|pr[üu]f\p{L}*|kontroll\p{L}*|freigabe|genehmig\p{L}*|warn\p{L}*|vorsicht|muss|geheim\p{L}*|pas|jamais|sans|avant|demand\p{L}*|v[ée]rifi\p{L}*|confirm\p{L}*|nunca|sin|antes|pregunt\p{L}*|verific\p{L}*|mai|prima|chied\p{L}*|controll\p{L}*)(?!\p{L})|n['’]t(?!\p{L})/iu;

const CODE = /`[^`]*`/g;

export interface Removed {
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

/** `before` and `after`: lines of prose, of a whole skill or of facts. */
export function findRemoved(before: string[], after: string[]): Removed {
  const standing = new Set(after);
  const gone = before.filter((line) => !standing.has(line));
  const fresh = after.filter((line) => !before.includes(line));
  const isKept = (line: string) => after.some((other) => isAbout(line, other, SAME) && turnsAlike(line, other));
  return {
    gone,
    lost: gone.filter((line) => !after.some((other) => isAbout(line, other, ALIKE))),
    // The name of an option holds nobody back.
    cautions: gone.filter((line) => CAUTIONS.test(line.replace(CODE, " ")) && !isKept(line)),
    turned: new Set(
      gone.filter((line) => fresh.some((other) => isAbout(line, other, ALIKE) && !turnsAlike(line, other))),
    ),
  };
}

/** Of all files that are read as text rather than run. */
export function proseLines(files: FileBodies): string[] {
  return Object.entries(files)
    .filter(([path]) => /\.(?:md|txt|markdown)$/i.test(path))
    .flatMap(([, body]) => textOrEmpty(body).split(/\r\n?|\n/))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !TITLES.test(line));
}

function isAbout(line: string, other: string, share: number): boolean {
  const [words, others] = [wordsOf(line), wordsOf(other)];
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared > 0 && shared >= share * words.size;
}
