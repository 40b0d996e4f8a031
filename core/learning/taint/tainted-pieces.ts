// What an agent said or did that content had wanted, where its reviewer cannot see that content: before the range under review,
// or in what was cut out of a long result. Called when a job is made; the job carries these sentences, so that nobody takes them
// for the agent's own. Pure.
import type { Entry } from "../../schemas/entry.ts";
import { TOO_LONG, createBudget, doubtOf } from "./judge.ts";
import { cutInPieces, sentencesIn } from "../sentences.ts";
import type { Budget } from "./sentence-index.ts";
import type { SessionRecord } from "./session-record.ts";
import { toRecord } from "./taint.ts";
import { stringsIn } from "./entries.ts";

/** What a job may carry of them, and how long each may be. */
const MAX_CHARS = 150_000;
const MAX_PIECE_CHARS = 400;
const OVERLAP_CHARS = 100;
/** The newest: a lesson is about how the work ended. What the agent said goes before what it wrote into calls. */
const MAX_SENTENCES = 1_200;

/**
 * Sentences of what the agent said in the entries `said` that content of `entries` wanted, where `shown` does not tell so.
 */
export function taintedPieces(entries: Entry[], { said, shown }: { said: Set<number>; shown: Entry[] }): string[] {
  if (!entries.some(({ parts }) => parts.some(({ source }) => source === "content"))) return [];
  const own = entries.filter(({ n }) => said.has(n));
  const sentences = [...new Set([...own.flatMap(saidInCalls), ...own.flatMap(saidInWords)])].slice(-MAX_SENTENCES);
  const budget = createBudget();
  const doubt = createDoubt(toRecord({ entries }), budget);
  const wanted = sentences.filter((text) => doubt(text) !== null);
  if (wanted.length === 0 || shown.length === 0) return newest(wanted);
  const told = createDoubt(toRecord({ entries: shown }), budget);
  return newest(wanted.filter((text) => [null, TOO_LONG].includes(told(text))));
}

/** Why content may have wanted a sentence; `null` where nothing speaks for it. */
function createDoubt(record: SessionRecord, budget: Budget): (text: string) => string | null {
  return (text) => (record.isEmpty ? null : doubtOf(text, record, { budget }));
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
