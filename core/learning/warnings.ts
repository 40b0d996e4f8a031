// Whether a sentence warns of what it names, in the languages of taint/words.ts. Called when a lesson is compared with what calls
// tried: a failed word confirms a warning. Pure.
import { CODE_SPAN } from "./markdown.ts";
import { meaningOf } from "./taint/meaning.ts";

/** Beginnings of words, without accents. For languages without blanks, whole phrases. */
const WARNS = (
  "instead rather avoid except fail error wrong broke break crash hang garbl mangl corrupt raise throw nothing lose deprecat obsolet legacy formerly unlike unsupport invalid reject omit remov skip lack unneed statt anstatt anstelle falsch fehl " +
  "scheiter schief ungultig vermeid plutot lieu erreur echou evit faux invalide lugar vez falla incorrect erro falh invalid sbagliat"
).split(" ");
const WARNS_SIGNS = ["エラー", "失敗", "代わり", "使わない", "错误", "失败", "而不是"];
/** Phrases with warning words in orders: "Pass `x` to avoid errors", "In case of errors pass `x`", "Use `x` instead." */
const PROMISE =
  /\b(?:to|and) (?:avoid|prevent) [\w ,]{0,60}|\bin case of (?:an? )?(?:errors?|failures?)\b|\bif (?:it|this|that) fails\b|\binstead\b(?! of)/gi;
/** "Change `a` to `b`": `a` is to be removed. */
const CHANGES = /^[\s>*+\d.-]*(?:change|replace|switch|swap)\s+`[^`\n]{1,200}`\s+(?:to|with|by|for)\s+`/i;
const GIVES_UP =
  /\b(?:leave|left|leaving) out\b|\bold (?:way|form|name|option)\b|\bused to be\b|\bprefer\b.{0,80}\bover\b/i;
const FAILED_WITH = /\bexit(?:s|ed)?(?: code| status| with)? [1-9]/i;

/** "Do not use `--fast`", "`--fast` fails here". */
export function isWarning(text: string): boolean {
  if (CHANGES.test(text)) return true;
  const prose = text.replaceAll(CODE_SPAN, " ").replaceAll(PROMISE, " ");
  const { prohibits, words } = meaningOf(prose);
  return (
    prohibits ||
    GIVES_UP.test(prose) ||
    FAILED_WITH.test(prose) ||
    [...words].some((word) => WARNS.some((beginning) => word.startsWith(beginning))) ||
    WARNS_SIGNS.some((signs) => text.includes(signs))
  );
}
