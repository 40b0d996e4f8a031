// The parts of entries that a review may cite, each with what it is and its first words: for the list behind a session's own
// request, and for a refusal that says where to look. Pure.
import { clip, toOneLine } from "../../clip.ts";
import { type Entry, type ToolCall, textOf } from "../../schemas/entry.ts";
import { type Source, toPlace } from "../../schemas/ids.ts";
import { termsOf, wordsOf } from "../../skills/words.ts";

/** In the order of the log. `about` is one line, its words quoted as JSON. */
export function listPlaces(entries: Entry[]): string[] {
  return entries.flatMap((entry) => {
    const about = aboutOf(entry);
    const places = sourcesOf(entry).map((source) => toPlace(entry.n, source));
    return about === null || places.length === 0 ? [] : `${places.join(", ")}: ${about}`;
  });
}

export function sourcesOf(entry: Entry): Source[] {
  const sources = entry.parts.map((part) => part.source);
  // An answer that is nothing but calls has no text part, and can be cited all the same.
  if (entry.kind === "assistant") sources.push("own");
  return [...new Set(sources)];
}

/** More is no help to whoever has to choose. */
const MAX_CANDIDATES = 4;
const MIN_SHARED_WORDS = 2;
/** Of one part: what a page says further down is seldom the reason of a lesson. */
const MAX_TERMS = 2_000;

/**
 * Places that share words with what is to be written, best first. Never one that says nothing of it: a list that could be
 * copied unread would prove nothing.
 */
export function candidatesFor(entries: Entry[], written: string): string[] {
  const wanted = wordsOf(written);
  const found = entries.flatMap((entry) => {
    if (entry.kind !== "user" && entry.kind !== "tool") return [];
    const call = entry.kind === "tool" ? renderCall(entry.call) : "";
    return entry.parts.map(({ source, text }) => {
      const words = new Set(termsOf(`${call} ${text}`, MAX_TERMS));
      const shared = [...words].filter((word) => wanted.has(word)).length;
      return { shared, line: `${toPlace(entry.n, source)}: ${startOf(entry, text)}` };
    });
  });
  return found
    .filter(({ shared }) => shared >= MIN_SHARED_WORDS)
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, MAX_CANDIDATES)
    .map(({ line }) => line);
}

function startOf(entry: Entry, text: string): string {
  if (entry.kind !== "tool") return quote(text);
  const call = Object.values(entry.call.args).join(" ");
  return `${entry.call.name} ${quote(call)} ${entry.failed ? "failed" : "ok"}: ${quote(text.replace(/[{}"\\]/g, " "))}`;
}

function aboutOf(entry: Entry): string | null {
  switch (entry.kind) {
    case "user":
      return `the person: ${quote(textOf(entry))}`;
    case "assistant":
      return `the agent: ${quote([entry.parts[0]?.text ?? "", ...entry.answer.calls.map(renderCall)].join(" "))}`;
    case "tool":
      return `${entry.failed ? "failed" : "ok"}: ${quote(renderCall(entry.call))}`;
    case "note":
    case "notice":
      // What waits for a person may be just what the scanner keeps away from models.
      return entry.code === "pending" ? null : `${entry.kind} ${entry.code}: ${quote(entry.parts[0]?.text ?? "")}`;
    case "compaction":
      return null;
  }
}

function renderCall({ name, args }: ToolCall): string {
  return `${name} ${JSON.stringify(args)}`;
}

const MAX_QUOTE_CHARS = 80;

/** As JSON: nothing of it can end its line, or look like one of these. */
function quote(text: string): string {
  return JSON.stringify(clip(toOneLine(text.slice(0, 10 * MAX_QUOTE_CHARS)), MAX_QUOTE_CHARS));
}
