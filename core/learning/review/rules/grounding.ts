// Refuses a lesson with a value that the work did not show to work. Called for what a review adds to skills and memory. Pure.
// Values of options: where one value of an option failed and another worked, only those that worked pass. In a review of a
// correction, every value must come from the person or from a call that worked.
// Other values: if two calls differ in a single word, the two words are values of one place. A value that failed there and never
// worked is refused. If another value worked there, and the text clearly speaks of that place, only values that worked pass.
// Work that tried a single value proves nothing about others, so they pass.
import { type Failure, err } from "../../../errors.ts";
import type { Entry, ToolEntry } from "../../../schemas/entry.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import type { AddedText } from "../../added-text.ts";
import { tokensOf, wordsIn, wordsOfCall } from "../../observe/call-words.ts";
import { CODE_SPAN } from "../../markdown.ts";
import { type OptionPair, pairsIn, pairsOf, toPairKey, variesByTask } from "../../option-pairs.ts";
import { ECHOING_TOOLS } from "../../taint/entries.ts";
import { hidesFailure, isSelfTool } from "../../tool-facts.ts";
import { isWarning } from "../../warnings.ts";

/** The values of one option: by value, the last entry in which it worked or failed. */
interface TriedValues {
  worked: Map<string, number>;
  failed: Map<string, number>;
}

interface ReadWork {
  /** By the name of the option. */
  tried: Map<string, TriedValues>;
  places: Places;
  /** What the person typed. */
  said: string;
}

/** Returns a check of added text; `existing`: what the skill says already. Failure: `unproved_value`. Entries are read lazily, once. */
export function createGrounding({ entries, trigger }: Pick<ReviewJob, "entries" | "trigger">) {
  const isCorrection = trigger === "correction" || trigger === "rating";
  let read: ReadWork | null = null;
  return ({ prose, code }: AddedText, existing: string): Failure | null => {
    read ??= readWork(entries);
    if (read.tried.size === 0 && read.places.found.length === 0 && !isCorrection) return null;
    const kept = new Set(pairsIn(existing).map(toPairKey));
    const keptWords = wordsIn(existing);
    for (const { text, spans } of [...prescribedIn(prose), ...code.map((text) => ({ text, spans: [text] }))]) {
      for (const pair of pairsIn(text)) {
        const tried = read.tried.get(pair.name) ?? noTriedValues();
        if (!isCorrection && !isContested(tried)) continue;
        if (kept.has(toPairKey(pair)) || variesByTask(pair.value) || isProved(pair.value, tried, read)) continue;
        return refuse(pair, tried, isCorrection);
      }
      for (const { name, value, tried } of findUnprovedValues(read.places, spans)) {
        if (keptWords.has(value) || isSaid(value.toLowerCase(), read.said)) continue;
        return refuse({ name, value }, tried, isCorrection);
      }
    }
    return null;
  };
}

/** A loop or a variable may separate a value from its option, so any call that worked with the value counts. */
function isProved(value: string, { worked }: TriedValues, { places, said }: ReadWork): boolean {
  return worked.has(value) || places.worked.has(value) || isSaid(value, said);
}

/**
 * Whether a value failed before another one worked, or no value worked. A value that worked later failed only for a moment. A value
 * that failed after others had worked is just the next one of a list.
 */
function isContested({ worked, failed }: TriedValues): boolean {
  const first = Math.min(...worked.values());
  return [...failed].some(([value, n]) => !worked.has(value) && n < first);
}

/** Whether a call shows if its words work: a finished call on the task that does not just write them and hides no failure. */
function isTrial(entry: Entry): entry is ToolEntry {
  if (entry.kind !== "tool" || entry.state !== "done") return false;
  return !isSelfTool(entry) && !ECHOING_TOOLS.has(entry.call.name) && !hidesFailure(entry);
}

function readWork(entries: Entry[]): ReadWork {
  const trials = entries.filter(isTrial);
  return { tried: collectTriedValues(trials), places: findPlaces(trials), said: saidIn(entries) };
}

