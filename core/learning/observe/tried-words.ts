// Which words of a loaded text the work tried: those with which a call failed, so that the model tried something else in its
// place; of these, the words that the failure is blamed on; and those that had failed before and now worked. Called by observe.ts with
// the calls that were work on the task. The next reader of the text is told of the words that failed. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { TriedWords } from "../../schemas/learning/learning.ts";
import { type Topic, meaningOf } from "../taint/meaning.ts";
import { hidesFailure } from "../tool-facts.ts";
import {
  type Changes,
  changesOf,
  deedsOf,
  isData,
  isSameDeed,
  piecesOf,
  wordsIn,
  wordsOfCall,
  wordsWithNames,
} from "./call-words.ts";
import { isNamedBy, isRefusal } from "./refusals.ts";
import type { ShownText } from "./shown-texts.ts";

/** Of one text in one turn. They are kept with its evidence. */
const MAX_WORDS = 5;
/** Percent-encoded. Evidence holds up to 15 such words in its metadata, which may have 8 KB. [R2] */
const MAX_WORD_BYTES = 120;
/** A failure is compared with so many calls before it, and after it. */
const MAX_NEAR = 20;
/** A turn of hundreds of failures is told by its first ones. */
const MAX_FAILURES = 100;
/** What does less for safety proves nothing against what it took the place of. */
const LESS_SAFE: readonly Topic[] = ["delete", "disable", "dismiss", "weaken"];
/** An order to protect, or a place where more is at stake. */
const GUARDED =
  /ssl|tls|https?:|cert|verif|secur|host-?key|auth(?!or)|encrypt|valid|(?:^|[^a-z])prod(?:uction)?(?![a-z])/i;
/** Commands that look at what another one failed to do: `gh pr view` after `gh pr merge`. */
const LOOKS = new Set(
  "about checks describe diff get help history info inspect list log logs ls ps show status tree version view".split(
    " ",
  ),
);
/** More of the words beside a told one make a call one with that word, or one without it. */
const SAME_PLACE = 0.5;

interface Tried {
  entry: ToolEntry;
  pieces: string[];
  words: Set<string>;
  /** With the names of its arguments. */
  named: Set<string>;
  deeds: string;
  hasWorked: boolean;
}

/** `tools`: of one turn. Texts of which no word has failed, now or before, are left out. */
export function findTriedWords(tools: ToolEntry[], shown: ShownText[]): TriedWords[] {
  if (shown.length === 0) return [];
  const calls = tools
    .filter(({ call }) => !isData(call.args))
    .map((entry) => ({
      entry,
      pieces: piecesOf(entry.call.args),
      words: wordsOfCall(entry.call.args),
      named: wordsWithNames(entry.call.args),
      deeds: deedsOf(entry.call.args),
      hasWorked: !entry.failed && !hidesFailure(entry),
    }));
  const worked = calls.filter(({ hasWorked }) => hasWorked);
  const refused = calls.filter(({ entry }) => isRefusal(entry)).slice(0, MAX_FAILURES);
  const failures = refused.flatMap((call) => {
    const at = calls.indexOf(call);
    return readFailure(call, calls.slice(Math.max(0, at - MAX_NEAR), at + 1 + MAX_NEAR));
  });
  return shown.flatMap(({ skill, text, entry, piece, words, failedWords }) => {
    const isTaken = (word: string) => words.has(word) && isShort(word);
    const later = failures.filter(({ n }) => n > entry);
    // A text that has all that was put in the word's place names both, and is not refuted by one of them.
    const isOther = ({ instead }: Failure) => instead.length === 0 || instead.some((word) => !words.has(word));
    const told = later.filter(isOther);
    const taken = told.flatMap((failure) => failure.words.filter(isTaken));
    const blamed = new Set(told.flatMap((failure) => (failure.isBlamed ? failure.words : [])));
    const places = new Map(failedWords.map((word) => [word, besideIn(piece, word)]));
    const isAt = (word: string, call: Tried) => call.entry.n > entry && isNear(places.get(word)!, call.words);
    const isWith = (word: string) => (call: Tried) => call.words.has(word) && isAt(word, call);
    const again = failedWords.filter((word) => worked.some(isWith(word)));
    // A word that stands alone has no place to be missed at, and much works without an option.
    const isPlaced = (word: string) => !word.startsWith("-") && places.get(word)!.size > 0;
    const isAvoided = (word: string) => isPlaced(word) && worked.some((call) => isAt(word, call));
    const avoided = failedWords.filter((word) => !calls.some(isWith(word)) && isAvoided(word));
    const failed = [...new Set([...taken, ...avoided])].slice(0, MAX_WORDS);
    if (failed.length === 0 && failedWords.length === 0) return [];
    const proved = failed.filter((word) => blamed.has(word));
    return [{ skill, text, failed, ...(proved.length > 0 && { refused: proved }), worked: again }];
  });
}

function isShort(word: string): boolean {
  return word.isWellFormed() && encodeURIComponent(word).length <= MAX_WORD_BYTES;
}

interface Failure {
  n: number;
  /** Words of the call that no call like it ended well with, or was tried with afterwards. */
  words: string[];
  /** What the next call like it had in their place. */
  instead: string[];
  /** The program named the one word, and the model changed it alone. */
  isBlamed: boolean;
}

function readFailure(failed: Tried, calls: Tried[]): Failure[] {
  const { entry, words } = failed;
  const like = calls.filter((other) => isLike(failed, other));
  // Calls of one step are made together: none is a reaction to another.
  const later = like.filter((other) => other.entry.step > entry.step);
  const [next] = later;
  if (!next) return [];
  const ended = like.filter((other) => !other.entry.failed);
  const others = new Set([...later, ...ended].flatMap((other) => [...other.words]));
  const own = [...words].filter((word) => !others.has(word));
  const changes = (other: Tried) => changesOf(failed.pieces, other.pieces);
  // What another word had worked with before is the next of a list.
  if (ended.some((other) => other.entry.n < entry.n && isOneForOne(changes(other)))) return [];
  const isBlamed = later.some((other) => isSwap(own, changes(other)) && isProof(failed, other, changes(other)));
  return [{ n: entry.n, words: own, instead: [...next.words].filter((word) => !words.has(word)), isBlamed }];
}

function isLike(call: Tried, other: Tried): boolean {
  const isSameKind = other.entry.call.name === call.entry.call.name && other.deeds === call.deeds;
  return isSameKind && isSameDeed(call.named, other.named);
}

function isOneForOne({ gone, put }: Changes): boolean {
  return gone.length === 1 && put.length === 1;
}

/**
 * Two calls differ in one word of the text, and what took its place neither does less for safety nor only looks. A short option
 * may be several.
 */
function isSwap([word, ...more]: string[], { gone, put }: Changes): boolean {
  const [piece = "", ...others] = gone;
  if (word === undefined || more.length > 0 || others.length > 0 || put.length > 1 || /^-\w/.test(piece)) return false;
  if (put.some((other) => LOOKS.has(other)) && !LOOKS.has(piece)) return false;
  const { topics } = meaningOf(put.join(" "));
  const isLess = GUARDED.test(`${piece} ${put.join(" ")}`) || LESS_SAFE.some((topic) => topics.has(topic));
  return wordsIn(piece).has(word) && !isLess;
}

/** The program named what was changed. Where that was only left out it must have worked so: with less asked of it, much works. */
function isProof({ entry }: Tried, other: Tried, { gone: [piece = ""], put }: Changes): boolean {
  return (put.length > 0 || other.hasWorked) && [...wordsIn(piece)].some((word) => isNamedBy(entry, word));
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
