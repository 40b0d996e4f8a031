// Collects the evidence that a message holds for and against the answer before it: by its phrases, and by its form where the
// phrases say little. Called by judge-message.ts. Pure.
import type { FoundPhrase, PhraseKind } from "./phrases.ts";
import {
  type Clause,
  type Opening,
  type Sentence,
  hasPhrase,
  isTaskOrSupposition,
  skipFillers,
  phrasesIn,
} from "./read-message.ts";
import { CLEAR, baseWeight, isLoose, weighPhrase } from "./weigh-phrase.ts";

/** A phrase that counts. `weight`: above 0 for the answer, below 0 against it. */
export interface Evidence {
  kind: PhraseKind;
  weight: number;
  /** A single word that may describe anything, in a clause that does not name the answer. */
  isLoose?: boolean;
}

/** At this much evidence for the other side, a verdict is in doubt. */
export const DOUBTFUL = 1;
/** After a complaint, a clause of at least this many words says what would have been right. */
const MIN_INSTRUCTION_WORDS = 4;
/** After a plain "no", this many words are enough. */
const MIN_AFTER_NO = 2;
/** "By surname, not first name": a longer clause is not a contrast. */
const MAX_AGAINST_WORDS = 5;
/** Next to thanks, a clause of at least this many words says what the thanks are for. */
const MIN_MORE_WORDS = 2;

/** Kinds that an exception can follow. */
const EXCEPTIONS: ReadonlySet<PhraseKind> = new Set(["but", "exception"]);
/** After a "but", these kinds begin something other than an exception. */
const OPENS_OTHER: ReadonlySet<PhraseKind> = new Set(["asks", "supposes", "but"]);
const LIKED: ReadonlySet<PhraseKind> = new Set(["praise", "liked", "approval", "effect"]);
/** "It has no header" says what is missing, not how it should be. */
const TELLS_NOT: ReadonlySet<PhraseKind> = new Set(["idle", "negation"]);
/** Openings of a clause that may say how the answer should have been. */
const TELLS: ReadonlySet<Opening> = new Set([null, "thing", "asks", "others"]);
/** Openings of a clause that may report what came of the answer. */
const REPORTS: ReadonlySet<Opening> = new Set([null, "thing"]);

/** In the order of the message; what its form says comes last. `asked`: the agent's answer ended with a question. */
export function weighMessage(sentences: readonly Sentence[], asked: boolean): Evidence[] {
  const evidence: Evidence[] = [];
  for (const sentence of sentences) evidence.push(...weighSentence(sentence, { asked, before: evidence }));
  const isTask = sentences.some(({ isQuestion, clauses }) => isQuestion || clauses.some(isTaskOrSupposition));
  if (asked || isTask || hasKind(sentences, "idle")) return evidence;
  // A message that neither asks nor waits is most likely about the answer.
  evidence.push(...weighWhole(sentences, evidence));
  evidence.push(...weighForm(sentences, evidence));
  return evidence;
}

export function hasKind(sentences: readonly Sentence[], wanted: PhraseKind): boolean {
  return sentences.some(({ found }) => found.some(({ kind }) => kind === wanted));
}

/** A clause says how the answer should have been. */
export function saysHow(sentence: Sentence): boolean {
  return hasInstruction(sentence, TELLS) || hasInstructionAfterNo(sentence);
}

export function sumWeights(evidence: readonly Evidence[]): number {
  return evidence.reduce((total, { weight }) => total + weight, 0);
}

function weighSentence(
  sentence: Sentence,
  { asked, before }: { asked: boolean; before: readonly Evidence[] },
): Evidence[] {
  const evidence: Evidence[] = [];
  // When phrases overlap, the first one counts.
  let end = 0;
  for (const clause of sentence.clauses) {
    for (const phrase of phrasesIn(sentence, clause)) {
      if (EXCEPTIONS.has(phrase.kind) && isException(sentence, clause, phrase)) {
        if ([...before, ...evidence].some(({ kind, weight }) => weight > 0 && LIKED.has(kind))) {
          evidence.push({ kind: "exception", weight: -CLEAR });
        }
        continue;
      }
      const weight = phrase.from < end ? 0 : weighPhrase(phrase, { sentence, clause, asked });
      if (weight === 0) continue;
      evidence.push({ kind: phrase.kind, weight, isLoose: !clause.isAnchored && isLoose(phrase, sentence) });
      end = phrase.to;
    }
  }
  const [only, ...others] = evidence;
  // "Lovely, there were eleven of us in there": the praise may be ironic.
  if (only?.kind === "praise" && others.length === 0 && hasInstruction(sentence, REPORTS)) only.weight /= 2;
  return evidence;
}

