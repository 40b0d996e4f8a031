// The verdicts at the end of a reviewer's closing words, each checked against the message it cites. Called by review.ts and by
// bench:judging. What it drops is told as refused: nobody asks the reviewer again. Pure.
import * as z from "zod";
import { textOf } from "../../schemas/entry.ts";
import { type ReviewJob, type ReviewResult, ReviewVerdict } from "../../schemas/review.ts";

export interface ReadVerdicts {
  /** The closing words without the list. */
  note: string;
  /** Absent for none. */
  verdicts?: ReviewVerdict[];
  refused: ReviewResult["refused"];
}

const OPEN = "<verdicts>";
const CLOSE = "</verdicts>";
/** Names the list among what was refused. */
export const VERDICTS = "verdicts";
const JUDGED_ONLY = "The review gave verdicts and no closing word.";
/** As many as a review can have read messages for, and more. */
const MAX_VERDICTS = 200;

/** One verdict a message: of several the first. */
export function readVerdicts(job: Pick<ReviewJob, "entries">, closing: string): ReadVerdicts {
  const from = closing.lastIndexOf(OPEN);
  if (from < 0) return { note: closing, refused: [] };
  const end = closing.indexOf(CLOSE, from);
  const body = closing.slice(from + OPEN.length, end < 0 ? undefined : end);
  const after = end < 0 ? "" : closing.slice(end + CLOSE.length);
  const note = `${closing.slice(0, from).trim()}\n${after.trim()}`.trim() || JUDGED_ONLY;
  const given = parseList(body);
  if (given === null)
    return { note, refused: [refuse("verdicts_malformed", "The list of verdicts is not valid JSON.")] };
  const verdicts = new Map<number, ReviewVerdict>();
  const refused: ReviewResult["refused"] = [];
  for (const one of given.slice(0, MAX_VERDICTS)) {
    const verdict = ReviewVerdict.safeParse(one);
    const wrong = verdict.success
      ? checkWords(job, verdict.data)
      : refuse("verdict_malformed", "A verdict lacks a field.");
    if (wrong) refused.push(wrong);
    else if (verdict.success && !verdicts.has(verdict.data.entry)) verdicts.set(verdict.data.entry, verdict.data);
  }
  return { note, ...(verdicts.size > 0 && { verdicts: [...verdicts.values()] }), refused };
}

/** Only what the person wrote counts, and only words that they wrote there. */
function checkWords({ entries }: Pick<ReviewJob, "entries">, { entry: n, verdict, words }: ReviewVerdict) {
  const entry = entries.find((candidate) => candidate.n === n);
  if (entry?.kind !== "user" || !entry.parts.every(({ source }) => source === "principal")) {
    return refuse("verdict_not_principal", `Entry ${n} is not a message of the person.`);
  }
  if (verdict === "none") return null;
  const cited = normalise(words);
  if (cited !== "" && normalise(textOf(entry)).includes(cited)) return null;
  return refuse("verdict_words_unknown", `Entry ${n} does not have the words that the verdict cites.`);
}

/** A model may copy a line end as a blank, and a typographic quotation mark as a plain one. */
function normalise(text: string): string {
  return text.normalize("NFC").replace(/[’‘]/gu, "'").replace(/[“”„]/gu, '"').split(/\s+/u).join(" ").trim();
}

function parseList(body: string): unknown[] | null {
  const from = body.indexOf("[");
  const to = body.lastIndexOf("]");
  if (from < 0 || to < from) return null;
  try {
    return z.array(z.unknown()).parse(JSON.parse(body.slice(from, to + 1)));
  } catch {
    return null; // what a model wrote is not JSON
  }
}

function refuse(code: string, message: string): ReviewResult["refused"][number] {
  return { tool: VERDICTS, code, message };
}
