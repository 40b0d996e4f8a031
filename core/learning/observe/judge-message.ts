// What a person's next message says of the answer before it. The session calls it after the turn that the message began, where
// no reviewer has judged. Weighs phrases of seven languages (reply-words/), and speaks only when one side is clear: everything
// else is `unknown`, which says nothing. Pure; no expression here backtracks.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { Outcome } from "../../schemas/skill.ts";
import { isToldOtherwise } from "./told-otherwise.ts";
import { type Found, type PhraseKind, createFinder, wordsOf } from "./phrases.ts";
import { LEXICONS } from "./reply-words/index.ts";

interface MessageVerdict {
  outcome: Outcome;
  /** It says how the answer should have been, or how the next one should be. */
  correction: boolean;
}

/** What the session knows beside the message. */
interface MessageContext {
  /** The answer's last words were a question, which the message may answer. */
  asked?: boolean;
  /** What the person had asked for. */
  request?: string;
  /** The words of the answer. */
  answer?: string;
  /** Those that were work on the answer. */
  calls?: ToolEntry[];
}

/** A verdict comes at the beginning. The next task follows it, and its words judge nothing. */
const MAX_SENTENCES = 3;
const MAX_CHARS = 600;
/** Of a message with code and quotations, which are passed over. */
const MAX_READ_CHARS = 6_000;
const MAX_CLAUSES = 24;
/** People write no longer clause: it is a list, a log, or a text without signs. */
const MAX_CLAUSE_WORDS = 40;
const MAX_REQUEST_CHARS = 600;

/** What it takes to speak, and what the other side may have at most. */
const CLEAR = 2;
const DOUBTFUL = 1;
/** In a clause of so few words a mild one is the point. */
const SHORT_WORDS = 4;
const NEGATED_WORDS = 3;
/** A longer clause names what it is about. */
const LONG_WORDS = 3;
/** After a complaint, a clause of so many words says what would have been right. */
const MIN_TOLD_WORDS = 4;
/** After a plain no fewer do. */
const MIN_AFTER_NO = 2;
const MAX_AGAINST_WORDS = 5;
/** Beside thanks, a clause of so many words says what for. */
const MIN_MORE_WORDS = 2;
/** Enough of a word to know it again in another form. */
const STEM_CHARS = 5;

const WEIGHTS: Partial<Record<PhraseKind, number>> = {
  ...{ praise: 2, approval: 2, effect: 2, used: 2, liked: 1, thanks: 1 },
  ...{ complaint: -2, harm: -2, doubt: -2, undo: -2, giveUp: -2, wish: -2, grumble: -1, hint: -1 },
};
const MILD: ReadonlySet<PhraseKind> = new Set(["liked", "grumble", "hint"]);
/** A single word of these may be said of anything. */
const VAGUE: ReadonlySet<PhraseKind> = new Set(["praise", "complaint"]);
/** Said to somebody, they are about what that one did. */
const STANDS_ALONE: ReadonlySet<PhraseKind> = new Set(["thanks", "grumble"]);
/** Negated, they say nothing. */
const NOT_TURNED: ReadonlySet<PhraseKind> = new Set([
  "approval",
  "used",
  "doubt",
  "undo",
  "giveUp",
  "wish",
  "hint",
  "grumble",
]);
/** What counts in a question. */
const IN_QUESTIONS: ReadonlySet<PhraseKind> = new Set(["doubt", "undo", "wish", "hint"]);
/** What an exception can follow. */
const EXCEPTIONS: ReadonlySet<PhraseKind> = new Set(["but", "exception"]);
/** After a "but", these are no exception. */
const OPENS_OTHER: ReadonlySet<PhraseKind> = new Set(["asks", "supposes", "but"]);
const LIKED: ReadonlySet<PhraseKind> = new Set(["praise", "liked", "approval", "effect"]);
/** They say what is not as it should be. */
const SAYS_WHAT: ReadonlySet<PhraseKind> = new Set(["exception", "wish", "hint"]);
/** Where the agent has asked, these may be the answer. */
const ANSWERS: ReadonlySet<PhraseKind> = new Set(["approval", "liked", "grumble", "wish", "hint", "thanks"]);