/** Raises mild praise, or finds a complaint in a denial, where the phrases alone stay below a verdict. */
function weighWhole(sentences: readonly Sentence[], evidence: readonly Evidence[]): Evidence[] {
  if (evidence.every(({ kind }) => kind === "grumble")) {
    return sentences.some(deniesRequest) ? [{ kind: "complaint", weight: -CLEAR }] : [];
  }
  const isMildPraise =
    evidence.every(({ kind, weight }) => weight > 0 && LIKED.has(kind) && kind !== "praise") &&
    sumWeights(evidence) === DOUBTFUL;
  return isMildPraise || isThanksForMore(sentences, evidence) ? [{ kind: "liked", weight: DOUBTFUL }] : [];
}

/** "Thanks, the button does what it should". A mere acknowledgement says only thanks. */
function isThanksForMore(sentences: readonly Sentence[], evidence: readonly Evidence[]): boolean {
  if (evidence.some(({ kind }) => kind !== "thanks")) return false;
  return sentences.some((sentence) =>
    sentence.clauses.some(
      (clause) => !hasPhrase(sentence, clause, "thanks") && clause.to - skipFillers(sentence, clause) >= MIN_MORE_WORDS,
    ),
  );
}

/** Evidence from the form of a message, independent of its words. Clear evidence for the answer outweighs it. */
function weighForm(sentences: readonly Sentence[], evidence: readonly Evidence[]): Evidence[] {
  if (evidence.some(({ weight }) => weight >= CLEAR)) return [];
  if (sentences.some(hasContrast)) return [{ kind: "wish", weight: -CLEAR }];
  return sentences.some(hasException) ? [{ kind: "exception", weight: -CLEAR }] : [];
}

/** "By surname, not first name": a separate clause says how it should not be. */
function hasContrast(sentence: Sentence): boolean {
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
  return sentence.clauses.some(
    (clause) =>
      (clause.opening !== "others" || clause.isOfRequest) &&
      phrasesIn(sentence, clause).some((phrase) => phrase.kind === "but" && isException(sentence, clause, phrase)),
  );
}

/** "The logo has no border": a denial in the words of the request. */
function deniesRequest(sentence: Sentence): boolean {
  return sentence.clauses.some(
    (clause) => clause.isOfRequest && REPORTS.has(clause.opening) && hasPhrase(sentence, clause, "negation"),
  );
}

/** Something follows the phrase that is neither a question nor a task. */
function isException({ words, isQuestion, clauses, found }: Sentence, clause: Clause, { to }: FoundPhrase): boolean {
  if (isQuestion || words.length - to < 2 || clause.opening === "supposes") return false;
  const next = clauses.find(({ from }) => from >= to);
  const opensOther = found.some(({ kind, from }) => from === to && OPENS_OTHER.has(kind));
  return !opensOther && !(next?.from === to && isTaskOrSupposition(next));
}

/** A clause without its own evidence is long enough to say more than a verdict. */
function hasInstruction(sentence: Sentence, openings: ReadonlySet<Opening>): boolean {
  if (sentence.isQuestion) return false;
  return sentence.clauses.some(
    (clause) =>
      openings.has(clause.opening) &&
      clause.to - clause.from >= MIN_INSTRUCTION_WORDS &&
      !judgesOrDenies(sentence, clause),
  );
}

/** "No, newest first": the clause after a plain "no" says what is right. */
function hasInstructionAfterNo(sentence: Sentence): boolean {
  if (sentence.isQuestion) return false;
  return sentence.clauses.some((clause, n) => {
    const before = sentence.clauses[n - 1];
    if (!before || clause.to - clause.from < MIN_AFTER_NO || clause.opening === "others") return false;
    const isNo = sentence.found.some(
      ({ kind, from, to }) => kind === "grumble" && from === skipFillers(sentence, before) && to === before.to,
    );
    return isNo && !judgesOrDenies(sentence, clause);
  });
}

/** The clause holds a verdict, a denial or a delay, so it does not say how the answer should be. */
function judgesOrDenies(sentence: Sentence, clause: Clause): boolean {
  return phrasesIn(sentence, clause).some(({ kind }) => TELLS_NOT.has(kind) || Math.abs(baseWeight(kind)) >= CLEAR);
}
