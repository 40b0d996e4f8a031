// Which words of a loaded text the work tried: those with which a call failed, so that the model tried something else in its
// place; of these, the words that the failure is blamed on; and those that had failed before and now worked. Called by observe.ts with
// the calls that were work on the task. Whoever loads the text next is told of the words that failed. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { TriedWords } from "../../schemas/learning.ts";
import { leavesOf, readOutcome } from "../tool-facts.ts";
import { isSameDeed, wordsOfCall } from "./call-words.ts";
import type { ShownText } from "./proved-wrong.ts";

/** Of one text in one turn. They are kept with its evidence. */
const MAX_WORDS = 5;
const MAX_WORD_CHARS = 60;
/** A failure that passes by itself. */
const PASSING =
  /(?<!\p{L})(?:busy|overloaded|temporar\p{L}*|(?:un|not )available|unreachable|time[ds]?[ -]?out|(?:try|retry)(?: it| the request)? (?:again|later)|too many requests|rate[ -]?limit\p{L}*|connection (?:was )?(?:refused|reset|closed|lost)|could not (?:resolve|connect)|locked|ebusy|etimedout|econn\p{L}+|eai_again)(?!\p{L})|(?<!\d)(?:429|50[234])(?!\d)/iu;

/** Texts of which no word has failed, now or before, are left out. */
export function findTriedWords(tools: ToolEntry[], shown: ShownText[]): TriedWords[] {
  const calls = tools.map((entry) => {
    const { n, failed, call } = entry;
    return { n, failed, call, words: wordsOfCall(call.args), said: failed ? saidIn(entry) : "" };
  });
  const worked = calls.filter(({ failed }) => !failed);
  const given = calls
    .filter(({ failed }) => failed)
    .map(({ n, call, words, said }) => {
      const instead = calls.filter((other) => other.n > n && isInstead(call, other.call));
      const others = new Set([...instead, ...worked].flatMap((other) => [...other.words]));
      const own = [...words].filter((word) => !others.has(word));
      // Who read what the program said, and changed this word alone, took it for the cause. A program that says nothing in words
      // (`grep --count`) has answered, and refused none.
      const isAnswer = !/\p{L}/u.test(said);
      const isPassing = PASSING.test(said);
      const isBlamed = (other: (typeof calls)[number]) =>
        isOneWordOff(words, other.words) && !(isPassing && other.failed);
      const blamed = own.length === 1 && !isAnswer && instead.some(isBlamed) ? own : [];
      return { n, words: instead.length > 0 ? own : [], blamed };
    });
  return shown.flatMap(({ skill, text, entry, words, failedWords }) => {
    const isTaken = (word: string) => words.has(word) && word.length <= MAX_WORD_CHARS;
    const later = given.filter(({ n }) => n > entry);
    const failed = [...new Set(later.flatMap((call) => call.words.filter(isTaken)))].slice(0, MAX_WORDS);
    const blamed = new Set(later.flatMap((call) => call.blamed));
    const refused = failed.filter((word) => blamed.has(word));
    const again = failedWords.filter((word) => worked.some((call) => call.n > entry && call.words.has(word)));
    if (failed.length === 0 && failedWords.length === 0) return [];
    return [{ skill, text, failed, ...(refused.length > 0 && { refused }), worked: again }];
  });
}

function isOneWordOff(words: Set<string>, others: Set<string>): boolean {
  return words.size === others.size && [...others].filter((word) => !words.has(word)).length === 1;
}

/** What a call's program and its tool said: content, and the outcome's sentence. */
function saidIn(entry: ToolEntry): string {
  const content = entry.parts.filter(({ source }) => source === "content").flatMap(({ text }) => leavesIn(text));
  return [...content, String(readOutcome(entry).error ?? "")].join("\n");
}

/** Parts of results are JSON. */
function leavesIn(text: string): string[] {
  try {
    return leavesOf(JSON.parse(text));
  } catch {
    return [text]; // cut
  }
}

function isInstead(failed: ToolEntry["call"], other: ToolEntry["call"]): boolean {
  return failed.name === other.name && isSameDeed(failed.args, other.args);
}
