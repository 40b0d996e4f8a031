// Shows a job to the reviewer: each part of each entry under its citation, ready to be copied. Called by review.ts. Pure.
// What came from outside cannot leave its place: no line of it can look like a citation, a call or the end of the text.
import { sha256Hex } from "../../schemas/digest.ts";
import { type Entry, type Part, type ToolCall, textOf } from "../../schemas/entry.ts";
import { type Source, toPlace } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/review.ts";
import { type Cut, renderWithin } from "./digest.ts";

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