/** "It has no header" says what is missing, not how it should be. */
const TELLS_NOT: ReadonlySet<PhraseKind> = new Set(["idle", "negation"]);

/** How a clause may begin that says how it should have been; that reports something. */
const TELLS: ReadonlySet<Clause["opening"]> = new Set([null, "thing", "asks", "others"]);
const REPORTS: ReadonlySet<Clause["opening"]> = new Set([null, "thing"]);

const find = createFinder(LEXICONS);

interface Clause {
  from: number;
  to: number;
  /** What decides how it is read, at its beginning. */
  opening: "supposes" | "asks" | "others" | "thing" | null;
  /** It speaks of the answer, as far as words tell. */
  isAnchored: boolean;
  /** It shares a word with the request. */
  isOfRequest: boolean;
}

interface Sentence {
  words: string[];
  found: Found[];
  clauses: Clause[];
  isQuestion: boolean;
}

/** A phrase that counts. `weight`: above 0 for the answer, below 0 against it. */
interface Evidence {
  kind: PhraseKind;
  weight: number;
  /** A single word, which may be said of anything, in a clause that does not speak of the answer. */
  isLoose?: boolean;
}

export function judgeMessage(
  message: string,
  { asked = false, request = "", answer = "", calls = [] }: MessageContext = {},
): MessageVerdict {
  const stems = new Set([...stemsOf(request), ...stemsOf(answer)]);
  const sentences = toSentences(message).map((text) => readSentence(text, stems));
  const evidence: Evidence[] = [];
  for (const sentence of sentences) evidence.push(...weigh(sentence, { asked, before: evidence }));
  const has = (kind: PhraseKind) => sentences.some(({ found }) => found.some((one) => one.kind === kind));
  const isTask = sentences.some(({ isQuestion, clauses }) => isQuestion || clauses.some(isTaskOrSupposed));
  if (!asked && !isTask && !has("idle")) {
    evidence.push(...weighWhole(sentences, evidence));
    evidence.push(...weighForm(sentences, evidence));
  }
  const discount = has("idle") ? CLEAR : 0;
  const good = sum(evidence.filter(({ weight }) => weight > 0)) - discount;
  const bad = -sum(evidence.filter(({ weight }) => weight < 0)) - discount;
  // Without a "but", nobody can tell what a complaint beside praise is about: "the wrong one is gone, lovely" is about the past.
  const isOpen = !evidence.some(({ kind }) => SAYS_WHAT.has(kind));
  const outcome = isOneWordOfMany(sentences, evidence, asked)
    ? "unknown"
    : decide({ good, bad, isOpen, isChanged: has("now") && isGoodNews(evidence.at(-1)) });
  const isToldHow =
    outcome === "failure" &&
    (evidence.some(({ kind }) => kind === "wish" || kind === "hint") ||
      sentences.some((sentence) => tellsMore(sentence, TELLS) || tellsAfterNo(sentence)));
  const isNext = good > 0 || has("more") || has("now") || (outcome === "unknown" && isAnyQuestion(sentences));
  const isByForm = !isNext && isToldOtherwise(message, calls);
  return { outcome, correction: isToldHow || (outcome === "success" && has("nextTime")) || isByForm };
}

/** "Super." is a sentence. */
function isLoose(one: Found, { words }: Sentence): boolean {
  const isWord = one.to - one.from === 1 && words.length > 1;
  return isWord && !STANDS_ALONE.has(one.kind) && !isASign(one, words);
}

