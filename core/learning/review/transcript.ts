// Renders a job for the reviewer: each part of each entry under its citation, ready to copy. Called by review.ts. Pure.
// Content cannot imitate the transcript: no line of it can look like a citation, a call or the end of the text. Every call of a
// review sends the transcript, so it has a budget: texts lose their middle until it fits, key entries last.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { type Entry, type Part, type ToolCall, textOf } from "../../schemas/entry.ts";
import { type Source, toPlace } from "../../schemas/ids.ts";
import type { Observation } from "../../schemas/learning/learning.ts";
import type { ReviewJob } from "../../schemas/learning/review.ts";
import { estimateTokens } from "../../tokens.ts";
import { cutDeep, cutJson, cutText } from "./cut.ts";

/**
 * The start of a line that imitates a citation or a call, even after blanks and invisible characters. Full-width and other
 * brackets are left alone, since citations are matched exactly.
 */
const IMITATION = /^(?=[\t\p{Zs}\p{Cf}]*(?:\[(?:[^\n[\]]{0,80}\/)?\d+#\w|->\s))/gmu;
/** Everything that some reader treats as a line break. */
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

function renderEntry(entry: Entry, cut: EntryRenderer): string[] {
  const shown = (part: Part) => neutralise(cut.part(part));
  const cite = (source: Source) => toPlace(entry.n, source);
  switch (entry.kind) {
    case "user":
      return entry.parts.map((part) => toBlock(cite(part.source), "", shown(part)));
    case "assistant": {
      const said = shown({ source: "own", text: textOf(entry) });
      const calls = entry.answer.calls.map((call) => renderCall(call, cut));
      return [toBlock(cite("own"), "", [...(said === "" ? [] : [said]), ...calls].join("\n"))];
    }
    case "tool": {
      const blocks = entry.parts.map((part) => {
        const status = part.source === "outcome" ? ` ${toName(entry.call)} ${entry.failed ? "failed" : "ok"}` : "";
        return toBlock(cite(part.source), status, shown(part));
      });
      return blocks.length === 0 ? [] : [blocks.join("\n")];
    }
    case "note":
    case "notice":
      // A pending change may be one that the scanner keeps away from models.
      if (entry.code === "pending") return [];
      return entry.parts.map((part) => toBlock(cite(part.source), ` ${entry.kind} ${entry.code}`, shown(part)));
    case "compaction":
      return []; // a summary of entries that are reviewed themselves
  }
}

function toBlock(place: string, status: string, text: string): string {
  return `[${place}]${status}\n${text}`;
}

function renderCall(call: ToolCall, cut: EntryRenderer): string {
  return `-> ${toName(call)} ${cut.call(call).replace(LINE_ENDS, " ")}`;
}

/** A model may call a tool by any name, so the name is kept on one line without blanks. */
function toName(call: ToolCall): string {
  return call.name.replace(LINE_ENDS, "_").replace(/\s+/gu, "_");
}

/** Escapes imitations. All line breaks become `\n` first. */
function neutralise(text: string): string {
  return text.replace(LINE_ENDS, "\n").replace(IMITATION, "\\");
}

// ---- how much of each entry ----

/** The budget of a transcript: at least 1,500 tokens, or 40 for each entry. Citations take a fourth of the 40. */
const BUDGET_TOKENS = 1_500;
const ENTRY_TOKENS = 40;
/** Most characters of one string, tried in this order until the transcript fits. The last still shows what a part is about. */
const STRING_CHARS = [2_000, 1_000, 600, 400, 250, 160, 100];
/** Strings of key entries (failures, recoveries, corrections) may be this many times as long: lessons come from them. */
const KEY_ENTRY_FACTOR = 4;
/** The same for the person's words and the agent's calls. Outputs are the longest, and say least about how work is done. */
const SAID_FACTOR = 4;
const MIN_ARGUMENT_CHARS = 600;
// As in Hermes Agent: the newest entries, which are never left out, and the length of the person's older messages.
const NEWEST = 24;
const USER_CHARS = 300;

/** Renders the parts and calls of an entry in short form. */
interface EntryRenderer {
  part(part: Part): string;
  call(call: ToolCall): string;
}

/** Renders with the longest strings that fit the budget. Each part keeps its citation, so cut parts can be cited too. */
function renderWithin(
  { entries, observations }: Pick<ReviewJob, "entries" | "observations">,
  render: (cutOf: (entry: Entry) => EntryRenderer) => string,
): string {
  const shown = entries.filter((entry) => entry.kind !== "compaction");
  const keyEntries = new Set(findKeyEntries(shown, observations));
  const budget = Math.max(BUDGET_TOKENS, ENTRY_TOKENS * shown.length);
  for (const chars of STRING_CHARS) {
    const text = render(cutAll(chars));
    // Estimating is slow. Dense text has at most four characters per token, so a text with over eight per token is never estimated.
    if (text.length <= 8 * budget && estimateTokens(text) <= budget) return text;
  }
  const least = cutAll(STRING_CHARS.at(-1)!);
  const newest = new Set([...shown.slice(-NEWEST).map(({ n }) => n), ...keyEntries]);
  return render((entry) => (newest.has(entry.n) ? least(entry) : createPlaceRenderer()));

  function cutAll(chars: number): (entry: Entry) => EntryRenderer {
    return (entry) => createCutRenderer(entry, keyEntries.has(entry.n) ? KEY_ENTRY_FACTOR * chars : chars);
  }
}

function findKeyEntries(entries: Entry[], observations: Observation[]): number[] {
  const key = observations.flatMap(({ recoveries, corrections = [] }) => [
    ...recoveries.flatMap(({ failed, succeeded }) => [failed, succeeded]),
    ...corrections.map(({ entry }) => entry),
  ]);
  return key.flatMap((n) => [n, findCaller(entries, n)]);
}

/** The number of the answer that made a call; for any other entry, its own number. */
function findCaller(entries: Entry[], n: number): number {
  const at = entries.findIndex((entry) => entry.n === n);
  if (entries[at]?.kind !== "tool") return n;
  return entries.slice(0, at).findLast(({ kind }) => kind === "assistant")?.n ?? n;
}

function createCutRenderer(entry: Entry, chars: number): EntryRenderer {
  const ofArguments = Math.max(MIN_ARGUMENT_CHARS, SAID_FACTOR * chars);
  return {
    part(part) {
      if (holdsSkills(entry, part)) return "(the text of a skill)";
      if (entry.kind === "tool") return cutJson(part.text, chars);
      return cutText(part.text, part.source === "principal" ? SAID_FACTOR * chars : chars);
    },
    call({ args, malformed }) {
      return JSON.stringify(cutDeep(malformed === undefined ? args : { malformed }, ofArguments));
    },
  };
}

/** Keeps the citations of an entry and nearly nothing else. For old entries of a long transcript. */
function createPlaceRenderer(): EntryRenderer {
  return {
    part: ({ source, text }) => (source === "principal" ? cutText(text, USER_CHARS) : `(${text.length} characters)`),
    call: () => "(arguments left out)",
  };
}

/** Parts with the text of skills. The present text follows the transcript, or can be loaded. */
function holdsSkills(entry: Entry, { source }: Part): boolean {
  if (entry.kind === "note") return entry.skills !== undefined;
  return entry.kind === "tool" && entry.call.name === "skill_view" && !entry.failed && source === "own";
}
