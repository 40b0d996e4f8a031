// Whether the values that a lesson gives were seen to work. Asked of what a review adds to skills and to memory: where the work
// tried an option with one value, which failed, and with another, which worked, a text that gives a third one, or the first,
// is a slip of the pen that the next turn would follow. So is a value that a review of the person's correction gives, and that
// neither they nor a call had. Values without an option's name are known by the calls: two that differ in one word alone have it
// in the same place. Pure; who tried nothing else is not held to what was tried.
import { type Failure, err } from "../../errors.ts";
import type { Entry, ToolEntry } from "../../schemas/entry.ts";
import type { ReviewJob } from "../../schemas/review.ts";
import type { AddedText } from "../added-text.ts";
import { wordsIn, wordsOfCall } from "../observe/call-words.ts";
import { type Pair, isOfTask, pairsIn, pairsOf, toKey, variesByTask } from "../option-pairs.ts";
import { isSelfTool } from "../tool-facts.ts";

/** The sentence says what is not to be given, or what failed. */
const AVOIDS =
  /\b(?:not|never|no|avoid|instead|rather than|without|unless|except|fail(?:s|ed|ing)?|refused?|refuses|reject(?:s|ed)?|wrong|nicht|kein|keine|nie|statt|anstelle|vermeid\w*)\b|n['’]t\b/iu;

/** What became of the values of one option. By value: the last entry it was seen in. */
interface Tried {
  worked: Map<string, number>;
  failed: Map<string, number>;
}

/**
 * A check of what is added: `null` when no value in it was seen to be otherwise. `standing`: what the skill says already. Failure:
 * `unproved_value`. Reads the entries once, when it is first asked.
 */
export function createGrounding({ entries, trigger }: Pick<ReviewJob, "entries" | "trigger">) {
  const isCorrection = trigger === "correction" || trigger === "rating";
  let read: { tried: Map<string, Tried>; places: Place[]; said: string } | null = null;
  return ({ prose, code }: AddedText, standing: string): Failure | null => {
    read ??= { tried: triedIn(entries), places: findPlaces(entries), said: saidIn(entries) };
    if (read.tried.size === 0 && read.places.length === 0 && !isCorrection) return null;
    const kept = new Set(pairsIn(standing).map(toKey));
    const keptWords = wordsIn(standing);
    const sentences = [
      ...prose.flatMap(sentencesIn).map((text) => ({ text, spans: (text.match(CODE_SPAN) ?? []).join(" ") })),
      ...code.map((text) => ({ text, spans: text })),
    ];
    for (const { text, spans } of sentences) {
      if (AVOIDS.test(text)) continue;
      for (const pair of pairsIn(text)) {
        const tried = read.tried.get(pair.name) ?? newTried();
        if (!(isCorrection || isContested(tried)) || kept.has(toKey(pair)) || variesByTask(pair)) continue;
        if (tried.worked.has(pair.value) || isSaid(pair.value, read.said)) continue;
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

/** One value failed, and another one worked, or none did. The same one that worked later only failed for a moment. */
function isContested({ worked, failed }: Tried): boolean {
  return [...failed.keys()].some((value) => !worked.has(value));
}

function triedIn(entries: Entry[]): Map<string, Tried> {
  const tried = new Map<string, Tried>();
  for (const entry of entries) {
    if (entry.kind !== "tool" || entry.state !== "done" || isSelfTool(entry)) continue;
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
  tried: Tried;
}

const CODE_SPAN = /`[^`\n]+`/g;
/** More is data, not a choice of words. */
const MAX_CALL_WORDS = 60;
/** Who tries again does so soon. */
const MAX_COMPARED = 20;
/** Fewer around it tell no place. */
const MIN_AROUND = 2;
/** `FILE`, `NAME`: the task fills it in. */
const PLACEHOLDER = /^[A-Z][A-Z_]+$/;

function findPlaces(entries: Entry[]): Place[] {
  const calls = entries.flatMap((entry) => {
    if (entry.kind !== "tool" || entry.state !== "done" || isSelfTool(entry)) return [];
    const words = wordsOfCall(entry.call.args);
    return words.size <= MIN_AROUND || words.size > MAX_CALL_WORDS ? [] : [{ entry, words }];
  });
  const places = new Map<string, Place>();
  for (const [at, one] of calls.entries()) {
    for (const two of calls.slice(at + 1, at + 1 + MAX_COMPARED)) {
      if (two.entry.call.name !== one.entry.call.name || two.words.size !== one.words.size) continue;
      const [[first, ...more], [second, ...others]] = [without(one.words, two.words), without(two.words, one.words)];
      if (first === undefined || second === undefined || more.length > 0 || others.length > 0) continue;
      const around = [...one.words].filter((word) => word !== first);
      const key = around.toSorted().join(" ");
      const place = places.get(key) ?? { around: new Set(around), tried: newTried() };
      places.set(key, place);
      note(place.tried, first, one.entry);
      note(place.tried, second, two.entry);
    }
  }
  return [...places.values()].filter(({ tried }) => isContested(tried));
}

/** Each value that stands in one of the places, or would: the sentence has no other word that is not there. */
function valuesAt(places: Place[], code: string): (Pair & { tried: Tried })[] {
  const words = [...wordsIn(code)].filter((word) => !isOfTask(word) && !PLACEHOLDER.test(word));
  if (words.length <= MIN_AROUND) return [];
  return places.flatMap(({ around, tried }) => {
    const [value, ...others] = words.filter((word) => !around.has(word));
    if (value === undefined || others.length > 0 || tried.worked.has(value)) return [];
    return [{ name: words.filter((word) => word !== value).join(" "), value, tried }];
  });
}

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