/** One loose word, and nothing else that is known, in a message that has more to say. */
function isOneWordOfMany(sentences: readonly Sentence[], evidence: readonly Evidence[], asked: boolean): boolean {
  const [only, ...others] = evidence;
  if (!only?.isLoose || others.length > 0) return false;
  return sentences.flatMap(({ words }) => words).length > (asked ? 1 : SHORT_WORDS);
}

function isAnyQuestion(sentences: readonly Sentence[]): boolean {
  return sentences.some(({ isQuestion }) => isQuestion);
}

function isGoodNews(last: Evidence | undefined): boolean {
  return last !== undefined && last.weight > 0 && (last.kind === "effect" || last.kind === "praise");
}

function decide(sums: { good: number; bad: number; isOpen: boolean; isChanged: boolean }): Outcome {
  const { good, bad, isOpen, isChanged } = sums;
  if (bad >= CLEAR) {
    if (good < CLEAR || !isOpen) return "failure";
    return isChanged ? "success" : "unknown";
  }
  const isClear = good >= CLEAR && (bad < DOUBTFUL || good > CLEAR);
  return isClear ? "success" : "unknown";
}

/** What a sentence says of the answer, in its order. */
function weigh(sentence: Sentence, { asked, before }: { asked: boolean; before: readonly Evidence[] }): Evidence[] {
  const evidence: Evidence[] = [];
  let end = 0;
  for (const clause of sentence.clauses) {
    const inClause = sentence.found.filter(({ from }) => from >= clause.from && from < clause.to);
    for (const one of inClause) {
      if (EXCEPTIONS.has(one.kind) && isException(sentence, clause, one)) {
        if ([...before, ...evidence].some(({ kind, weight }) => weight > 0 && LIKED.has(kind))) {
          evidence.push({ kind: "exception", weight: -CLEAR });
        }
        continue;
      }
      const weight = one.from < end || isDenied(one, sentence) ? 0 : weightOf(one, { sentence, clause, asked });
      if (weight === 0) continue;
      evidence.push({ kind: one.kind, weight, isLoose: !clause.isAnchored && isLoose(one, sentence) });
      end = one.to;
    }
  }
  const [only, ...others] = evidence;
  if (only === undefined || others.length > 0 || !tellsMore(sentence, REPORTS)) return evidence;
  // "Lovely, there were eleven of us in there": what follows says whether it is meant so.
  if (only.kind === "praise") only.weight /= 2;
  return evidence;
}

/** What a message says by itself that neither asks nor waits: it can hardly be about anything but the answer. */
function weighWhole(sentences: readonly Sentence[], evidence: readonly Evidence[]): Evidence[] {
  if (evidence.some(({ kind }) => kind !== "grumble")) {
    const isMildPraise =
      evidence.every(({ kind, weight }) => weight > 0 && LIKED.has(kind) && kind !== "praise") &&
      sum(evidence) === DOUBTFUL;
    return isMildPraise || isThanksForMore(sentences, evidence) ? [{ kind: "liked", weight: DOUBTFUL }] : [];
  }
  return sentences.some(deniesRequest) ? [{ kind: "complaint", weight: -CLEAR }] : [];
}

/** "Thanks, the button does what it should": who only acknowledges says no more than thanks. */
function isThanksForMore(sentences: readonly Sentence[], evidence: readonly Evidence[]): boolean {
  if (evidence.some(({ kind }) => kind !== "thanks")) return false;
  return sentences.some((sentence) =>
    sentence.clauses.some(
      (clause) => !holds(sentence, clause, "thanks") && clause.to - openingAt(sentence, clause) >= MIN_MORE_WORDS,
    ),
  );
}

/** What the form of a message says, whatever its words. A clear word for the answer outweighs it. */
function weighForm(sentences: readonly Sentence[], evidence: readonly Evidence[]): Evidence[] {
  if (evidence.some(({ weight }) => weight >= CLEAR)) return [];
  if (sentences.some(setsAgainst)) return [{ kind: "wish", weight: -CLEAR }];
  return sentences.some(hasException) ? [{ kind: "exception", weight: -CLEAR }] : [];
}

