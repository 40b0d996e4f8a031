// How much one phrase of a message counts for or against the answer, given the clause and the sentence around it.
// Called by weigh-message.ts. Pure.
import type { FoundPhrase, PhraseKind } from "./phrases.ts";
import { type Clause, type Sentence, hasPhrase, skipFillers, phrasesIn } from "./read-message.ts";

/** The sum from which one side is clear. */
export const CLEAR = 2;
/** A clause of at most this many words has one point, and a mild phrase may be it. */
export const SHORT_WORDS = 4;
/** A negation applies to this many words after it. */
const NEGATED_WORDS = 3;
/** A longer clause names its subject, so a vague word in it may be about something else. */
const LONG_WORDS = 3;

/** Positive weights are for the answer, negative ones against it. Other kinds are not evidence. */
const WEIGHTS: Partial<Record<PhraseKind, number>> = {
  ...{ praise: 2, approval: 2, effect: 2, used: 2, liked: 1, thanks: 1 },
  ...{ complaint: -2, harm: -2, doubt: -2, undo: -2, giveUp: -2, wish: -2, grumble: -1, hint: -1 },
};
const MILD: ReadonlySet<PhraseKind> = new Set(["liked", "grumble", "hint"]);
/** A single word of these kinds may describe anything. */
const VAGUE: ReadonlySet<PhraseKind> = new Set(["praise", "complaint"]);
/** Addressed to the agent, so they are about the answer even as a single word. */
const STANDS_ALONE: ReadonlySet<PhraseKind> = new Set(["thanks", "grumble"]);
/** Negated, these say nothing. */
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
/** The only kinds that count in a question. */
const IN_QUESTIONS: ReadonlySet<PhraseKind> = new Set(["doubt", "undo", "wish", "hint"]);
/** When the agent asked a question, these may be the reply to it. */
const ANSWERS: ReadonlySet<PhraseKind> = new Set(["approval", "liked", "grumble", "wish", "hint", "thanks"]);

interface PhraseContext {
  sentence: Sentence;
  clause: Clause;
  /** The agent's answer ended with a question. */
  asked: boolean;
}

/** The weight of a kind before its context is considered; 0 for a kind that is not evidence. */
export function baseWeight(kind: PhraseKind): number {
  return WEIGHTS[kind] ?? 0;
}

/** 0: the phrase does not count here. */
export function weighPhrase(phrase: FoundPhrase, place: PhraseContext): number {
  if (baseWeight(phrase.kind) === 0 || isOverruled(phrase, place.sentence) || isAboutElse(phrase, place)) return 0;
  const { sentence, clause } = place;
  const { kind } = phrase;
  const weight = baseWeight(kind);
  const full = MILD.has(kind) && isThePoint(phrase, clause) ? 2 * weight : weight;
  const turned = isNegated(phrase, place) ? weightOfOpposite(kind, full) : full;
  return mayBeAboutElse(phrase, turned, sentence, clause) ? turned / 2 : turned;
}

/** A single word that may describe anything. A sentence of one word, "Super.", is about the answer. */
export function isLoose(phrase: FoundPhrase, { words }: Sentence): boolean {
  const isWord = phrase.to - phrase.from === 1 && words.length > 1;
  return isWord && !STANDS_ALONE.has(phrase.kind) && !isSymbol(phrase, words);
}

/** When phrases overlap, the complaint counts: "not what | I wanted", "das stimmt | nicht". */
function isOverruled(phrase: FoundPhrase, { found }: Sentence): boolean {
  if (baseWeight(phrase.kind) < 0) return false;
  return found.some(({ kind, from, to }) => baseWeight(kind) <= -CLEAR && from < phrase.to && to > phrase.from);
}

