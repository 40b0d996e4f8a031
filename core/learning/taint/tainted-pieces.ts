// Finds sentences that an agent said or wrote because content asked for them, where the reviewer cannot see that content: it
// precedes the range under review, or was cut from a long result. Called when a job is made. The job carries these sentences, so
// that they do not count as the agent's own. Pure.
import type { Entry } from "../../schemas/entry.ts";
import { TOO_LONG, createComparisonBudget, findTaint } from "./judge.ts";
import { cutInPieces, sentencesIn } from "../sentences.ts";
import type { ComparisonBudget } from "./sentence-index.ts";
import type { SessionRecord } from "./session-record.ts";
import { createRecord } from "./taint.ts";
import { stringsIn } from "./entries.ts";

/** Limits of what a job may carry: in all, and for each sentence. */
const MAX_CHARS = 150_000;
const MAX_PIECE_CHARS = 400;
const OVERLAP_CHARS = 100;
/**
 * Most sentences that are searched. The newest are kept, because a lesson is about how the work ended. Arguments of calls are dropped
 * before answers.
 */
const MAX_SENTENCES = 1_200;

/** `said`: numbers of the agent's entries to search. `shown`: entries the reviewer sees, which need no extra sentences. */
export function taintedPieces(entries: Entry[], { said, shown }: { said: Set<number>; shown: Entry[] }): string[] {
  if (!entries.some(({ parts }) => parts.some(({ source }) => source === "content"))) return [];
  const own = entries.filter(({ n }) => said.has(n));
  const sentences = [...new Set([...own.flatMap(saidInCalls), ...own.flatMap(saidInWords)])].slice(-MAX_SENTENCES);
  const budget = createComparisonBudget();
  const taintIn = createTaintFinder(createRecord({ entries }), budget);
  const wanted = sentences.filter((text) => taintIn(text) !== null);
  if (wanted.length === 0 || shown.length === 0) return newest(wanted);
  const visibleTaintIn = createTaintFinder(createRecord({ entries: shown }), budget);
  // The review's own check finds the other sentences. `TOO_LONG` means that the comparisons ran out before it was known.
  return newest(wanted.filter((text) => [null, TOO_LONG].includes(visibleTaintIn(text))));
}

function createTaintFinder(record: SessionRecord, budget: ComparisonBudget): (text: string) => string | null {
  return (text) => (record.isEmpty ? null : findTaint(text, record, { budget }));
}

function newest(texts: string[]): string[] {
  let chars = 0;
  const first = texts.findLastIndex((text) => (chars += text.length) > MAX_CHARS);
  return texts.slice(first + 1);
}

function saidInWords(entry: Entry): string[] {
  return entry.kind === "assistant" ? entry.parts.flatMap(({ text }) => toShortPieces(text)) : [];
}

function saidInCalls(entry: Entry): string[] {
  return entry.kind === "assistant" ? entry.answer.calls.flatMap(({ args }) => toShortPieces(stringsIn(args))) : [];
}

function toShortPieces(text: string): string[] {
  return sentencesIn(text).flatMap((sentence) =>
    cutInPieces(sentence.text, MAX_PIECE_CHARS, OVERLAP_CHARS).map((piece) => piece.toWellFormed()),
  );
}
