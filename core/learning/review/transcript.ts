// Shows a job to the reviewer: each part of each entry under its citation, ready to be copied. Called by review.ts. Pure.
// What came from outside cannot leave its place: no line of it can look like a citation, a call or the end of the text. Every
// call of a review carries the transcript, so it has a budget: texts are cut in the middle until it is kept, those that the
// observations speak of last.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { type Entry, type Part, type ToolCall, textOf } from "../../schemas/entry.ts";
import { type Source, toPlace } from "../../schemas/ids.ts";
import type { Observation } from "../../schemas/learning/learning.ts";
import type { ReviewJob } from "../../schemas/learning/review.ts";
import { estimateTokens } from "../../tokens.ts";
import { cutDeep, cutJson, cutText } from "./cut.ts";

/**
 * A line that imitates a citation or a call, also behind blanks and signs that show nothing. Full-width and other brackets
 * do not fool a reader of exact citations.
 */
const IMITATION = /^(?=[\t\p{Zs}\p{Cf}]*(?:\[(?:[^\n[\]]{0,80}\/)?\d+#\w|->\s))/gmu;
/** What some reader takes for the end of a line. */
const LINE_ENDS = /\r\n?|[\n\v\f\x85\u2028\u2029]/g;

export function renderTranscript(job: ReviewJob): string {
  const marker = markerOf(job);
  const body = renderWithin(job, (cutOf) =>
    job.entries.flatMap((entry) => renderEntry(entry, cutOf(entry))).join("\n\n"),
  );
  return `<transcript ${marker}>\n${body.replaceAll(marker, "[marker]")}\n</transcript ${marker}>`;
}

/** The same on every run of a review, so that a resumed one shows the model the same bytes. */
export function markerOf(job: Pick<ReviewJob, "review" | "profile">): string {
  return sha256Hex(`transcript ${job.profile} ${job.review}`).slice(0, 16);
}

function renderEntry(entry: Entry, cut: Cut): string[] {
  const shown = (part: Part) => neutralise(cut.part(part));
  const cite = (source: Source) => toPlace(entry.n, source);
  switch (entry.kind) {
    case "user":
      return entry.parts.map((part) => block(cite(part.source), "", shown(part)));
    case "assistant": {
      const said = shown({ source: "own", text: textOf(entry) });
      const lines = [said, ...entry.answer.calls.map((call) => renderCall(call, cut))];
      return [block(cite("own"), "", lines.filter((line, index) => index > 0 || line !== "").join("\n"))];
    }
    case "tool":
      return [
        entry.parts
          .map((part) => {
            const status = part.source === "outcome" ? ` ${toName(entry.call)} ${entry.failed ? "failed" : "ok"}` : "";
            return block(cite(part.source), status, shown(part));
          })
          .join("\n"),
      ].filter((text) => text !== "");
    case "note":
    case "notice":
      // What waits for a person may be just what the scanner keeps away from models.
      if (entry.code === "pending") return [];
      return entry.parts.map((part) => block(cite(part.source), ` ${entry.kind} ${entry.code}`, shown(part)));
    case "compaction":
      return []; // it only repeats, in other words, entries that are reviewed themselves
  }
}

function block(place: string, status: string, text: string): string {
  return `[${place}]${status}\n${text}`;
}

function renderCall(call: ToolCall, cut: Cut): string {
  return `-> ${toName(call)} ${cut.call(call).replace(LINE_ENDS, " ")}`;
}

/** A model may ask for a tool of any name. */
function toName(call: ToolCall): string {
  return call.name.replace(LINE_ENDS, "_").replace(/\s+/gu, "_");
}

/** Line ends are made one kind first. */
function neutralise(text: string): string {
  return text.replace(LINE_ENDS, "\n").replace(IMITATION, "\\");
}

// ---- how much of each entry ----

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
interface Cut {
  part(part: Part): string;
  call(call: ToolCall): string;
}

/** Renders with the most that keeps the budget. What is cut can be cited all the same: each part keeps its place. */
function renderWithin(
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
  const told = observations.flatMap(({ recoveries, corrections = [] }) => [
    ...recoveries.flatMap(({ failed, succeeded }) => [failed, succeeded]),
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

/** Its present text follows the transcript, or can be loaded. */
function holdsSkills(entry: Entry, { source }: Part): boolean {
  if (entry.kind === "note") return entry.skills !== undefined;
  return entry.kind === "tool" && entry.call.name === "skill_view" && !entry.failed && source === "own";
}
