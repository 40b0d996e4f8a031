// Finds which words of a loaded text a turn proved wrong or right. A word failed when a call with it failed and the model then replaced
// the word. It was refused when, in addition, the program itself named it. An earlier failed word may also have worked now. Called by
// observe.ts with the calls that worked on the task. The next reader of the text is shown the failed words. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { TriedWords } from "../../schemas/learning/learning.ts";
import { CODE_SPAN } from "../markdown.ts";
import { type Topic, meaningOf } from "../taint/meaning.ts";
import { hidesFailure } from "../tool-facts.ts";
import {
  type CallChanges,
  actionsOf,
  changesOf,
  isData,
  isSameAction,
  piecesOf,
  wordsIn,
  wordsOfCall,
  wordsWithNames,
} from "./call-words.ts";
import { isNamedBy, isRefusal } from "./refusals.ts";
import type { ShownText } from "./shown-texts.ts";

/** Maximum number of failed words of one text in one turn. They are stored with the evidence. */
const MAX_WORDS = 5;
/** Percent-encoded. Evidence holds up to 15 such words in its metadata, which is limited to 8 KB. [R2] */
const MAX_WORD_BYTES = 120;
/** A failure is compared with this many calls before it, and as many after it. */
const MAX_NEAR = 20;
/** Maximum number of failures that are read. In a turn with hundreds, the first ones are enough. */
const MAX_FAILURES = 100;
/** A replacement that lowers protection does not prove the replaced word wrong. */
const LESS_SAFE: readonly Topic[] = ["delete", "disable", "dismiss", "weaken"];
/** A protective option, or an environment where more is at stake. */
const GUARDED =
  /ssl|tls|https?:|cert|verif|secur|host-?key|auth(?!or)|encrypt|valid|(?:^|[^a-z])prod(?:uction)?(?![a-z])/i;
/** Read-only subcommands: `gh pr view` after `gh pr merge` does not do what the first call failed to do. */
const READS = new Set(
  "about checks describe diff get help history info inspect list log logs ls ps show status tree version view".split(
    " ",
  ),
);
/** A call is about a word when it has more than this share of the words beside it. */
const SAME_PLACE = 0.5;

/** A call with everything that is compared, computed once. */
interface ComparedCall {
  entry: ToolEntry;
  pieces: string[];
  words: Set<string>;
  /** The words, with the names of the arguments. */
  named: Set<string>;
  actions: string;
  hasWorked: boolean;
}

interface Failure {
  n: number;
  /** Words that no similar call succeeded with and that no later similar call tried again. */
  words: string[];
  /** Words that the next similar call added. */
  replacements: string[];
  /** The program named the one failed word, and the model changed that word alone. */
  isBlamed: boolean;
}

/** `tools`: of one turn. Leaves out texts of which no word has failed, in this turn or before. */
export function findTriedWords(tools: ToolEntry[], shown: ShownText[]): TriedWords[] {
  if (shown.length === 0) return [];
  const calls = tools.filter(({ call }) => !isData(call.args)).map(toComparedCall);
  const refused = calls.filter(({ entry }) => isRefusal(entry)).slice(0, MAX_FAILURES);
  const failures = refused.flatMap((call) => {
    const at = calls.indexOf(call);
    return readFailure(call, calls.slice(Math.max(0, at - MAX_NEAR), at + 1 + MAX_NEAR));
  });
  return shown.flatMap((text) => triedWordsOf(text, calls, failures));
}

function toComparedCall(entry: ToolEntry): ComparedCall {
  const { args } = entry.call;
  return {
    entry,
    pieces: piecesOf(args),
    words: wordsOfCall(args),
    named: wordsWithNames(args),
    actions: actionsOf(args),
    hasWorked: !entry.failed && !hidesFailure(entry),
  };
}

/** Of one text: the words that failed now, and how its earlier failed words fared. */
function triedWordsOf(shown: ShownText, calls: ComparedCall[], failures: Failure[]): TriedWords[] {
  const { skill, text, entry, words, failedWords } = shown;
  const later = failures.filter((failure) => failure.n > entry && isAgainst(failure, words));
  const failedNow = later.flatMap((failure) => failure.words.filter((word) => words.has(word) && isStorable(word)));
  const blamed = new Set(later.flatMap((failure) => (failure.isBlamed ? failure.words : [])));
  const { worked, avoided } = readFailedBefore(shown, calls);
  const failed = [...new Set([...failedNow, ...avoided])].slice(0, MAX_WORDS);
  if (failed.length === 0 && failedWords.length === 0) return [];
  const refused = failed.filter((word) => blamed.has(word));
  return [{ skill, text, failed, ...(refused.length > 0 && { refused }), worked }];
}

