// Decides whether a message corrects a call of the turn before: it names the call, or an option of it, and a value that no call had.
// After `convert --quality 90`, "use --quality 60" and "`convert` needs `-strip`" are corrections in any language. "Use `photos.csv`"
// is not, because files vary with the task. Called by judge-message.ts. Pure; linear in the message.
import type { ToolEntry } from "../../schemas/entry.ts";
import { type OptionPair, pairsIn, pairsOf, toPairKey, variesByTask } from "../option-pairs.ts";
import { wordsIn, wordsOfCall } from "./call-words.ts";

/** A correction comes at the beginning of a message. The next task follows it. */
const MAX_CHARS = 600;
const CODE_SPAN = /`([^`\n]{2,80})`/gu;
const SENTENCE_END = /(?<=[.!;])\s+|(?<=[。！；])|\n+/u;
const IS_QUESTION = /[?？]\s*$/u;

/** `calls`: those that worked on the task. */
export function namesOtherValue(message: string, calls: ToolEntry[]): boolean {
  const sentences = statementsIn(message.slice(0, MAX_CHARS)).map((sentence) => ({
    pairs: pairsIn(sentence),
    spans: spansIn(sentence),
  }));
  // Reading the calls of a long turn is costly, so it waits until the message names something.
  const isNamed = sentences.some(({ pairs, spans }) => pairs.length > 0 || spans.length > 1);
  if (!isNamed || calls.length === 0) return false;
  const given = calls.flatMap(({ call }) => pairsOf(call.args));
  const known = new Set(calls.flatMap(({ call }) => [...wordsOfCall(call.args)]));
  return sentences.some(({ pairs, spans }) => hasOtherPair(pairs, given) || hasOtherSpan(spans, known));
}

/** The sentences of a message that are no questions. */
export function statementsIn(message: string): string[] {
  return message.split(SENTENCE_END).filter((sentence) => !IS_QUESTION.test(sentence));
}

/** `--rate ntsc`, where a call had `--rate pal`. */
function hasOtherPair(pairs: OptionPair[], given: OptionPair[]): boolean {
  const values = new Set(given.map(toPairKey));
  const names = new Set(given.map(({ name }) => name));
  return pairs.some((pair) => names.has(pair.name) && !values.has(toPairKey(pair)) && !variesByTask(pair.value));
}

/** One span names a call, and another has a word that no call had. */
function hasOtherSpan(spans: string[][], known: ReadonlySet<string>): boolean {
  const isKnown = (words: string[]) => words.every((word) => known.has(word));
  return spans.some(isKnown) && spans.some((words) => !isKnown(words));
}

/** The words of each code span, without those that vary with the task. */
function spansIn(sentence: string): string[][] {
  return Array.from(sentence.matchAll(CODE_SPAN), ([, span = ""]) =>
    [...wordsIn(span)].filter((word) => !variesByTask(word)),
  ).filter((words) => words.length > 0);
}
