// Compares requests: whether two ask for the same kind of work, and whether one may come again. Called by observe/, the archive,
// the ledger and kinds.ts. Pure.
import { sha256Hex } from "../schemas/learning/digest.ts";

/** Dice coefficient of content words from which two requests count as the same kind of work. */
const SIMILAR = 0.5;
const MIN_SHARED_WORDS = 2;
/** Characters of a SHA-256: enough to keep all tasks of a skill apart. */
const TASK_CHARS = 16;

/** The person says that the request is a single case. */
const ONE_OFF = new RegExp(
  [
    // English
    "one[- ]off|one[- ]time|just (?:this )?once|only (?:this )?once|(?:just|only) (?:for )?(?:this time|today|now)",
    "this (?:one )?time only|ad[- ]hoc|never again|throw[- ]?away",
    "(?:do not|don't|no need to) (?:remember|learn|save|note) (?:this|it|anything)",
    // German, French, Spanish
    "(?:nur )?(?:dieses eine mal|diesmal)|nur (?:heute|jetzt|einmal)|einmalig\\p{L}*|merk(?:e|en)? (?:dir|sie sich) das nicht",
    "(?:juste|seulement) (?:cette fois|pour aujourd'hui|une fois)|ne (?:retiens|retenez|mémorise|mémorisez) pas",
    "(?:solo|sólo) (?:esta vez|por hoy|una vez)|no (?:recuerdes|guardes|memorices) (?:esto|eso)",
  ]
    .map((words) => `(?<!\\p{L})(?:${words})(?!\\p{L})`)
    .join("|"),
  "iu",
);

/** Words that say nothing about the kind of work. Words of other languages are listed only if they are not English words too. */
const STOP_WORDS = new Set(
  (
    "a about above after all also an and any are as at be because been before being below between both but by can could did do does " +
    "doing done down each few for from further get give had has have having he her here hers him his how i if in into is it its " +
    "just kindly let like make many may me might more most much must my need no nor not now of off on once one only or other our " +
    "out over own please same shall she should so some such tell than that the their them then there these they this those through " +
    "to too under up until us use using very want was we were what when where which while who whom why will with would you your " +
    "aber auch auf aus bitte das dass dein deine dem den der dich dir doch du ein eine einem einen einer es für habe haben ich ihr im " +
    "ist ja kann kannst mein meine mich mir mit nach nicht noch nur oder sich sie sind über und uns vom von welche welcher wie wir " +
    "wird zu zum zur au aux avec ces cette dans elle est et il ils je la le les leur mais mes moi mon nous ou où par pas que quel " +
    "quelle qui sa ses sont sur tu une vos votre vous al como con cuál de del el ella en ese esta este esto hay las los mi muy para " +
    "pero por qué se según su sus te una unos usted y yo"
  ).split(" "),
);

/** Whether nothing in the request says that it is a single case. */
export function mayComeAgain(request: string): boolean {
  return !ONE_OFF.test(request);
}

/** Compares the `contentWords` of two requests. */
export function areSimilarWords(a: Set<string>, b: Set<string>, threshold = SIMILAR): boolean {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const same = shared > 0 && shared === a.size && shared === b.size;
  return same || (shared >= MIN_SHARED_WORDS && (2 * shared) / (a.size + b.size) >= threshold);
}

/** The id of a task: equal for requests with the same content words, "" for one without any. */
export function taskOf(request: string): string {
  return taskOfWords(contentWords(request));
}

export function taskOfWords(words: Set<string>): string {
  return words.size === 0 ? "" : sha256Hex([...words].toSorted().join(" ")).slice(0, TASK_CHARS);
}

/** Stems of the words that say what kind of work is requested. */
export function contentWords(request: string): Set<string> {
  const plain = request
    .toLowerCase()
    .normalize("NFC")
    .replace(/`[^`]*`|"[^"]*"|“[^“”]*”/gu, " ")
    .replace(/\S+/gu, (word) => (/[\d/\\_]|.\.[a-z]/u.test(word) ? " " : word));
  const words = (plain.match(/\p{L}+/gu) ?? []).flatMap(toPairs);
  return new Set(words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem));
}

/** Stems of all words that a request has, also in quotes and in names of files: what it is about, not only which kind of work. */
export function mentionedWords(request: string): Set<string> {
  return contentWords(request.replace(/[^\p{L}]+/gu, " "));
}

const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u;

/** Chinese and Japanese have no blanks between words, so pairs of characters are compared. */
function toPairs(word: string): string[] {
  if (word.length < 3 || !UNSPACED.test(word)) return [word];
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
}

/** A rough stem, enough to match "calculated averages" with "calculate the average". */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ed|es|s|e)$/u, "") : word;
}
