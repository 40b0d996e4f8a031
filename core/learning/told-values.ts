// Finds the values that a text gives and that contradict what it cites: it gives an option, a setting or an operation one value, the person named
// another one for the same, or the call that worked had one, and the text does not give that one. Called by experiments/compare-words.ts. Pure;
// reads forms, in any language.
import type { FileBodies } from "../schemas/file-body.ts";
import { textOrEmpty } from "../schemas/file-body.ts";
import { addedText } from "./added-text.ts";
import { CODE_SPAN } from "./markdown.ts";
import { statementsIn } from "./observe/other-value.ts";
import { choicesIn, variesByTask } from "./option-pairs.ts";
import { isSaid, prescribedIn, toSaid } from "./review/rules/grounding.ts";
import { isWarning } from "./warnings.ts";

/** What one sentence gives a value to. */
interface GivenValue {
  /** Of an option or a setting, without its dashes; `""`: the value stands alone beside an operation. */
  name: string;
  value: string;
  /** The commands that the sentence names. */
  of: string[];
}

export interface Cited {
  said: readonly string[];
  /** For each call that worked, the strings in its arguments. */
  called: readonly (readonly string[])[];
}

/** `before`: the text that it replaces, whose lines and values are not its own. Each value once. */
export function findContradictedValues(
  { before, after }: { before: FileBodies; after: FileBodies },
  { said, called }: Cited,
): string[] {
  const told = said
    .flatMap(statementsIn)
    .filter((sentence) => !isWarning(sentence))
    .flatMap(readValues);
  const tried = called.flatMap((words) => readValues(words.map((word) => `\`${word}\``).join(" ")));
  if (told.length === 0 && tried.length === 0) return [];
  const own = readText(addedText(before, after));
  const all = readText(addedText({}, after));
  const wordsOf = (files: FileBodies) => toSaid(Object.values(files).map(textOrEmpty));
  const [citedWords, oldWords, textWords] = [toSaid([...said, ...called.flat()]), wordsOf(before), wordsOf(after)];
  const contradicted = own.filter((given) => {
    if (variesByTask(given.value) || isSaid(given.value, citedWords) || isSaid(given.value, oldWords)) return false;
    const isSame = (one: GivenValue) => isOfSame(one, given, all);
    // The person knows better than a call.
    const others = told.some(isSame) ? told.filter(isSame) : tried.filter(isSame);
    const values = new Set(others.map(({ value }) => value));
    return values.size === 1 && [...values].every((value) => !variesByTask(value) && !isSaid(value, textWords));
  });
  return [...new Set(contradicted.map(({ value }) => value))];
}

function readText({ prose, code }: ReturnType<typeof addedText>): GivenValue[] {
  return [...prescribedIn(prose).map(({ text }) => text), ...code].flatMap(readValues);
}

/** `place: upper`, alone in its code span. */
const SETTING = /^([\p{L}_][\w.-]{1,40}):[ \t]+([^\s`]{1,80})$/u;
/** A value alone in its code span. */
const ALONE = /^\p{L}[\p{L}\p{N}_-]{1,40}$/u;

function readValues(sentence: string): GivenValue[] {
  const spans = (sentence.match(CODE_SPAN) ?? []).map((span) => span.slice(1, -1).trim());
  const settings = spans.flatMap((span) => {
    const [, name, value] = SETTING.exec(span) ?? [];
    return name && value ? [{ name, value: value.toLowerCase() }] : [];
  });
  const named = [...choicesIn(sentence), ...settings];
  if (named.length > 0) {
    const of = spans.filter((span) => !SETTING.test(span)).map(toCommand);
    return named.map(({ name, value }) => ({ name: toName(name), value, of: of.filter((one) => one !== "") }));
  }
  // A bare word may be anything. It is a value where it stands beside a command of two words or more, and nothing else does.
  const [operation, ...more] = spans.filter((span) => toCommand(span).includes(" "));
  const [value, ...others] = spans.filter((span) => ALONE.test(span));
  if (operation === undefined || value === undefined || more.length > 0 || others.length > 0) return [];
  return [{ name: "", value: value.toLowerCase(), of: [toCommand(operation)] }];
}

/** `--Max_rate` and `max-rate` are one name. */
function toName(name: string): string {
  return name.replace(/^-+/, "").replaceAll("_", "-").toLowerCase();
}

/** The words before the first option or setting. */
function toCommand(span: string): string {
  const words = span.toLowerCase().split(/\s+/);
  const end = words.findIndex((word) => word.startsWith("-") || word.includes("="));
  return (end < 0 ? words : words.slice(0, end)).join(" ");
}

/** Where only one of the two names a command, the name must have a single value in the whole text. */
function isOfSame(told: GivenValue, given: GivenValue, all: readonly GivenValue[]): boolean {
  if (told.name !== given.name) return false;
  if (told.of.some((command) => given.of.includes(command))) return true;
  if (given.name === "" || (told.of.length > 0 && given.of.length > 0)) return false;
  return all.every(({ name, value }) => name !== given.name || value === given.value);
}
