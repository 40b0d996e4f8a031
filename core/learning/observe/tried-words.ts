// Which words of a loaded text the work tried: those with which a call failed, so that the model tried something else in its
// place, and those that had failed before and now worked. Called by observe.ts with the calls that were work on the task. A
// word that failed need not be wrong; whoever loads the text next is told of it. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { TriedWords } from "../../schemas/learning.ts";
import { isSameDeed, wordsOfCall } from "./call-words.ts";
import type { ShownText } from "./proved-wrong.ts";

/** Of one text in one turn. They are kept with its evidence. */
const MAX_WORDS = 5;
const MAX_WORD_CHARS = 60;

/** Texts of which no word has failed, now or before, are left out. */
export function findTriedWords(tools: ToolEntry[], shown: ShownText[]): TriedWords[] {
  const calls = tools.map(({ n, failed, call }) => ({ n, failed, call, words: wordsOfCall(call.args) }));
  const worked = calls.filter(({ failed }) => !failed);
  const given = calls.flatMap((call) => {
    const instead = calls.filter(({ n, call: other }) => n > call.n && isInstead(call.call, other));
    if (!call.failed || instead.length === 0) return [];
    const others = new Set([...instead, ...worked].flatMap(({ words }) => [...words]));
    return [{ n: call.n, words: [...call.words].filter((word) => !others.has(word)) }];
  });
  return shown.flatMap(({ skill, text, entry, words, failedWords }) => {
    const isTaken = (word: string) => words.has(word) && word.length <= MAX_WORD_CHARS;
    const failed = given.filter(({ n }) => n > entry).flatMap((call) => call.words.filter(isTaken));
    const again = failedWords.filter((word) => worked.some((call) => call.n > entry && call.words.has(word)));
    if (failed.length === 0 && failedWords.length === 0) return [];
    return [{ skill, text, failed: [...new Set(failed)].slice(0, MAX_WORDS), worked: again }];
  });
}

function isInstead(failed: ToolEntry["call"], other: ToolEntry["call"]): boolean {
  return failed.name === other.name && isSameDeed(failed.args, other.args);
}
