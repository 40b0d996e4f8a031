// Reads a person's answer to the agent's questions: from a message or a command as words, from the API in parts. Pure.
import { type Result, err, ok } from "../../errors.ts";
import { type ClarifyAnswer, type ClarifyQuestion, isNumbered, readPlace } from "../../schemas/approvals/clarify.ts";

/** One answer for each question; `null`: the words do not divide into as many, and are the answer as a whole. */
export function readAnswers(words: string, questions: ClarifyQuestion[]): ClarifyAnswer[] | null {
  const pieces = divide(words, questions);
  return pieces && pieces.map((piece, at) => readAnswer(piece, questions[at]!));
}

function divide(words: string, questions: ClarifyQuestion[]): string[] | null {
  if (questions.length === 1) return [words.trim()];
  const byLine = splitBy(words, "\n");
  if (byLine.length === questions.length) return dropOwnNumbers(byLine);
  const byMark = splitBy(words, ";");
  if (byMark.length === questions.length) return dropOwnNumbers(byMark);
  const numbers = toTokens(words);
  const isOneEach = numbers.length === questions.length && questions.every(({ multiSelect }) => !multiSelect);
  return isOneEach && numbers.every((token) => readPlace(token) !== null) ? numbers : null;
}

function splitBy(words: string, mark: string): string[] {
  return words
    .split(mark)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

const OWN_NUMBER = /^(\d)[.):]\s/;

/** "1) Blue", "2) no": the numbers are those of the questions if every line has its own. */
function dropOwnNumbers(pieces: string[]): string[] {
  const hasOwn = pieces.every((piece, at) => OWN_NUMBER.exec(piece)?.[1] === String(at + 1));
  return hasOwn ? pieces.map((piece) => piece.slice(2).trim()) : pieces;
}

function readAnswer(words: string, question: ClarifyQuestion): ClarifyAnswer {
  const choices = (isNumbered(question) ? readNumbers(words, question) : null) ?? readNames(words, question);
  return choices ? { choices, text: null } : { choices: [], text: words };
}

/** "2", "2.", or "1, 3" where several may be picked. A number without a choice is words. */
function readNumbers(words: string, { choices, multiSelect }: ClarifyQuestion): string[] | null {
  const tokens = toTokens(words);
  if (tokens.length === 0 || (tokens.length > 1 && !multiSelect)) return null;
  const picked = tokens.map((token) => choices[(readPlace(token) ?? 0) - 1]);
  return picked.every((choice) => choice !== undefined) ? inOrder(picked, choices) : null;
}

function readNames(words: string, { choices, multiSelect }: ClarifyQuestion): string[] | null {
  const whole = findChoice(words, choices);
  if (whole !== undefined) return [whole];
  const named = multiSelect ? splitBy(words, ",").map((piece) => findChoice(piece, choices)) : [];
  return named.length > 0 && named.every((choice) => choice !== undefined) ? inOrder(named, choices) : null;
}

function findChoice(words: string, choices: string[]): string | undefined {
  const plain = (text: string) => text.trim().toLowerCase();
  return choices.find((choice) => plain(choice) === plain(words));
}

/** Each once, in the order in which they were offered. */
function inOrder(picked: string[], choices: string[]): string[] {
  return choices.filter((choice) => picked.includes(choice));
}

function toTokens(words: string): string[] {
  return words.split(/[\s,]/).filter((token) => token !== "");
}

/** An answer as the API has it: `choices` by number, from 1, or as they were offered. */
export interface GivenAnswer {
  choices?: (number | string)[] | undefined;
  text?: string | undefined;
}

/** Failure: `answer_invalid`. */
export function checkAnswers(given: GivenAnswer[], questions: ClarifyQuestion[]): Result<ClarifyAnswer[]> {
  if (given.length !== questions.length) {
    return invalid(`There are ${questions.length} questions and ${given.length} answers: give one for each, in order.`);
  }
  const answers: ClarifyAnswer[] = [];
  for (const [at, { choices = [], text }] of given.entries()) {
    const { choices: offered, multiSelect } = questions[at]!;
    const picked = choices.map((one) => (typeof one === "number" ? offered[one - 1] : findChoice(one, offered)));
    const words = text?.trim() || null;
    const which = `Question ${at + 1}`;
    if (picked.includes(undefined)) return invalid(`${which} has ${offered.length} choices: name one, or its number.`);
    if (picked.length > 1 && !multiSelect) return invalid(`${which} takes one choice.`);
    if (picked.length === 0 && words === null) return invalid(`${which} needs a choice or a text.`);
    answers.push({ choices: inOrder(picked as string[], offered), text: words });
  }
  return ok(answers);
}

function invalid(message: string): Result<never> {
  return err("answer_invalid", message);
}