/** "By surname, not first name": a clause of its own says what it should not be. */
function setsAgainst(sentence: Sentence): boolean {
  return sentence.clauses.some((clause, n) => {
    const words = clause.to - clause.from;
    if (words < 2 || words > MAX_AGAINST_WORDS || sentence.clauses.length < 2) return false;
    const contrast = sentence.found.find(({ kind, from }) => kind === "contrast" && from === clause.from);
    const other = sentence.clauses[n === 0 ? 1 : n - 1]!;
    const isFiller = sentence.found.some(
      ({ kind, from, to }) => kind === "fillers" && from === other.from && to === other.to,
    );
    return contrast !== undefined && contrast.to < clause.to && other.opening !== "others" && !isFiller;
  });
}

function hasException(sentence: Sentence): boolean {
  return sentence.clauses.some((clause) =>
    sentence.found.some(
      (one) =>
        (clause.opening !== "others" || clause.isOfRequest) &&
        one.kind === "but" &&
        one.from >= clause.from &&
        one.from < clause.to &&
        isException(sentence, clause, one),
    ),
  );
}

/** "The logo has no border": it denies something in the words of the request. */
function deniesRequest(sentence: Sentence): boolean {
  return sentence.clauses.some(
    (clause) => clause.isOfRequest && REPORTS.has(clause.opening) && holds(sentence, clause, "negation"),
  );
}

function isTaskOrSupposed({ opening }: Clause): boolean {
  return opening === "asks" || opening === "supposes";
}

function weightOf(one: Found, at: { sentence: Sentence; clause: Clause; asked: boolean }): number {
  const { sentence, clause, asked } = at;
  const { kind } = one;
  const weight = WEIGHTS[kind] ?? 0;
  if (weight === 0) return 0;
  if (sentence.isQuestion && !IN_QUESTIONS.has(kind)) return 0;
  if (clause.opening === "supposes" || isSupposed(one, sentence, clause)) return 0;
  // "Make it shorter" is a task by its first word, and a wish as a whole.
  if (
    clause.opening === "asks" &&
    !sentence.isQuestion &&
    kind !== "undo" &&
    (one.from > openingAt(sentence, clause) || (weight > 0 && kind !== "approval"))
  )
    return 0;
  // What others did with it counts; what they say of something may be said of anything.
  const isOfAnswer = clause.isOfRequest || (clause.isAnchored && !isVague(one));
  if (clause.opening === "others" && !isOfAnswer && one.from > openingAt(sentence, clause)) return 0;
  if (asked && ANSWERS.has(kind)) return 0;
  // What the next one should be is no complaint of this one, nor is the next task.
  if (weight < 0 && (holds(sentence, clause, "nextTime") || isNextTask(sentence, clause))) return 0;
  if (kind === "wish" && isAsked(one, sentence, clause)) return 0;
  if (kind === "doubt" && !sentence.isQuestion && isTag(one, clause)) return 0;
  // "With my crappy old phone" says what theirs is.
  if (isVague(one) && sentence.found.some(({ kind, to }) => kind === "others" && to === one.from)) return 0;
  const full = MILD.has(kind) && isThePoint(one, clause) ? 2 * weight : weight;
  const turned = isNegated(one, sentence, clause) ? turn(kind, full) : full;
  return isElsewhere(one, turned, sentence, clause) ? turned / 2 : turned;
}

function isVague({ kind, from, to }: Found): boolean {
  return VAGUE.has(kind) && to - from === 1;
}

/** The clause may speak of something else: at length, or of how it was before. */
function isElsewhere(one: Found, weight: number, sentence: Sentence, clause: Clause): boolean {
  if (weight < 0 && holds(sentence, clause, "past")) return true;
  const isLong = isVague(one) && clause.to - clause.from > LONG_WORDS;
  return !clause.isAnchored && isLong;
}