function collectTriedValues(trials: ToolEntry[]): Map<string, TriedValues> {
  const tried = new Map<string, TriedValues>();
  for (const entry of trials) {
    for (const { name, value } of pairsOf(entry.call.args)) {
      const values = tried.get(name) ?? noTriedValues();
      recordTrial(values, value, entry);
      tried.set(name, values);
    }
  }
  return tried;
}

/** A place in which calls differ by one word: the words around it, and how the calls with each word ended. */
interface Place {
  around: Set<string>;
  /** The word before the place. */
  before: string | undefined;
  tried: TriedValues;
}

interface Places {
  found: Place[];
  /** Every word of a call that worked, in any place. */
  worked: Set<string>;
}

/** A longer call is mostly data. */
const MAX_CALL_WORDS = 60;
/** A call is compared with this many later ones: a retry comes soon after the call it repeats. */
const MAX_COMPARED = 20;
/** Maximum number of places. The newest are kept, and each is compared with each added line. */
const MAX_PLACES = 50;
/** Minimum number of words around a place. Fewer do not identify it. */
const MIN_AROUND = 2;
/** The share of the words around a place that a text must have. */
const MIN_SHARE = 0.5;
/** A placeholder for what varies by task. */
const PLACEHOLDER = /\{\{[^{}]{0,80}\}\}|<[^<>\s]{1,80}>|\$\{?\w{1,80}\}?|(?<![\w-])[A-Z][A-Z_-]{1,80}(?![\w-])/g;

function findPlaces(trials: ToolEntry[]): Places {
  const calls = trials.map((entry) => ({ entry, words: wordsOfCall(entry.call.args) }));
  const worked = new Set(calls.flatMap(({ entry, words }) => (entry.failed ? [] : [...words])));
  const compared = calls.filter(({ words }) => words.size > MIN_AROUND && words.size <= MAX_CALL_WORDS);
  const places = new Map<string, Place>();
  for (const [at, earlier] of compared.entries()) {
    for (const later of compared.slice(at + 1, at + 1 + MAX_COMPARED)) {
      if (later.entry.call.name !== earlier.entry.call.name || later.words.size !== earlier.words.size) continue;
      const first = onlyWordNotIn(later.words, earlier.words);
      const second = onlyWordNotIn(earlier.words, later.words);
      if (first === undefined || second === undefined) continue;
      const words = [...earlier.words];
      const around = new Set(words.filter((word) => word !== first));
      const key = [...around].toSorted().join(" ");
      const before = words[words.indexOf(first) - 1];
      const place = places.get(key) ?? { around, before, tried: noTriedValues() };
      places.set(key, place);
      recordTrial(place.tried, first, earlier.entry);
      recordTrial(place.tried, second, later.entry);
    }
  }
  const found = [...places.values()].filter(({ tried }) => isContested(tried));
  return { found: found.slice(-MAX_PLACES), worked };
}

/** The values that a text puts in a place: its only word that is not one of the words around the place. */
function findUnprovedValues({ found, worked }: Places, spans: string[]): (OptionPair & { tried: TriedValues })[] {
  if (found.length === 0) return [];
  const bySpan = spans.map((span) =>
    [...wordsIn(span.replace(PLACEHOLDER, " "))].filter((word) => !variesByTask(word)),
  );
  const words = [...new Set(bySpan.flat())];
  if (words.length < 2) return [];
  const isLong = new Set(spans.flatMap(tokensOf)).size > MIN_AROUND;
  const beforeOf = new Map(bySpan.flatMap((span) => span.map((word, n) => [word, span[n - 1]] as const)));
  return found.flatMap(({ around, before, tried }) => {
    const value = onlyWordNotIn(around, words);
    if (value === undefined || worked.has(value)) return [];
    const isUntried = !tried.failed.has(value);
    if (isUntried && (!isLong || tried.worked.size === 0 || !isAlike(value, tried))) return [];
    if (words.length - 1 < MIN_SHARE * around.size) return [];
    // A value alone in its code span has no word before it.
    const wordBefore = beforeOf.get(value);
    if (wordBefore !== undefined && before !== undefined && wordBefore !== before) return [];
    return [{ name: words.filter((word) => word !== value).join(" "), value, tried }];
  });
}

