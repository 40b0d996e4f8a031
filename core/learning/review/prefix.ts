// Whether a review goes on from the session's own request, which its provider still has in a cache, and what may be cited then.
// Called by review.ts. Pure.
import type { Model } from "../../agent/contract.ts";
import type { ReviewJob, SentPrefix } from "../../schemas/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import { estimateTokens } from "../../tokens.ts";
import { listPlaces } from "./places.ts";

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

/** It stands in one message with the review's own words. */
export function listCitations({ entries }: Pick<ReviewJob, "entries">): string {
  return [
    "What may be cited, in the order of the conversation. What stands in quotation marks is only the beginning of it:",
    ...listPlaces(entries).map((line) => `- ${line}`),
  ].join("\n");
}
