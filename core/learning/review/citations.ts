// Whether what a lesson cites can carry it. Called for every write of a review, before it is made. Pure.
import { type Failure, err } from "../../errors.ts";
import type { Entry, ToolEntry } from "../../schemas/entry.ts";
import { Citation, fromCitation, readCitation, toPlace } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/review.ts";
import { candidatesFor, sourcesOf } from "./places.ts";

type Job = Pick<ReviewJob, "session" | "entries">;

/** What a call cites, as it is stored; what is no citation stays as it was written. A string may hold several. */
export function readCitations(given: unknown, { session }: Pick<ReviewJob, "session">): string[] {
  const all = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === "string");
  return all.flatMap((one) => {
    const parts = one.split(/[,;\n]/).filter((part) => part.trim() !== "");
    return parts.map((part) => readCitation(part, session) ?? part.trim());
  });
}

/**
 * `null` when the citations hold. Refused are: none at all; one of a part the transcript does not have; nothing but the
 * assistant's own words; and results of tools all of which are failures without a later success of the same tool, for
 * then nobody has shown the way out. `written`: what is to be kept, for places that speak of it.
 */
export function checkCitations(job: Job, citations: string[], written = ""): Failure | null {
  const refuse = (code: string, message: string): Failure => {
    const places = candidatesFor(job.entries, written);
    return err(code, message, places.length > 0 ? { places } : {}).failure;
  };
  if (citations.length === 0) {
    return refuse(
      "citations_missing",
      "Cite the parts of the transcript that show this, such as the failed call and the one that succeeded: " +
        `citations: ["${FORM}"].`,
    );
  }
  for (const citation of citations) {
    const missing = checkExists(job, citation);
    if (missing) return refuse(...missing);
  }
  if (citations.every((citation) => fromCitation(citation).source === "own")) {
    return refuse(
      "citation_own",
      "These parts are only the assistant's own words. Cite what a tool answered (#outcome, #content) or what the " +
        "person said (#principal); if nothing but the assistant says so, it is not a lesson.",
    );
  }
  const lost = findUnrecovered(job, citations);
  if (lost.length === 0) return null;
  return refuse(
    "citation_unrecovered",
    `The cited results (entries ${lost.join(", ")}) are failures that no later call recovered ` +
      "from. Cite the call that succeeded afterwards as well; if there is none, this is no workflow, so leave it out.",
  );
}

/** What one looks like, and no part of any transcript. */
const FORM = "<entry>#<source>";

function checkExists(job: Job, citation: string): [code: string, message: string] | null {
  if (!Citation.safeParse(citation).success) {
    return [
      "citation_malformed",
      `"${citation.slice(0, 100)}" is not a citation. One is ${FORM}, as it stands above each part of the transcript.`,
    ];
  }
  const { session, entry: n, source } = fromCitation(citation);
  const entry = session === job.session ? job.entries.find((candidate) => candidate.n === n) : undefined;
  if (!entry) return ["citation_unknown", `The transcript has no entry ${n}. Cite what stands above a part of it.`];
  if (sourcesOf(entry).includes(source)) return null;
  const present = sourcesOf(entry).map((candidate) => toPlace(n, candidate));
  return [
    "citation_unknown",
    `Entry ${n} has no part "${source}". ${present.length > 0 ? `It has ${present.join(", ")}.` : "It has none to cite."}`,
  ];
}

/** Entries, when nothing else is cited. */
function findUnrecovered(job: Pick<ReviewJob, "entries">, citations: string[]): number[] {
  const cited = new Set(citations.map((citation) => fromCitation(citation).entry));
  const results = job.entries.filter(
    (entry) => cited.has(entry.n) && (entry.kind === "tool" || entry.kind === "notice"),
  );
  const lost = results.filter((entry) => entry.kind === "notice" || isUnrecovered(job.entries, entry as ToolEntry));
  return lost.length < results.length ? [] : lost.map(({ n }) => n);
}

/** A call still open is as good as failed: nobody knows how it ended. */
function isUnrecovered(entries: Entry[], call: ToolEntry): boolean {
  if (!call.failed && call.state === "done") return false;
  return !entries.some(
    (later) =>
      later.kind === "tool" &&
      later.n > call.n &&
      later.call.name === call.call.name &&
      later.state === "done" &&
      !later.failed,
  );
}