/** Whether the value is of the same sort as those tried: an option such as `-v` cannot replace a plain word, or the reverse. */
function isAlike(value: string, { worked, failed }: TriedValues): boolean {
  return [...worked.keys(), ...failed.keys()].every((other) => other.startsWith("-") === value.startsWith("-"));
}

/** The sentences that say what to do, with their code spans. A list under a warning such as "What fails:" is left out too. */
export function prescribedIn(prose: string[]): { text: string; spans: string[] }[] {
  let isWarned = false;
  return prose.flatMap((paragraph) => {
    if (LEADS_IN.test(paragraph)) isWarned = isWarning(paragraph);
    else if (!LISTED.test(paragraph)) isWarned = false;
    if (isWarned) return [];
    const sentences = sentencesIn(paragraph).filter((text) => !isWarning(text));
    return sentences.map((text) => ({ text, spans: text.match(CODE_SPAN) ?? [] }));
  });
}

/** A heading, or a paragraph that ends with a colon. */
const LEADS_IN = /^#|:$/;
const LISTED = /^(?:[-*+|]|\d+[.)])/;

/** The single word of `words` that is not in `known`; undefined if there is none, or more than one. */
function onlyWordNotIn(known: Set<string>, words: Iterable<string>): string | undefined {
  const [only, ...more] = [...words].filter((word) => !known.has(word));
  return more.length === 0 ? only : undefined;
}

function noTriedValues(): TriedValues {
  return { worked: new Map(), failed: new Map() };
}

function recordTrial({ worked, failed }: TriedValues, value: string, entry: ToolEntry): void {
  (entry.failed ? failed : worked).set(value, entry.n);
}

/** A new sentence begins with a capital letter or a code span. */
function sentencesIn(paragraph: string): string[] {
  return paragraph.split(/(?<=[.;!?])\s+(?=\p{Lu}|`)/u);
}

/** What the person typed, as words with single blanks around them. */
function saidIn(entries: Entry[]): string {
  const parts = entries.flatMap((entry) => entry.parts.filter(({ source }) => source === "principal"));
  return toSaid(parts.map(({ text }) => text));
}

/** Texts in which `isSaid` looks for a value. */
export function toSaid(texts: readonly string[]): string {
  const words = texts.join(" ").toLowerCase();
  return ` ${words.replace(/[^\p{L}\p{N}_./:+-]+/gu, " ")} `;
}

export function isSaid(value: string, said: string): boolean {
  const plain = value.replace(/[^\p{L}\p{N}_./:+-]+/gu, " ").trim();
  return plain !== "" && (said.includes(` ${plain} `) || said.includes(` ${plain}.`));
}

function refuse({ name, value }: OptionPair, { worked, failed }: TriedValues, isCorrection: boolean): Failure {
  const given = `${name} ${value}`;
  const failedAt = failed.get(value);
  const own = failedAt === undefined ? "no call used it" : `the call with it failed (entry ${failedAt})`;
  if (isCorrection) {
    const said = "write only what the person said was right, in their words.";
    return err("unproved_value", `The text gives \`${given}\`, but ${own} and the person did not say it: ${said}`)
      .failure;
  }
  const [good] = [...worked].sort(([, a], [, b]) => b - a);
  const instead = good
    ? `${name} ${good[0]} worked (entry ${good[1]}): write what was seen to work, or say what is to be avoided as such.`
    : `no other value worked either: what was not solved is not a lesson.`;
  return err("unproved_value", `The text gives \`${given}\`, but ${own}; ${instead}`).failure;
}
