// Reads the verdicts in a reviewer's closing words, and checks each against the message it quotes. Called by review.ts and by
// bench:judging. Invalid verdicts are reported as refused; the reviewer is not asked again. Pure.
import { messageOf, spokenParts } from "../../schemas/entry.ts";
import { type ReviewJob, type ReviewResult, ReviewVerdict } from "../../schemas/learning/review.ts";

export interface ReadVerdicts {
  /** The closing words without the verdicts. */
  note: string;
  /** Absent if there are none. */
  verdicts?: ReviewVerdict[];
  refused: ReviewResult["refused"];
}

/** The name under which refused verdicts are reported. */
export const VERDICTS = "verdicts";
const JUDGED_ONLY = "The review gave verdicts and no closing word.";
const MAX_LINE_CHARS = 2_000;
/** A verdict, perhaps as a list item: `verdict 12: failure correction "no, newest first"`. */
const LINE = /^[-*`]?[ \t]?`?verdict[ \t]{1,4}#?(\d{1,9})\b([^]*)$/iu;
const VERDICT = /\b(success|failure|none)\b/iu;
const QUOTES = /["“”„«»]/u;

export function isVerdictLine(line: string): boolean {
  return LINE.test(line.trim().slice(0, MAX_LINE_CHARS));
}

/** Keeps one verdict for each message: the first. */
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

/** The words before the first quotation mark are the verdict; those between the first and the last are the quotation. */
function parseVerdict(entry: number, said: string): ReviewVerdict | null {
  const [head = "", ...quoted] = said.split(QUOTES);
  const words = quoted.length > 1 ? said.slice(head.length + 1, -1 - quoted.at(-1)!.length) : "";
  const correction = /\bcorrection\b/iu.test(head);
  // Small models often write `correction` without a verdict.
  const verdict = VERDICT.exec(head)?.[1]?.toLowerCase() ?? (correction ? "failure" : undefined);
  return ReviewVerdict.safeParse({ entry, verdict, correction: correction && verdict !== "none", words }).data ?? null;
}

/** A verdict must be on a message of the person, and quote words from it. */
function checkWords({ entries }: Pick<ReviewJob, "entries">, { entry: n, verdict, words }: ReviewVerdict) {
  const entry = entries.find((candidate) => candidate.n === n);
  if (entry?.kind !== "user" || !spokenParts(entry).every(({ source }) => source === "principal")) {
    return refuse("verdict_not_principal", `Entry ${n} is not a message of the person.`);
  }
  if (verdict === "none") return null;
  const quoted = normalise(words);
  if (quoted !== "" && normalise(messageOf(entry)).includes(quoted)) return null;
  return refuse("verdict_words_unknown", `Entry ${n} does not have the words that the verdict quotes.`);
}

/** Models copy line breaks as blanks, and typographic quotation marks as plain ones. */
function normalise(text: string): string {
  return text.normalize("NFC").replace(/[’‘]/gu, "'").replace(/[“”„]/gu, '"').split(/\s+/u).join(" ").trim();
}

function refuse(code: string, message: string): ReviewResult["refused"][number] {
  return { tool: VERDICTS, code, message };
}