/** The phrase belongs to a question, a supposition, a task, another subject or a reply to the agent. */
function isAboutElse(phrase: FoundPhrase, place: PhraseContext): boolean {
  const { sentence, clause, asked } = place;
  const { kind } = phrase;
  const weight = baseWeight(kind);
  if (sentence.isQuestion && !IN_QUESTIONS.has(kind)) return true;
  if (clause.opening === "supposes" || isSupposed(phrase, place) || isPartOfTask(phrase, place)) return true;
  // What other people did with the answer counts. What they say may be about anything.
  const isOfAnswer = clause.isOfRequest || (clause.isAnchored && !isVague(phrase));
  if (clause.opening === "others" && !isOfAnswer && phrase.from > skipFillers(sentence, clause)) return true;
  if (asked && ANSWERS.has(kind)) return true;
  // Neither a wish for the next answer nor the next task is a complaint about this answer.
  if (weight < 0 && (hasPhrase(sentence, clause, "nextTime") || isNextTask(sentence, clause))) return true;
  if (kind === "wish" && isAskedFor(phrase, place)) return true;
  if (kind === "doubt" && !sentence.isQuestion && isQuestionTag(phrase, clause)) return true;
  // "With my crappy old phone" describes the person's own thing.
  return isVague(phrase) && sentence.found.some(({ kind, to }) => kind === "others" && to === phrase.from);
}

/** "Make it shorter" is a task by its first word, and a wish as a whole. */
function isPartOfTask({ kind, from }: FoundPhrase, { sentence, clause }: PhraseContext): boolean {
  if (clause.opening !== "asks" || sentence.isQuestion || kind === "undo") return false;
  return from > skipFillers(sentence, clause) || (baseWeight(kind) > 0 && kind !== "approval");
}

function isVague({ kind, from, to }: FoundPhrase): boolean {
  return VAGUE.has(kind) && to - from === 1;
}

/** A complaint about how it was before, or a vague word in a long clause that does not name the answer. */
function mayBeAboutElse(phrase: FoundPhrase, weight: number, sentence: Sentence, clause: Clause): boolean {
  if (weight < 0 && hasPhrase(sentence, clause, "past")) return true;
  return !clause.isAnchored && isVague(phrase) && clause.to - clause.from > LONG_WORDS;
}

/** "Next up: the error messages". */
function isNextTask(sentence: Sentence, clause: Clause): boolean {
  const at = skipFillers(sentence, clause);
  return sentence.found.some(({ kind, from }) => kind === "more" && from === at);
}

/** "While I've got you, how long do I | have to keep it": a question without a question mark. */
function isAskedFor(phrase: FoundPhrase, place: PhraseContext): boolean {
  return phrasesBefore(phrase, place).some(({ kind, from, to }) => kind === "asks" && to - from > 1);
}

/** "He is such a windbag, | isn't he". */
function isQuestionTag({ from, to }: FoundPhrase, clause: Clause): boolean {
  return to === clause.to && from - clause.from >= LONG_WORDS;
}

/** "We will see whether | it works". */
function isSupposed(phrase: FoundPhrase, place: PhraseContext): boolean {
  return phrasesBefore(phrase, place).some(({ kind }) => kind === "supposes");
}

function isNegated(phrase: FoundPhrase, place: PhraseContext): boolean {
  if (isSymbol(phrase, place.sentence.words)) return false;
  return phrasesBefore(phrase, place).some(({ kind, to }) => kind === "negation" && phrase.from - to < NEGATED_WORDS);
}

function phrasesBefore(phrase: FoundPhrase, { sentence, clause }: PhraseContext): FoundPhrase[] {
  return phrasesIn(sentence, clause).filter(({ to }) => to <= phrase.from);
}

/** Mild praise in a short clause, or a groan that is the whole clause. */
function isThePoint({ kind, from, to }: FoundPhrase, clause: Clause): boolean {
  const words = clause.to - clause.from;
  return kind === "grumble" ? to - from === words : words <= SHORT_WORDS;
}

/** Negated praise is a complaint. A negated complaint is mild praise. */
function weightOfOpposite(kind: PhraseKind, weight: number): number {
  if (NOT_TURNED.has(kind)) return 0;
  return weight > 0 ? -weight : -weight / 2;
}

/** "No idea why, 👍": no word changes what a symbol says. */
function isSymbol({ from }: FoundPhrase, words: readonly string[]): boolean {
  return !/[\p{L}\p{N}]/u.test(words[from]!);
}
