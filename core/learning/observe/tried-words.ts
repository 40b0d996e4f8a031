// Which words of a loaded text the work tried: those with which a call failed, so that the model tried something else in its
// place; of these, the words that the failure is blamed on; and those that had failed before and now worked. Called by observe.ts with
// the calls that were work on the task. The next reader of the text is told of the words that failed. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { TriedWords } from "../../schemas/learning.ts";
import { type Topic, meaningOf } from "../taint/meaning.ts";
import { hidesFailure, readOutcome, readStreams } from "../tool-facts.ts";
import { changesOf, isSameDeed, wordsIn, wordsOfCall, wordsWithNames } from "./call-words.ts";
import type { ShownText } from "./shown-texts.ts";

/** Of one text in one turn. They are kept with its evidence. */
const MAX_WORDS = 5;
const MAX_WORD_CHARS = 60;
/** A failure is compared with so many calls before it, and after it. */
const MAX_NEAR = 50;
/** A failure that passes by itself, or that lies in the machine or the account. */
const PASSING =
  /(?<!\p{L})(?:busy|overloaded|temporar\p{L}*|(?:un|not )available|unreachable|time[ds]?[ -]?out|(?:try|retry)(?: it| the request)? (?:again|later)|too many requests|rate[ -]?limit\p{L}*|connection (?:was )?(?:refused|reset|closed|lost)|could not (?:resolve|connect)|locked|internal server error|out of memory|not enough memory|no space left|expired|unauthori[sz]ed|permission denied|ebusy|etimedout|econn\p{L}+|eai_again)(?!\p{L})|(?<!\d)(?:401|403|429|50[0234])(?!\d)/iu;
/** A call with such a word in its place does less for safety, and proves nothing against the word. */
const LESS_SAFE: readonly Topic[] = ["delete", "disable", "dismiss", "weaken"];
/** More of the words beside a told one make a call one with that word, or one without it. */
const SAME_PLACE = 0.5;

interface Tried {
  entry: ToolEntry;
  words: Set<string>;
  /** With the names of its arguments. */
  named: Set<string>;
  hasWorked: boolean;
}

/** `tools`: of one turn. Texts of which no word has failed, now or before, are left out. */
export function findTriedWords(tools: ToolEntry[], shown: ShownText[]): TriedWords[] {
  const calls = tools.map((entry) => ({
    entry,
    words: wordsOfCall(entry.call.args),
    named: wordsWithNames(entry.call.args),
    hasWorked: !entry.failed && !hidesFailure(entry),
  }));
  const worked = calls.filter(({ hasWorked }) => hasWorked);
  const failures = calls.flatMap((call, at) =>
    call.entry.failed ? readFailure(call, calls.slice(Math.max(0, at - MAX_NEAR), at + MAX_NEAR)) : [],
  );
  return shown.flatMap(({ skill, text, entry, piece, words, failedWords }) => {
    const isTaken = (word: string) => words.has(word) && word.length <= MAX_WORD_CHARS;
    const later = failures.filter(({ n }) => n > entry);
    // A text that has all that was put in the word's place names both, and is not refuted by one of them.
    const isOther = ({ instead }: Failure) => instead.length === 0 || instead.some((word) => !words.has(word));
    const told = later.filter(isOther);
    const taken = told.flatMap((failure) => failure.words.filter(isTaken));
    const blamed = new Set(told.flatMap((failure) => (failure.isBlamed ? failure.words : [])));
    const places = new Map(failedWords.map((word) => [word, besideIn(piece, word)]));
    const isAt = (word: string, call: Tried) => call.entry.n > entry && isNear(places.get(word)!, call.words);
    const again = failedWords.filter((word) => worked.some((call) => call.words.has(word) && isAt(word, call)));
    const avoided = failedWords.filter((word) => !again.includes(word) && calls.some((call) => isAt(word, call)));
    const failed = [...new Set([...taken, ...avoided])].slice(0, MAX_WORDS);
    if (failed.length === 0 && failedWords.length === 0) return [];
    const refused = failed.filter((word) => blamed.has(word));
    return [{ skill, text, failed, ...(refused.length > 0 && { refused }), worked: again }];
  });
}

interface Failure {
  n: number;
  /** Words of the call that no call like it worked with, or was tried with afterwards. */
  words: string[];
  /** What the next call like it had in their place. */
  instead: string[];
  /** The model changed the one word alone. */
  isBlamed: boolean;
}

/** Who read what the program said, and changed one word alone, took it for the cause. */
function readFailure({ entry, words, named }: Tried, calls: Tried[]): Failure[] {
  const like = calls.filter((other) => other.entry.call.name === entry.call.name && isSameDeed(named, other.named));
  const worked = like.filter(({ hasWorked }) => hasWorked);
  // Calls of one step are made together: none is a reaction to another.
  const later = like.filter((other) => other.entry.step > entry.step);
  const [next] = later;
  if (!next || saysNothing(entry)) return [];
  const others = new Set([...later, ...worked].flatMap((other) => [...other.words]));
  const own = [...words].filter((word) => !others.has(word));
  // What another word had worked with before is the next of a list.
  const changes = (other: Tried) => changesOf(entry.call.args, other.entry.call.args);
  if (worked.some((other) => other.entry.n < entry.n && isOneForOne(changes(other)))) return [];
  const { gone, put, isSubcommand } = changes(next);
  if (isSubcommand && !own.some((word) => saidBy(entry).includes(word))) return [];
  const isAlone = isOneForOne({ gone, put }) || (gone.length === 1 && put.length === 0 && next.hasWorked);
  const { topics } = meaningOf(put.join(" "));
  const isBlamed = own.length === 1 && isAlone && !LESS_SAFE.some((topic) => topics.has(topic));
  return [{ n: entry.n, words: own, instead: [...next.words].filter((word) => !words.has(word)), isBlamed }];
}

function isOneForOne({ gone, put }: { gone: string[]; put: string[] }): boolean {
  return gone.length === 1 && put.length === 1;
}

function saidBy(entry: ToolEntry): string {
  const streams = readStreams(entry);
  const content = entry.parts.filter(({ source }) => source === "content").map(({ text }) => text);
  const said = streams ? [streams.stdout, streams.stderr] : content;
  return [...said, String(readOutcome(entry).error ?? "")].join("\n");
}

/** It refused no word: it said nothing in words, answered by its exit code (`diff`, `jq -e`), or failed for a reason that passes. */
function saysNothing(entry: ToolEntry): boolean {
  const said = saidBy(entry);
  const streams = readStreams(entry);
  const isAnswer = streams !== null && streams.stderr.trim() === "" && streams.stdout.trim() !== "";
  return isAnswer || !/\p{L}/u.test(said) || PASSING.test(said);
}

const CODE_SPAN = /`[^`\n]+`/g;

/** Words that stand between code marks with a word, or in code of the same line; none where it stands alone. */
function besideIn(piece: string, word: string): Set<string> {
  for (const line of piece.split("\n")) {
    const spans = (line.match(CODE_SPAN) ?? []).map(wordsIn);
    const own = spans.find((span) => span.has(word));
    if (!own) continue;
    const beside = own.size > 1 ? own : new Set(spans.flatMap((span) => [...span]));
    beside.delete(word);
    return beside;
  }
  return new Set();
}

function isNear(beside: Set<string>, words: Set<string>): boolean {
  const shared = [...beside].filter((word) => words.has(word)).length;
  return beside.size === 0 || shared > SAME_PLACE * beside.size;
}
