// Checks whether the citations of a lesson prove it, and lists what may be cited. Called before every write of a review, and for
// the message of a review that continues the session's own request. Pure.
import { clip, toOneLine } from "../../../clip.ts";
import { type Failure, err } from "../../../errors.ts";
import { type Entry, type ToolCall, type ToolEntry, textOf } from "../../../schemas/entry.ts";
import { Citation, type Source, fromCitation, readCitation, toPlace } from "../../../schemas/ids.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import { termsOf, wordsOf } from "../../../skills/search/words.ts";

type Job = Pick<ReviewJob, "session" | "entries">;

/** The citations of a call in their stored form. A string may hold several. An invalid citation is returned as it was written. */
export function readCitations(given: unknown, { session }: Pick<ReviewJob, "session">): string[] {
  const texts = (Array.isArray(given) ? given : [given]).filter((item) => typeof item === "string");
  return texts.flatMap((text) => {
    const citations = text.split(/[,;\n]/).filter((citation) => citation.trim() !== "");
    return citations.map((citation) => readCitation(citation, session) ?? citation.trim());
  });
}

/**
 * `null`: the citations hold. Refuses an empty list; a part that the transcript does not have; a list of the assistant's own words
 * only; and a list of failures only, if no later call of the same tool recovered from them. `written`: the text to be kept. A
 * refusal proposes parts that share words with this text.
 */
export function checkCitations(job: Job, citations: string[], written = ""): Failure | null {
  const refuse = (code: string, message: string): Failure => {
    const places = proposeCitations(job.entries, written);
    return err(code, message, places.length > 0 ? { places } : {}).failure;
  };
  if (citations.length === 0) {
    return refuse(
      "citations_missing",
      "Cite the parts of the transcript that show this, such as the failed call and the one that succeeded: " +
        `citations: ["${CITATION_FORM}"].`,
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
      "from. Cite the call that succeeded afterwards as well; if there is none, this is not a workflow, so leave it out.",
  );
}

/** The form of a citation, as a placeholder that is not a citation in any transcript. */
const CITATION_FORM = "<entry>#<source>";

function checkExists(job: Job, citation: string): [code: string, message: string] | null {
  if (!Citation.safeParse(citation).success) {
    return [
      "citation_malformed",
      `"${citation.slice(0, 100)}" is not a citation. One is ${CITATION_FORM}, as shown above each part of the transcript.`,
    ];
  }
  const { session, entry: n, source } = fromCitation(citation);
  const entry = session === job.session ? job.entries.find((candidate) => candidate.n === n) : undefined;
  if (!entry) return ["citation_unknown", `The transcript has no entry ${n}. Cite what is shown above a part of it.`];
  if (sourcesOf(entry).includes(source)) return null;
  const present = sourcesOf(entry).map((candidate) => toPlace(n, candidate));
  return [
    "citation_unknown",
    `Entry ${n} has no part "${source}". ${present.length > 0 ? `It has ${present.join(", ")}.` : "It has none to cite."}`,
  ];
}

/** The numbers of the cited results, if all of them are unrecovered failures; else none. */
function findUnrecovered(job: Pick<ReviewJob, "entries">, citations: string[]): number[] {
  const cited = new Set(citations.map((citation) => fromCitation(citation).entry));
  const results = job.entries.filter(
    (entry) => cited.has(entry.n) && (entry.kind === "tool" || entry.kind === "notice"),
  );
  const lost = results.filter((entry) => entry.kind === "notice" || isUnrecovered(job.entries, entry as ToolEntry));
  return lost.length < results.length ? [] : lost.map(({ n }) => n);
}

/** A call that is still open counts as failed: its end is unknown. */
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

// ---- what may be cited ----

/** Lists the citable parts in the order of the log. The list is part of the review's message, so quotations are in JSON. */
export function listCitations({ entries }: Pick<ReviewJob, "entries">): string {
  const lines = entries.flatMap((entry) => {
    const about = findSubject(entry);
    const places = sourcesOf(entry).map((source) => toPlace(entry.n, source));
    return about === null || places.length === 0 ? [] : `- ${places.join(", ")}: ${about}`;
  });
  return [
    "What may be cited, in the order of the conversation. Quotation marks show only the beginning of a part:",
    ...lines,
  ].join("\n");
}

function sourcesOf(entry: Entry): Source[] {
  const sources = entry.parts.map((part) => part.source);
  // An answer with calls only has no text part, but can be cited.
  if (entry.kind === "assistant") sources.push("own");
  return [...new Set(sources)];
}

/** Maximum number of proposed citations. Longer lists do not help a model to choose. */
const MAX_CANDIDATES = 4;
const MIN_SHARED_WORDS = 2;
/** Maximum number of compared terms of one part. The rest of a long page is seldom the reason of a lesson. */
const MAX_TERMS = 2_000;

/** Parts that share words with the text, best first. Parts without shared words are left out: a list to copy unread proves nothing. */
function proposeCitations(entries: Entry[], written: string): string[] {
  const wanted = wordsOf(written);
  const found = entries.flatMap((entry) => {
    if (entry.kind !== "user" && entry.kind !== "tool") return [];
    const call = entry.kind === "tool" ? renderCall(entry.call) : "";
    return entry.parts.map(({ source, text }) => {
      const words = new Set(termsOf(`${call} ${text}`, MAX_TERMS));
      const shared = [...words].filter((word) => wanted.has(word)).length;
      return { shared, line: `${toPlace(entry.n, source)}: ${describeStart(entry, text)}` };
    });
  });
  return found
    .filter(({ shared }) => shared >= MIN_SHARED_WORDS)
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, MAX_CANDIDATES)
    .map(({ line }) => line);
}

function describeStart(entry: Entry, text: string): string {
  if (entry.kind !== "tool") return quote(text);
  const call = Object.values(entry.call.args).join(" ");
  return `${entry.call.name} ${quote(call)} ${entry.failed ? "failed" : "ok"}: ${quote(text.replace(/[{}"\\]/g, " "))}`;
}

function findSubject(entry: Entry): string | null {
  switch (entry.kind) {
    case "user":
      return `the person: ${quote(textOf(entry))}`;
    case "assistant":
      return `the agent: ${quote([entry.parts[0]?.text ?? "", ...entry.answer.calls.map(renderCall)].join(" "))}`;
    case "tool":
      return `${entry.failed ? "failed" : "ok"}: ${quote(renderCall(entry.call))}`;
    case "note":
    case "notice":
      // A pending change may be one that the scanner keeps away from models.
      return entry.code === "pending" ? null : `${entry.kind} ${entry.code}: ${quote(entry.parts[0]?.text ?? "")}`;
    case "compaction":
      return null;
  }
}

function renderCall({ name, args }: ToolCall): string {
  return `${name} ${JSON.stringify(args)}`;
}

const MAX_QUOTE_CHARS = 80;

/** As JSON, so that a quotation can neither end its line nor imitate another one. */
function quote(text: string): string {
  return JSON.stringify(clip(toOneLine(text.slice(0, 10 * MAX_QUOTE_CHARS)), MAX_QUOTE_CHARS));
}
