// Which words of a loaded text the work tried: those with which a call failed, so that the model tried something else in its
// place; those that were surely wrong, as the program refused them by name or another word alone put the call right; and those that
// had failed before and now worked. Called by observe.ts with the calls that were work on the task. A word that failed need not be wrong; whoever loads the text next is told of it. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { TriedWords } from "../../schemas/learning.ts";
import { piecesOf } from "../taint/entries.ts";
import { isSameDeed, wordsOfCall } from "./call-words.ts";
import type { ShownText } from "./proved-wrong.ts";
import { findRefused } from "./refusals.ts";

/** Of one text in one turn. They are kept with its evidence. */
const MAX_WORDS = 5;
const MAX_WORD_CHARS = 60;

/** Texts of which no word has failed, now or before, are left out. */
export function findTriedWords(tools: ToolEntry[], shown: ShownText[]): TriedWords[] {
  const calls = tools.map((entry) => {
    const { n, failed, call } = entry;
    return {
      n,
      failed,
      call,
      words: wordsOfCall(call.args),
      said: failed ? piecesOf(entry).map(({ text }) => text) : [],
    };
  });
  const worked = calls.filter(({ failed }) => !failed);
  const given = calls
    .filter(({ failed }) => failed)
    .map(({ n, call, words, said }) => {
      const instead = calls.filter((other) => other.n > n && isInstead(call, other.call));
      const others = new Set([...instead, ...worked].flatMap((other) => [...other.words]));
      const own = [...words].filter((word) => !others.has(word));
      const isPutRight = own.length === 1 && instead.some((other) => !other.failed && isOneWordOff(words, other.words));
      const refused = isPutRight ? own : findRefused(own, said);
      // Where nothing else was tried, only the program's own word tells what was wrong.
      return { n, words: instead.length > 0 ? own : refused, refused };
    });
  return shown.flatMap(({ skill, text, entry, words, failedWords }) => {
    const isTaken = (word: string) => words.has(word) && word.length <= MAX_WORD_CHARS;
    const later = given.filter(({ n }) => n > entry);
    const failed = [...new Set(later.flatMap((call) => call.words.filter(isTaken)))].slice(0, MAX_WORDS);
    const byName = new Set(later.flatMap((call) => call.refused));
    const refused = failed.filter((word) => byName.has(word));
    const again = failedWords.filter((word) => worked.some((call) => call.n > entry && call.words.has(word)));
    if (failed.length === 0 && failedWords.length === 0) return [];
    return [{ skill, text, failed, ...(refused.length > 0 && { refused }), worked: again }];
  });
}

function isOneWordOff(words: Set<string>, others: Set<string>): boolean {
  return words.size === others.size && [...others].filter((word) => !words.has(word)).length === 1;
}

function isInstead(failed: ToolEntry["call"], other: ToolEntry["call"]): boolean {
  return failed.name === other.name && isSameDeed(failed.args, other.args);
}