/** Whether a failure speaks against a text. A text that also has every replacement names both ways, so it is not refuted. */
function isAgainst({ replacements }: Failure, words: Set<string>): boolean {
  return replacements.length === 0 || replacements.some((word) => !words.has(word));
}

/** Of the words that the model was shown as failed: those that worked now, and those that working calls left out. */
function readFailedBefore({ entry, piece, failedWords }: ShownText, calls: ComparedCall[]) {
  const later = calls.filter((call) => call.entry.n > entry);
  const found = failedWords.map((word) => {
    const beside = wordsBeside(piece, word);
    const atPlace = later.filter((call) => isNear(beside, call.words));
    return { word, beside, atPlace, used: atPlace.filter((call) => call.words.has(word)) };
  });
  // Without neighbours it is unknown where a word belongs. Options are excluded, since many calls work without them.
  const isAvoided = ({ word, beside, atPlace, used }: (typeof found)[number]) =>
    used.length === 0 && !word.startsWith("-") && beside.size > 0 && atPlace.some(({ hasWorked }) => hasWorked);
  return {
    worked: found.filter(({ used }) => used.some(({ hasWorked }) => hasWorked)).map(({ word }) => word),
    avoided: found.filter(isAvoided).map(({ word }) => word),
  };
}

function isStorable(word: string): boolean {
  return word.isWellFormed() && encodeURIComponent(word).length <= MAX_WORD_BYTES;
}

/** The failure of a call, or none when the word cannot be named. `calls`: those near the failed one. */
function readFailure(failed: ComparedCall, calls: ComparedCall[]): Failure[] {
  const { entry, words } = failed;
  const similar = calls.filter((other) => isSimilar(failed, other));
  // Calls of one step are made together, so none of them reacts to another.
  const later = similar.filter((other) => other.entry.step > entry.step);
  const [next] = later;
  if (!next) return [];
  const succeeded = similar.filter((other) => !other.entry.failed);
  const others = new Set([...later, ...succeeded].flatMap((other) => [...other.words]));
  const own = [...words].filter((word) => !others.has(word));
  const changes = (other: ComparedCall) => changesOf(failed.pieces, other.pieces);
  // An earlier success with another word in its place: the calls go through a list, and a failed item proves nothing.
  if (succeeded.some((other) => other.entry.n < entry.n && isOneForOne(changes(other)))) return [];
  const isBlamed = later.some((other) => isSwap(own, changes(other)) && isProof(failed, other, changes(other)));
  return [{ n: entry.n, words: own, replacements: [...next.words].filter((word) => !words.has(word)), isBlamed }];
}

function isSimilar(call: ComparedCall, other: ComparedCall): boolean {
  const isSameKind = other.entry.call.name === call.entry.call.name && other.actions === call.actions;
  return isSameKind && isSameAction(call.named, other.named);
}

function isOneForOne({ removed, added }: CallChanges): boolean {
  return removed.length === 1 && added.length === 1;
}

/**
 * The model changed one word of the text alone. Its replacement neither lowers protection nor only reads. A short option may
 * bundle several, so it is never a swap.
 */
function isSwap([word, ...more]: string[], { removed, added }: CallChanges): boolean {
  const [piece = "", ...others] = removed;
  if (word === undefined || more.length > 0 || others.length > 0 || added.length > 1 || /^-\w/.test(piece)) {
    return false;
  }
  if (added.some((other) => READS.has(other)) && !READS.has(piece)) return false;
  const { topics } = meaningOf(added.join(" "));
  const isLessSafe = GUARDED.test(`${piece} ${added.join(" ")}`) || LESS_SAFE.some((topic) => topics.has(topic));
  return wordsIn(piece).has(word) && !isLessSafe;
}

/** The program named the changed word. A word that was only left out proves nothing unless the call then worked. */
function isProof({ entry }: ComparedCall, other: ComparedCall, { removed: [piece = ""], added }: CallChanges): boolean {
  return (added.length > 0 || other.hasWorked) && [...wordsIn(piece)].some((word) => isNamedBy(entry, word));
}

/** The words in the same code span as a word, or else in other code spans of its line. Empty if it stands alone. */
function wordsBeside(piece: string, word: string): Set<string> {
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
