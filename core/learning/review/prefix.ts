// Whether a review goes on from the session's own request, which its provider still has in a cache, and what may be cited then.
// Called by review.ts. Pure.
import type { Model } from "../../agent/contract.ts";
import type { Entry, ToolCall } from "../../schemas/entry.ts";
import { toCitation } from "../../schemas/ids.ts";
import type { ReviewJob, SentPrefix } from "../../schemas/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import { estimateTokens } from "../../tokens.ts";

/**
 * What is read from a cache costs about a tenth, but at every step, and counts against the grant like anything else. Beyond
 * this many times the digest's length the digest is cheaper, for a review of five steps.
 */
const WORTH = 3;
/** Of the window, for what the session has said; the rest is for the review. */
const WINDOW_SHARE = 0.6;

export interface PrefixQuestion {
  job: ReviewJob;
  model: Model;
  settings: Settings;
  now: number;
  /** What would be sent instead. */
  digest: string;
}

/** `null`: the digest is sent. */
export function choosePrefix({ job, model, settings, now, digest }: PrefixQuestion): SentPrefix | null {
  const { prefix } = job;
  if (!prefix || settings.review.prefix === "never") return null;
  // Another model, or another account, has another cache; and none keeps for ever.
  if (model.name !== job.model || model.cache !== prefix.cache) return null;
  if (now - prefix.at >= settings.turn.cacheTtlMs) return null;
  const { system, tools, messages } = prefix;
  const tokens = estimateTokens(JSON.stringify([system, tools, messages]));
  if (tokens > WINDOW_SHARE * model.contextWindow) return null;
  return tokens <= WORTH * estimateTokens(digest) ? prefix : null;
}

const MAX_CHARS = 100;

/** A line for each entry: its citations, what it is, and its beginning. It stands in one message with the review's own words. */
export function listCitations({ session, entries }: Pick<ReviewJob, "session" | "entries">): string {
  const lines = entries.flatMap((entry) => {
    const about = aboutOf(entry);
    if (about === null) return [];
    const sources = new Set(entry.parts.map(({ source }) => source));
    if (entry.kind === "assistant") sources.add("own");
    const citations = [...sources].map((source) => toCitation(session, entry.n, source));
    return citations.length === 0 ? [] : `- ${citations.join(", ")}: ${about}`;
  });
  return [
    "What may be cited, in the order of the conversation. What stands in quotation marks is only the beginning of it:",
    ...lines,
  ].join("\n");
}

/** Quoted as JSON: nothing of it can end its line, or look like one of these. */
function aboutOf(entry: Entry): string | null {
  switch (entry.kind) {
    case "user":
      return `the person: ${quote(entry.parts[0]?.text ?? "")}`;
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

function quote(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return JSON.stringify((line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line).toWellFormed());
}
