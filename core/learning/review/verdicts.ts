// The verdicts in a reviewer's closing words, each checked against the message it quotes. Called by review.ts and by bench:judging.
// What it drops is told as refused: nobody asks the reviewer again. Pure.
import { textOf } from "../../schemas/entry.ts";
import { type ReviewJob, type ReviewResult, ReviewVerdict } from "../../schemas/learning/review.ts";

export interface ReadVerdicts {
  /** The closing words without the verdicts. */
  note: string;
  /** Absent for none. */
  verdicts?: ReviewVerdict[];
  refused: ReviewResult["refused"];
}

/** Names the verdicts among what was refused. */
export const VERDICTS = "verdicts";
const JUDGED_ONLY = "The review gave verdicts and no closing word.";
const MAX_LINE_CHARS = 2_000;
/** `verdict 12: failure correction "no, newest first"`, perhaps as an item of a list. */
const LINE = /^[-*`]?[ \t]?`?verdict[ \t]{1,4}#?(\d{1,9})\b([^]*)$/iu;
const VERDICT = /\b(success|failure|none)\b/iu;
const QUOTES = /["“”„«»]/u;

export function isVerdictLine(line: string): boolean {
  return LINE.test(line.trim().slice(0, MAX_LINE_CHARS));
}

/** One verdict a message: of several the first. */
export function readVerdicts(job: Pick<ReviewJob, "entries">, closing: string): ReadVerdicts {
  const rest: string[] = [];
  const verdicts = new Map<number, ReviewVerdict>();
  const refused: ReviewResult["refused"] = [];
  for (const line of closing.split("\n")) {
    const [, entry = "", said = ""] = LINE.exec(line.trim().slice(0, MAX_LINE_CHARS)) ?? [];
    if (entry === "") {
      rest.push(line);
      continue;
    }
    const verdict = parseVerdict(Number(entry), said);
    const wrong = verdict ? checkWords(job, verdict) : refuse("verdict_malformed", `No verdict on entry ${entry}.`);
    if (wrong) refused.push(wrong);
    else if (verdict && !verdicts.has(verdict.entry)) verdicts.set(verdict.entry, verdict);
  }
  if (verdicts.size === 0 && refused.length === 0) return { note: closing, refused };
  const note = rest.join("\n").trim() || JUDGED_ONLY;
  return { note, ...(verdicts.size > 0 && { verdicts: [...verdicts.values()] }), refused };
}

/** What stands before the first quotation mark, and what between the first and the last. */
function parseVerdict(entry: number, said: string): ReviewVerdict | null {
  const [head = "", ...quoted] = said.split(QUOTES);
  const words = quoted.length > 1 ? said.slice(head.length + 1, -1 - quoted.at(-1)!.length) : "";
  const correction = /\bcorrection\b/iu.test(head);
  // Small models leave the verdict out where they say that it is a correction.
  const verdict = VERDICT.exec(head)?.[1]?.toLowerCase() ?? (correction ? "failure" : undefined);
  return ReviewVerdict.safeParse({ entry, verdict, correction: correction && verdict !== "none", words }).data ?? null;
}

/** Only what the person wrote counts, and only words that they wrote there. */
function checkWords({ entries }: Pick<ReviewJob, "entries">, { entry: n, verdict, words }: ReviewVerdict) {
  const entry = entries.find((candidate) => candidate.n === n);
  if (entry?.kind !== "user" || !entry.parts.every(({ source }) => source === "principal")) {
    return refuse("verdict_not_principal", `Entry ${n} is not a message of the person.`);
  }
  if (verdict === "none") return null;
  const quoted = normalise(words);
  if (quoted !== "" && normalise(textOf(entry)).includes(quoted)) return null;
  return refuse("verdict_words_unknown", `Entry ${n} does not have the words that the verdict quotes.`);
}

/** A model may copy a line end as a blank, and a typographic quotation mark as a plain one. */
function normalise(text: string): string {
  return text.normalize("NFC").replace(/[’‘]/gu, "'").replace(/[“”„]/gu, '"').split(/\s+/u).join(" ").trim();
}

function refuse(code: string, message: string): ReviewResult["refused"][number] {
  return { tool: VERDICTS, code, message };
}
