// What a review's job says of the conversation it read. Pure.
import type { Answer } from "../data/api.ts";

type Job = Answer<"GET /v1/reviews/{review}">["job"];
type Entry = NonNullable<Job>["entries"][number];

export interface EntryLine {
  n: number;
  turn: number;
  who: string;
  text: string;
}

/** A line of a long entry is enough to find it. */
const MAX_CHARS = 240;

export function toEntryLines(entries: Entry[]): EntryLine[] {
  return entries.map((entry) => {
    const text = entry.parts.map((part) => part.text).join(" ");
    const isCut = text.length > MAX_CHARS;
    return {
      n: entry.n,
      turn: entry.turn,
      who: whoWrote(entry),
      text: `${text.slice(0, MAX_CHARS).toWellFormed()}${isCut ? "…" : ""}`,
    };
  });
}

/** The turn of an entry; `null`: the job does not have it. */
export function turnOf(job: Job, n: number): number | null {
  return job?.entries.find((entry) => entry.n === n)?.turn ?? null;
}

function whoWrote(entry: Entry): string {
  if (entry.kind === "user") return "You";
  if (entry.kind === "assistant") return "Talaria";
  return entry.kind === "tool" ? `Tool ${entry.call.name}` : "Notice";
}
