// Tells whether requests are of one kind, and whether one is of a kind that comes again. Called by observe/observe.ts and, for whole
// turns, by observe/neighbours.ts. Pure: words in, yes or no out.
import { sha256Hex } from "../schemas/learning/digest.ts";

/** Dice coefficient of content words from which two requests count as the same kind of work. */
const SIMILAR = 0.5;
const MIN_SHARED_WORDS = 2;
/** Of a SHA-256: as many tasks as a skill will ever have stay apart. */
const TASK_CHARS = 16;

/** A person who says so does not want a habit made of it. */
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

/** Words that say nothing about the kind of work; of other languages those that are no words of English. */
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

/** Nothing in the request says that it will not come again. */
export function mayComeAgain(request: string): boolean {
  return !ONE_OFF.test(request);
}

/** Compares what was asked, not of what: names of files, quoted words and figures are left out. */
export function isSimilarRequest(a: string, b: string): boolean {
  return areSimilarWords(contentWords(a), contentWords(b));
}

export function areSimilarWords(a: Set<string>, b: Set<string>, threshold = SIMILAR): boolean {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const same = shared > 0 && shared === a.size && shared === b.size;
  return same || (shared >= MIN_SHARED_WORDS && (2 * shared) / (a.size + b.size) >= threshold);
}

/** Names the task: the same for requests with the same content words, empty for one without any. */
export function taskOf(request: string): string {
  return taskOfWords(contentWords(request));
}

export function taskOfWords(words: Set<string>): string {
  return words.size === 0 ? "" : sha256Hex([...words].toSorted().join(" ")).slice(0, TASK_CHARS);
}

/** Stems of the words that tell what kind of work is asked for. */
export function contentWords(request: string): Set<string> {
  const plain = request
    .toLowerCase()
    .normalize("NFC")
    .replace(/`[^`]*`|"[^"]*"|“[^“”]*”/gu, " ")
    .replace(/\S+/gu, (word) => (/[\d/\\_]|.\.[a-z]/u.test(word) ? " " : word));
  const words = (plain.match(/\p{L}+/gu) ?? []).flatMap(toPairs);
  return new Set(words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem));
}

const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u;

/** Chinese and Japanese have no blanks between words: their pairs of characters are compared. */
function toPairs(word: string): string[] {
  if (word.length < 3 || !UNSPACED.test(word)) return [word];
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
}

/** Enough to let "calculated averages" meet "calculate the average"; not a linguist's stem. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ed|es|s|e)$/u, "") : word;
}
