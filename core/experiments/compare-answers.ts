// Compares the answer of a run with the one that the person accepted, by what both certainly say: numbers, dates, short texts. Two long texts
// that differ in words only are left to somebody who can read. Called by judge-run.ts. Pure.
import { type Values, isIn, readValues } from "./answer-values.ts";

/** `crowded`: the accepted answer is in it, among so much else that this proves nothing. */
export type Compared = "right" | "wrong" | "undecided" | "crowded";

/** A text of at most so many words is compared word by word. [own] */
const SHORT_WORDS = 12;
/** With more values than these, an answer that lacks one may have left out a side remark. [own] */
const FEW_VALUES = 5;
/** Values, or words, that an answer may give beside those that are wanted, and more for each of these. [own] A list of all numbers has every result. */
const MORE_VALUES = { any: 20, each: 4 };
const MORE_WORDS = { any: 100, each: 10 };

/** `request`: values that it gives already prove nothing when they are repeated. */
export function compareAnswers(accepted: string, answer: string, request: string): Compared {
  const [wanted, given] = [toPlainText(accepted), toPlainText(answer)];
  if (given === "" && wanted !== "") return "wrong";
  const [wantedWords, givenWords] = [toWords(wanted), toWords(given)];
  if (wantedWords.join(" ") === givenWords.join(" ")) return "right";
  if (areOpposed(wantedWords, givenWords)) return "wrong";
  const values = compareValues(readValues(accepted), readValues(answer), readValues(request));
  return values ?? compareTexts(wantedWords, givenWords);
}

/**
 * Where the person refused an answer and accepted none. Values that only their correction has are those that they wanted. What an answer lacks of
 * them may have been about something else, so it proves nothing; the refused answer once more is wrong.
 */
export function compareWithRefused(
  refused: { answer: string; correction: string },
  answer: string,
  request: string,
): Compared {
  const known = [...readValues(request), ...readValues(refused.answer)];
  const wanted = readValues(refused.correction).filter((value) => !isIn(value, known));
  const given = readValues(answer);
  if (wanted.length > 0 && wanted.every((value) => isIn(value, given))) {
    return isCrowded(given, wanted, MORE_VALUES) ? "crowded" : "right";
  }
  return compareAnswers(refused.answer, answer, request) === "right" ? "wrong" : "undecided";
}

/** `null`: the accepted answer has no values that tell anything. */
function compareValues(wanted: Values, given: Values, asked: Values): Compared | null {
  const own = wanted.filter((value) => !isIn(value, asked));
  const telling = own.length > 0 ? own : wanted;
  if (telling.length === 0) return null;
  const missing = telling.filter((value) => !isIn(value, given)).length;
  if (missing === 0) return isCrowded(given, wanted, MORE_VALUES) ? "crowded" : "right";
  return telling.length <= FEW_VALUES || missing * 2 > telling.length ? "wrong" : "undecided";
}

function compareTexts(wanted: string[], given: string[]): Compared {
  if (wanted.length === 0 || wanted.length > SHORT_WORDS) return "undecided";
  if (` ${given.join(" ")} `.includes(` ${wanted.join(" ")} `)) {
    return isCrowded(given, wanted, MORE_WORDS) ? "crowded" : "right";
  }
  // Of two short texts, neither has room to say the same in other words: "Berlin" and "Paris".
  const shared = wanted.filter((word) => given.includes(word)).length;
  return given.length <= SHORT_WORDS && shared === 0 ? "wrong" : "undecided";
}

function isCrowded(given: unknown[], wanted: unknown[], { any, each }: typeof MORE_VALUES): boolean {
  return given.length > wanted.length + any + each * wanted.length;
}

/** Whether an answer has none of the values that another one has found: it may have cost less because nothing was done. */
export function givesNothingOf(other: string, answer: string, request: string): boolean {
  if (answer.trim() === "") return true;
  const asked = readValues(request);
  const found = readValues(other).filter((value) => !isIn(value, asked));
  const given = readValues(answer);
  return found.length > 0 && (isCrowded(given, found, MORE_VALUES) || !found.some((value) => isIn(value, given)));
}

const YES = new Set(["yes", "true", "correct", "ja", "oui", "sí", "si"]);
const NO = new Set(["no", "false", "incorrect", "nein", "non"]);

function areOpposed([wanted = ""]: string[], [given = ""]: string[]): boolean {
  return (YES.has(wanted) && NO.has(given)) || (NO.has(wanted) && YES.has(given));
}

/** Without the marks of Markdown. */
function toPlainText(text: string): string {
  return text
    .normalize("NFKC")
    .split("\n")
    .filter((line) => !isRule(line))
    .join("\n")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+/gmu, "")
    .replace(/```\w*/gu, " ")
    .replace(/\[([^[\]\n]*)\]\([^()\n]*\)/gu, "$1")
    .replace(/[*_`~|]/gu, " ")
    .trim();
}

/** A line between a table's head and its rows, or between two parts. In steps that grow with its length only: a run writes what it likes. */
function isRule(line: string): boolean {
  return line.includes("--") && /^[\s|:-]+$/u.test(line);
}

function toWords(text: string): string[] {
  const lower = text.toLowerCase().replaceAll("−", "-");
  return lower.match(/(?:(?<![\p{L}\p{N}])-(?=\d))?[\p{L}\p{N}]+(?:[.,:/'’-][\p{L}\p{N}]+)*/gu) ?? [];
}
