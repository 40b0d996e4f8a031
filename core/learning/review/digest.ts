// How much the reviewer reads of each entry. Every call of a review carries the transcript, so it has a budget: texts are cut in
// the middle until it is kept, those that the observations speak of last. Called by transcript.ts. Pure.
import type { Entry, Part, ToolCall } from "../../schemas/entry.ts";
import type { Observation } from "../../schemas/learning.ts";
import type { ReviewJob } from "../../schemas/review.ts";
import { estimateTokens } from "../../tokens.ts";
import { cutDeep, cutJson, cutText } from "./cut.ts";

/** Of a transcript; beyond some forty entries so many for each, of which their citations take a fourth. */
const BUDGET_TOKENS = 1_500;
const ENTRY_TOKENS = 40;
/** What a string may keep, tried in this order until the budget is kept. The last is enough to see what a part is about. */
const STRING_CHARS = [2_000, 1_000, 600, 400, 250, 160, 100];
/** What failed and what it was recovered by, what proved wrong, what the person corrected: a lesson is made of these. */
const TELLING = 4;
/** What the person said and what the agent called: outputs are the longest, and say the least of how something is done. */
const SAID = 4;
const LEAST_ARGUMENT_CHARS = 600;
// Hermes Agent's: messages that are never left out, and characters of the person's older ones.
const NEWEST = 24;
const USER_CHARS = 300;

/** What is shown of an entry's parts and calls. */
export interface Cut {
  part(part: Part): string;
  call(call: ToolCall): string;
}

/** Renders with the most that keeps the budget. What is cut can be cited all the same: each part keeps its place. */
export function renderWithin(
  { entries, observations }: Pick<ReviewJob, "entries" | "observations">,
  render: (cutOf: (entry: Entry) => Cut) => string,
): string {
  const shown = entries.filter((entry) => entry.kind !== "compaction");
  const telling = new Set(tellingEntries(shown, observations));
  const budget = Math.max(BUDGET_TOKENS, ENTRY_TOKENS * shown.length);
  for (const chars of STRING_CHARS) {
    const text = render(cutAll(chars));
    // A token has four characters at most where it counts: what is far too long is not even estimated.
    if (text.length <= 8 * budget && estimateTokens(text) <= budget) return text;
  }
  const least = cutAll(STRING_CHARS.at(-1)!);
  const newest = new Set([...shown.slice(-NEWEST).map(({ n }) => n), ...telling]);
  return render((entry) => (newest.has(entry.n) ? least(entry) : cutToPlace()));

  function cutAll(chars: number): (entry: Entry) => Cut {
    return (entry) => cutTo(entry, telling.has(entry.n) ? TELLING * chars : chars);
  }
}

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

function cutTo(entry: Entry, chars: number): Cut {
  const ofArguments = Math.max(LEAST_ARGUMENT_CHARS, SAID * chars);
  return {
    part(part) {
      if (holdsSkills(entry, part)) return "(the text of a skill)";
      if (entry.kind === "tool") return cutJson(part.text, chars);
      return cutText(part.text, part.source === "principal" ? SAID * chars : chars);
    },
    call({ args, malformed }) {
      return JSON.stringify(cutDeep(malformed === undefined ? args : { malformed }, ofArguments));
    },
  };
}

/** Far back in a long transcript. */
function cutToPlace(): Cut {
  return {
    part: ({ source, text }) => (source === "principal" ? cutText(text, USER_CHARS) : `(${text.length} characters)`),
    call: () => "(arguments left out)",
  };
}

/** As it is now it is shown behind the transcript, or can be loaded. */
function holdsSkills(entry: Entry, { source }: Part): boolean {
  if (entry.kind === "note") return entry.skills !== undefined;
  return entry.kind === "tool" && entry.call.name === "skill_view" && !entry.failed && source === "own";
}