/** "Next up: the error messages". */
function isNextTask(sentence: Sentence, clause: Clause): boolean {
  const at = openingAt(sentence, clause);
  return sentence.found.some(({ kind, from }) => kind === "more" && from === at);
}

/** "While I've got you, how long do I | have to keep it": a question without its sign. */
function isAsked(one: Found, { found }: Sentence, clause: Clause): boolean {
  return found.some(({ kind, from, to }) => kind === "asks" && to - from > 1 && from >= clause.from && to <= one.from);
}

/** "He is such a windbag, | isn't he": nobody asks. */
function isTag({ from, to }: Found, clause: Clause): boolean {
  return to === clause.to && from - clause.from >= LONG_WORDS;
}

/** "We will see whether | it works". */
function isSupposed(one: Found, { found }: Sentence, clause: Clause): boolean {
  return found.some(({ kind, from, to }) => kind === "supposes" && from >= clause.from && to <= one.from);
}

/** Mild praise in a clause of few words, a groan that is all of it. */
function isThePoint({ kind, from, to }: Found, clause: Clause): boolean {
  const words = clause.to - clause.from;
  return kind === "grumble" ? to - from === words : words <= SHORT_WORDS;
}

/** Of phrases that overlap a complaint counts: "not what | I wanted", "das stimmt | nicht". */
function isDenied(one: Found, { found }: Sentence): boolean {
  if ((WEIGHTS[one.kind] ?? 0) < 0) return false;
  return found.some(({ kind, from, to }) => (WEIGHTS[kind] ?? 0) <= -CLEAR && from < one.to && to > one.from);
}

/** Praise that is denied is a complaint; a complaint that is denied is mild praise. */
function turn(kind: PhraseKind, weight: number): number {
  if (NOT_TURNED.has(kind)) return 0;
  return weight > 0 ? -weight : -weight / 2;
}

/** "No idea why, 👍": it stands for itself. */
function isASign({ from }: Found, words: readonly string[]): boolean {
  return !/[\p{L}\p{N}]/u.test(words[from]!);
}

function isNegated(one: Found, { found, words }: Sentence, clause: Clause): boolean {
  if (isASign(one, words)) return false;
  return found.some(
    ({ kind, from, to }) =>
      kind === "negation" && from >= clause.from && to <= one.from && one.from - to < NEGATED_WORDS,
  );
}

/** Something follows it that is neither a question nor a task. */
function isException({ words, isQuestion, clauses, found }: Sentence, clause: Clause, { to }: Found): boolean {
  if (isQuestion || words.length - to < 2 || clause.opening === "supposes") return false;
  const next = clauses.find(({ from }) => from >= to);
  const opens = found.some(({ kind, from }) => from === to && OPENS_OTHER.has(kind));
  return !opens && !(next?.from === to && (next.opening === "asks" || next.opening === "supposes"));
}

/** A clause long enough to say how it should have been, or what came of it, that is no evidence itself. */
function tellsMore(sentence: Sentence, openings: ReadonlySet<Clause["opening"]>): boolean {
  return sentence.clauses.some((clause) => {
    if (sentence.isQuestion || !openings.has(clause.opening) || clause.to - clause.from < MIN_TOLD_WORDS) return false;
    return !saysOtherwise(sentence, clause);
  });
}

/** "No, newest first": who says no and then something else says what is right. */
function tellsAfterNo(sentence: Sentence): boolean {
  return sentence.clauses.some((clause, n) => {
    const before = sentence.clauses[n - 1];
    if (!before || sentence.isQuestion || clause.to - clause.from < MIN_AFTER_NO || clause.opening === "others")
      return false;
    const isNo = sentence.found.some(
      ({ kind, from, to }) => kind === "grumble" && from === openingAt(sentence, before) && to === before.to,
    );
    return isNo && !saysOtherwise(sentence, clause);
  });
}

