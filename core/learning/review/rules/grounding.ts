// Whether the values that a lesson gives were seen to work. Asked of what a review adds to skills and to memory: where the work
// tried an option with one value, which failed, and with another, which worked, a text that gives a third one, or the first,
// is a slip of the pen that the next turn would follow. So is a value that a review of the person's correction gives, and that
// neither they nor a call had. Values without an option's name are known by the calls: two that differ in one word alone have it
// in the same place. There a value that failed and never worked is none; where one failed and another worked, and the text names the
// place well, only what worked is one. Pure; a review of work that tried nothing else is not held to what was tried.
import { type Failure, err } from "../../../errors.ts";
import type { Entry, ToolEntry } from "../../../schemas/entry.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import type { AddedText } from "../../added-text.ts";
import { tokensOf, wordsIn, wordsOfCall } from "../../observe/call-words.ts";
import { CODE_SPAN } from "../../markdown.ts";
import { type Pair, pairsIn, pairsOf, toKey, variesByTask } from "../../option-pairs.ts";
import { ECHOING_TOOLS } from "../../taint/entries.ts";
import { hidesFailure, isSelfTool } from "../../tool-facts.ts";
import { isWarning } from "../../warnings.ts";

/** What became of the values of one option. By value: the last entry it was seen in. */
interface Tried {
  worked: Map<string, number>;
  failed: Map<string, number>;
}

interface Work {
  /** By the name of the option. */
  tried: Map<string, Tried>;
  places: Places;
  /** What the person typed. */
  said: string;
}

/**
 * A check of what is added: `null` when no value in it was seen to be otherwise. `standing`: what the skill says already. Failure:
 * `unproved_value`. Reads the entries once, when it is first asked.
 */
export function createGrounding({ entries, trigger }: Pick<ReviewJob, "entries" | "trigger">) {
  const isCorrection = trigger === "correction" || trigger === "rating";
  let read: Work | null = null;
  return ({ prose, code }: AddedText, standing: string): Failure | null => {
    read ??= readWork(entries);
    if (read.tried.size === 0 && read.places.found.length === 0 && !isCorrection) return null;
    const kept = new Set(pairsIn(standing).map(toKey));
    const keptWords = wordsIn(standing);
    for (const { text, spans } of [...prescribedIn(prose), ...code.map((text) => ({ text, spans: [text] }))]) {
      for (const pair of pairsIn(text)) {
        const tried = read.tried.get(pair.name) ?? newTried();
        if (!(isCorrection || isContested(tried)) || kept.has(toKey(pair)) || variesByTask(pair.value)) continue;
        // In a loop, or by a variable, a value stands apart from its option.
        if (tried.worked.has(pair.value) || read.places.worked.has(pair.value) || isSaid(pair.value, read.said))
          continue;
        return refuse(pair, tried, isCorrection);
      }
      for (const { name, value, tried } of valuesAt(read.places, spans)) {
        if (keptWords.has(value) || isSaid(value.toLowerCase(), read.said)) continue;
        return refuse({ name, value }, tried, isCorrection);
      }
    }
    return null;
  };
}

/**
 * One value failed, and another one worked, or none did. The same one that worked later only failed for a moment; what failed
 * after others had worked is the next of a list.
 */
function isContested({ worked, failed }: Tried): boolean {
  const first = Math.min(...worked.values());
  return [...failed].some(([value, n]) => !worked.has(value) && n < first);
}

/** It shows whether its words work: it ended, is work, does not only write them down, and hides no failure. */
function isTrial(entry: Entry): entry is ToolEntry {
  if (entry.kind !== "tool" || entry.state !== "done") return false;
  return !isSelfTool(entry) && !ECHOING_TOOLS.has(entry.call.name) && !hidesFailure(entry);
}

function readWork(entries: Entry[]): Work {
  const trials = entries.filter(isTrial);
  return { tried: triedIn(trials), places: findPlaces(trials), said: saidIn(entries) };
}

function triedIn(trials: ToolEntry[]): Map<string, Tried> {
  const tried = new Map<string, Tried>();
  for (const entry of trials) {
    for (const { name, value } of pairsOf(entry.call.args)) {
      const values = tried.get(name) ?? newTried();
      note(values, value, entry);
      tried.set(name, values);
    }
  }
  return tried;
}

/** Where calls differ in one word alone: the words around it, and what became of those that stood there. */
interface Place {
  around: Set<string>;
  /** The word before it. */
  before: string | undefined;
  tried: Tried;
}

interface Places {
  found: Place[];
  /** Every word that a call worked with, wherever it stood. */
  worked: Set<string>;
}

/** More is data, not a choice of words. */
const MAX_CALL_WORDS = 60;
/** Who tries again does so soon. */
const MAX_COMPARED = 20;
/** The newest ones. Each is compared with each line that is added. */
const MAX_PLACES = 50;
/** Fewer around it tell no place. */
const MIN_AROUND = 2;
/** Of the words around it a text has as many at least. */
const MIN_SHARE = 0.5;
/** The task fills it in. */
const PLACEHOLDER = /\{\{[^{}]{0,80}\}\}|<[^<>\s]{1,80}>|\$\{?\w{1,80}\}?|(?<![\w-])[A-Z][A-Z_-]{1,80}(?![\w-])/g;

