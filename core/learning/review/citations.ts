// Whether what a lesson cites can carry it. Called for every write of a review, before it is made. Pure.
import { err, type Failure } from "../../errors.ts";
import type { Entry, ToolEntry } from "../../schemas/entry.ts";
import { Citation, type Source, fromCitation, toCitation } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/review.ts";

/**
 * `null` when the citations hold. Refused are: none at all; one of a part the transcript does not have; nothing but the
 * assistant's own words; and results of tools all of which are failures without a later success of the same tool, for
 * then nobody has shown the way out.
 */
export function checkCitations(job: Pick<ReviewJob, "session" | "entries">, citations: string[]): Failure | null {
  if (citations.length === 0) {
    return refuse(
      "citations_missing",
      "Cite the parts of the transcript that show this, such as the failed call and the one that succeeded: citations: " +
        `["${exampleOf(job)}"].`,
    );
  }
  for (const citation of citations) {
    const missing = checkExists(job, citation);
    if (missing) return missing;
  }
  if (citations.every((citation) => fromCitation(citation).source === "own")) {
    return refuse(
      "citation_own",
      "These parts are only the assistant's own words. Cite what a tool answered (#outcome, #content) or what the " +
        "person said (#principal); if nothing but the assistant says so, it is not a lesson.",
    );
  }
  return checkRecovered(job, citations);
}

function checkExists(job: Pick<ReviewJob, "session" | "entries">, citation: string): Failure | null {
  if (!Citation.safeParse(citation).success) {
    return refuse(
      "citation_malformed",
      `"${citation.slice(0, 100)}" is not a citation. Copy one from the transcript as it stands there, without the ` +
        `brackets, such as "${exampleOf(job)}".`,
    );
  }
  const { session, entry: n, source } = fromCitation(citation);
  const entry = session === job.session ? job.entries.find((candidate) => candidate.n === n) : undefined;
  if (!entry) {
    return refuse(
      "citation_unknown",
      `The transcript has no entry ${session}/${n}. Copy a citation that stands above a part of it.`,
    );
  }
  if (sourcesOf(entry).includes(source)) return null;
  const present = sourcesOf(entry).map((candidate) => toCitation(session, n, candidate));
  return refuse(
    "citation_unknown",
    `Entry ${n} has no part "${source}". ${present.length > 0 ? `It has ${present.join(", ")}.` : "It has none to cite."}`,
  );
}

function checkRecovered(job: Pick<ReviewJob, "entries">, citations: string[]): Failure | null {
  const cited = new Set(citations.map((citation) => fromCitation(citation).entry));
  const results = job.entries.filter(
    (entry) => cited.has(entry.n) && (entry.kind === "tool" || entry.kind === "notice"),
  );
  const lost = results.filter((entry) => entry.kind === "notice" || isUnrecovered(job.entries, entry as ToolEntry));
  if (results.length === 0 || lost.length < results.length) return null;
  return refuse(
    "citation_unrecovered",
    `The cited results (entries ${lost.map((entry) => entry.n).join(", ")}) are failures that no later call recovered ` +
      "from. Cite the call that succeeded afterwards as well; if there is none, this is no workflow, so leave it out.",
  );
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

function sourcesOf(entry: Entry): Source[] {
  const sources = entry.parts.map((part) => part.source);
  // An answer that is nothing but calls has no text part, and can be cited all the same.
  if (entry.kind === "assistant") sources.push("own");
  return [...new Set(sources)];
}

function exampleOf(job: Pick<ReviewJob, "session" | "entries">): string {
  const entry = job.entries.find((candidate) => candidate.kind === "tool") ?? job.entries[0];
  return toCitation(job.session, entry?.n ?? 1, entry?.parts[0]?.source ?? "outcome");
}

function refuse(code: string, message: string): Failure {
  return err(code, message).failure;
}
