// Whether the person says how a call of the turn before should have been made: they name the call, or an option of it, and a value
// that no call of the turn had. After `convert --quality 90` it is told by "use --quality 60" and by "`convert` needs `-strip`" in any
// language, but not by "use `photos.csv`", as files vary with the task. Called by judge-message.ts. Pure; linear in the message.
import type { ToolEntry } from "../../schemas/entry.ts";
import { type Pair, pairsIn, pairsOf, toKey, variesByTask } from "../option-pairs.ts";
import { wordsOfCall, wordsIn } from "./call-words.ts";

/** A correction comes at the beginning. The next task follows it. */
const MAX_CHARS = 600;
/** What stands between code marks. */
const SPAN = /`([^`\n]{2,80})`/gu;
const ENDS = /(?<=[.!;])\s+|(?<=[。！；])|\n+/u;
const IS_QUESTION = /[?？]\s*$/u;

/** `calls`: those that were work on the task. */
export function isToldOtherwise(message: string, calls: ToolEntry[]): boolean {
  const sentences = message
    .slice(0, MAX_CHARS)
    .split(ENDS)
    .filter((sentence) => !IS_QUESTION.test(sentence))
    .map((sentence) => ({ pairs: pairsIn(sentence), spans: spansIn(sentence) }));
  // The calls of a long turn are looked at only where something is named.
  const isNamed = sentences.some(({ pairs, spans }) => pairs.length > 0 || spans.length > 1);
  if (!isNamed || calls.length === 0) return false;
  const given = calls.flatMap(({ call }) => pairsOf(call.args));
  const known = new Set(calls.flatMap(({ call }) => [...wordsOfCall(call.args)]));
  return sentences.some(({ pairs, spans }) => hasOtherValue(pairs, given) || hasOtherSpan(spans, known));
}

/** `--rate ntsc`, where a call had `--rate pal`. */
function hasOtherValue(pairs: Pair[], given: Pair[]): boolean {
  const values = new Set(given.map(toKey));
  const names = new Set(given.map(({ name }) => name));
  return pairs.some((pair) => names.has(pair.name) && !values.has(toKey(pair)) && !variesByTask(pair.value));
}

/** A span that names a call, and one with a word that no call had. */
function hasOtherSpan(spans: string[][], known: ReadonlySet<string>): boolean {
  const isKnown = (words: string[]) => words.every((word) => known.has(word));
  return spans.some(isKnown) && spans.some((words) => !isKnown(words));
}

function spansIn(sentence: string): string[][] {
  return Array.from(sentence.matchAll(SPAN), ([, span = ""]) =>
    [...wordsIn(span)].filter((word) => !variesByTask(word)),
  ).filter((words) => words.length > 0);
}