function findPlaces(trials: ToolEntry[]): Places {
  const calls = trials.map((entry) => ({ entry, words: wordsOfCall(entry.call.args) }));
  const worked = new Set(calls.flatMap(({ entry, words }) => (entry.failed ? [] : [...words])));
  const compared = calls.filter(({ words }) => words.size > MIN_AROUND && words.size <= MAX_CALL_WORDS);
  const places = new Map<string, Place>();
  for (const [at, one] of compared.entries()) {
    for (const two of compared.slice(at + 1, at + 1 + MAX_COMPARED)) {
      if (two.entry.call.name !== one.entry.call.name || two.words.size !== one.words.size) continue;
      const [[first, ...more], [second, ...others]] = [without(one.words, two.words), without(two.words, one.words)];
      if (first === undefined || second === undefined || more.length > 0 || others.length > 0) continue;
      const words = [...one.words];
      const around = new Set(words.filter((word) => word !== first));
      const key = [...around].toSorted().join(" ");
      const before = words[words.indexOf(first) - 1];
      const place = places.get(key) ?? { around, before, tried: newTried() };
      places.set(key, place);
      note(place.tried, first, one.entry);
      note(place.tried, second, two.entry);
    }
  }
  const found = [...places.values()].filter(({ tried }) => isContested(tried));
  return { found: found.slice(-MAX_PLACES), worked };
}

/** Each value that stands in one of the places, or would: the text has no other word that is not there. */
function valuesAt({ found, worked }: Places, spans: string[]): (Pair & { tried: Tried })[] {
  if (found.length === 0) return [];
  const bySpan = spans.map((span) =>
    [...wordsIn(span.replace(PLACEHOLDER, " "))].filter((word) => !variesByTask(word)),
  );
  const words = [...new Set(bySpan.flat())];
  if (words.length < 2) return [];
  const isLong = new Set(spans.flatMap(tokensOf)).size > MIN_AROUND;
  const beforeOf = new Map(bySpan.flatMap((span) => span.map((word, n) => [word, span[n - 1]] as const)));
  return found.flatMap(({ around, before, tried }) => {
    const [value, ...others] = words.filter((word) => !around.has(word));
    if (value === undefined || others.length > 0 || worked.has(value)) return [];
    const isUntried = !tried.failed.has(value);
    if (isUntried && (!isLong || tried.worked.size === 0 || !isAlike(value, tried))) return [];
    if (words.length - 1 < MIN_SHARE * around.size) return [];
    // In a text of its own it stands alone.
    const stands = beforeOf.get(value);
    if (stands !== undefined && before !== undefined && stands !== before) return [];
    return [{ name: words.filter((word) => word !== value).join(" "), value, tried }];
  });
}

/** An option is no choice where words stand. */
function isAlike(value: string, { worked, failed }: Tried): boolean {
  return [...worked.keys(), ...failed.keys()].every((other) => other.startsWith("-") === value.startsWith("-"));
}

/** The sentences that say what to do, and their code. What stands under a warning warns, too: "What fails:", and its list. */
function prescribedIn(prose: string[]): { text: string; spans: string[] }[] {
  let isWarned = false;
  return prose.flatMap((paragraph) => {
    if (LEADS_IN.test(paragraph)) isWarned = isWarning(paragraph);
    else if (!LISTED.test(paragraph)) isWarned = false;
    if (isWarned) return [];
    const sentences = sentencesIn(paragraph).filter((text) => !isWarning(text));
    return sentences.map((text) => ({ text, spans: text.match(CODE_SPAN) ?? [] }));
  });
}

/** A heading, or what ends with a colon. */
const LEADS_IN = /^#|:$/;
const LISTED = /^(?:[-*+|]|\d+[.)])/;

function without(words: Set<string>, others: Set<string>): string[] {
  return [...words].filter((word) => !others.has(word));
}

function newTried(): Tried {
  return { worked: new Map(), failed: new Map() };
}

function note({ worked, failed }: Tried, value: string, entry: ToolEntry): void {
  (entry.failed ? failed : worked).set(value, entry.n);
}

/** Sentences of a paragraph: code marks end none. */
function sentencesIn(paragraph: string): string[] {
  return paragraph.split(/(?<=[.;!?])\s+(?=\p{Lu}|`)/u);
}

/** What the person typed, as words between blanks. */
function saidIn(entries: Entry[]): string {
  const parts = entries.flatMap((entry) => entry.parts.filter(({ source }) => source === "principal"));
  const words = parts
    .map(({ text }) => text)
    .join(" ")
    .toLowerCase();
  return ` ${words.replace(/[^\p{L}\p{N}_./:+-]+/gu, " ")} `;
}

function isSaid(value: string, said: string): boolean {
  const plain = value.replace(/[^\p{L}\p{N}_./:+-]+/gu, " ").trim();
  return plain !== "" && (said.includes(` ${plain} `) || said.includes(` ${plain}.`));
}

function refuse({ name, value }: Pair, { worked, failed }: Tried, isCorrection: boolean): Failure {
  const given = `${name} ${value}`;
  const failedAt = failed.get(value);
  const own = failedAt === undefined ? "no call used it" : `the call with it failed (entry ${failedAt})`;
  if (isCorrection) {
    const said = "write what the person said was right, in their words, and nothing that nobody gave.";
    return err("unproved_value", `The text gives \`${given}\`, but ${own} and the person did not say it: ${said}`)
      .failure;
  }
  const [good] = [...worked].sort(([, a], [, b]) => b - a);
  const instead = good
    ? `${name} ${good[0]} worked (entry ${good[1]}): write what was seen to work, or say what is to be avoided as such.`
    : `no other value worked either: what was not solved is no lesson.`;
  return err("unproved_value", `The text gives \`${given}\`, but ${own}; ${instead}`).failure;
}
