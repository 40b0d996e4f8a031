// Which entries of a job the reviewer reads whole, and what is left of the others: the newest, and those the observations speak
// of, stand as they are; what lies further back is cut to its beginning. Called by transcript.ts. Pure.
import type { Entry, Part } from "../../schemas/entry.ts";
import type { Observation } from "../../schemas/learning.ts";
import type { ReviewJob } from "../../schemas/review.ts";

// Hermes Agent's: messages that stay whole, and characters of older ones.
const WHOLE = 24;
const USER_CHARS = 300;
const OWN_CHARS = 200;
/** Exit statuses and codes are short; what is longer tells the rest of a result. */
const OUTCOME_CHARS = 200;

/** What is shown of an entry's parts, and the names of its calls only; `null`: all of it. */
export type Shortening = { part(part: Part): string } | null;

/** By the entry's number. What is cut stays citable: each part keeps its place. */
export function shortenings({
  entries,
  observations,
}: Pick<ReviewJob, "entries" | "observations">): (entry: Entry) => Shortening {
  const shown = entries.filter((entry) => entry.kind !== "compaction");
  const first = firstWhole(shown);
  const whole = new Set([...shown.slice(first).map(({ n }) => n), ...tellingEntries(shown, observations)]);
  return (entry) => (whole.has(entry.n) ? null : { part: (part) => shorten(entry, part) });
}

/** Never a result without the call that asked for it. */
function firstWhole(entries: Entry[]): number {
  let first = Math.max(0, entries.length - WHOLE);
  while (first > 0 && entries[first]!.kind === "tool") first -= 1;
  return first;
}

/** What failed and what it was recovered by, what proved wrong, what the person corrected: a lesson is made of these. */
function tellingEntries(entries: Entry[], observations: Observation[]): number[] {
  const told = observations.flatMap(({ recoveries, provedWrong = [], corrections = [] }) => [
    ...[...recoveries, ...provedWrong].flatMap(({ failed, succeeded }) => [failed, succeeded]),
    ...corrections.map(({ entry }) => entry),
  ]);
  return told.flatMap((n) => [n, askedBy(entries, n)]);
}

/** The answer that made a call: its own number for everything else. */
function askedBy(entries: Entry[], n: number): number {
  const at = entries.findIndex((entry) => entry.n === n);
  if (entries[at]?.kind !== "tool") return n;
  return entries.slice(0, at).findLast(({ kind }) => kind === "assistant")?.n ?? n;
}

function shorten({ kind }: Entry, { source, text }: Part): string {
  if (kind === "user" || source === "principal") return cut(text, USER_CHARS);
  if (source === "outcome") return cut(text, OUTCOME_CHARS);
  if (kind === "tool") return `(${text.length} characters)`;
  return cut(text, OWN_CHARS);
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()} … (${text.length - most} characters more)`;
}