/** It judges, waits or denies: no word of how it should be. */
function saysOtherwise({ found }: Sentence, { from: start, to: end }: Clause): boolean {
  return found.some(
    ({ kind, from }) => from >= start && from < end && (TELLS_NOT.has(kind) || Math.abs(WEIGHTS[kind] ?? 0) >= CLEAR),
  );
}

function readSentence(text: string, stems: ReadonlySet<string>): Sentence {
  const pieces = text
    .split(/(?<!\p{N})[,.:]|[,.:](?!\p{N})|[;!?()…–—，。；：！？、（）]|\s-\s/u)
    .slice(0, MAX_CLAUSES)
    .map(wordsOf)
    .filter(({ length }) => length > 0 && length <= MAX_CLAUSE_WORDS);
  const words = pieces.flat();
  const found = find(words);
  const sentence: Sentence = { words, found, clauses: [], isQuestion: /[?？]\s*$/u.test(text) };
  let from = 0;
  for (const piece of pieces) {
    const clause: Clause = { from, to: from + piece.length, opening: null, isAnchored: false, isOfRequest: false };
    clause.opening = openingOf(sentence, clause);
    clause.isOfRequest = piece.some((word) => stems.has(stemOf(word)));
    clause.isAnchored = clause.isOfRequest || holds(sentence, clause, "work");
    // A task may go on after a comma.
    const before = sentence.clauses.at(-1)?.opening;
    if (clause.opening === null && (before === "asks" || before === "supposes")) clause.opening = "supposes";
    sentence.clauses.push(clause);
    from = clause.to;
  }
  return sentence;
}

const OPENINGS = ["supposes", "asks", "others", "thing"] as const;

function openingOf(sentence: Sentence, clause: Clause): Clause["opening"] {
  const at = openingAt(sentence, clause);
  return OPENINGS.find((kind) => sentence.found.some((one) => one.kind === kind && one.from === at)) ?? null;
}

/** After "and", "ok", "well". */
function openingAt({ found }: Sentence, clause: Clause): number {
  let at = clause.from;
  for (;;) {
    const filler = found.find(({ kind, from }) => kind === "fillers" && from === at);
    if (!filler || filler.to >= clause.to) return at;
    at = filler.to;
  }
}

function holds({ found }: Sentence, clause: Clause, wanted: PhraseKind): boolean {
  return found.some(({ kind, from }) => kind === wanted && from >= clause.from && from < clause.to);
}

function stemsOf(request: string): Set<string> {
  const words = wordsOf(request.slice(0, MAX_REQUEST_CHARS));
  return new Set(words.filter((word) => word.length >= STEM_CHARS - 1).map(stemOf));
}

function stemOf(word: string): string {
  return word.slice(0, STEM_CHARS);
}

function sum(evidence: readonly Evidence[]): number {
  return evidence.reduce((total, { weight }) => total + weight, 0);
}

/** The first ones, in plain words: what is quoted or code says nothing of the answer. */
function toSentences(message: string): string[] {
  const plain = message
    .trimStart()
    .slice(0, MAX_READ_CHARS)
    .normalize("NFC")
    .replace(/```[\s\S]*?(?:```|$)/gu, " ")
    .replace(/`[^`]*`/gu, " x ")
    .replace(/^[ \t]*>.*$/gmu, " ")
    .replace(/["“„«「][^"”“»„«」「]*["”“»」]/gu, " x ")
    .replace(/[’´]/gu, "'")
    .replace(/(?<=(?:should|would|could|must|might|'d) )of(?= )/giu, "have");
  return plain
    .slice(0, MAX_CHARS)
    .split(/(?<=[.!?;:])\s+|(?<=[。！？；])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}|\p{Extended_Pictographic}|[+-]1|\d/u.test(sentence))
    .slice(0, MAX_SENTENCES);
}
