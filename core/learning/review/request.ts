// The request of a review: appended to the session's own, which its provider still has in a cache, or with a digest of the work; and
// the tools as its model is told of them. Called by review.ts. Pure.
import type { Model, Tool, ToolSpec } from "../../agent/contract.ts";
import type { LoopOptions } from "../../agent/loop.ts";
import { toToolSpecs } from "../../agent/tool-specs.ts";
import { reviewClosing, reviewPrompt, reviewRequest } from "../../prompts/review/review.ts";
import { JsonObject } from "../../schemas/entry.ts";
import type { ReviewJob, ReviewStep, SentPrefix } from "../../schemas/learning/review.ts";
import { Effort, type Settings } from "../../schemas/settings.ts";
import { estimateTokens } from "../../tokens.ts";
import { listCitations } from "./rules/citations.ts";
import { renderTranscript } from "./transcript.ts";

/**
 * What is read from a cache costs about a tenth, but at every step, and counts against the grant like anything else. Beyond
 * this many times the digest's length the digest is cheaper, for a review of five steps.
 */
const WORTH = 3;
/** Of the window, for what the session has said; the rest is for the review. */
const WINDOW_SHARE = 0.6;

interface PrefixQuestion {
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

type Request = Pick<LoopOptions, "system" | "history" | "specs" | "cacheKey" | "effort">;

/**
 * Behind the session's own request, whose every byte must stay as it is, the tools included: what is not the review's is
 * refused at dispatch. Without one: the review's prompt and a digest of the work.
 */
export function toRequest({ job, settings }: { job: ReviewJob; settings: Settings }, begin: ReviewStep): Request {
  const { memoryBlock = "", skillsBlock = "", prefix = false } = begin.kind === "start" ? begin : {};
  const shown = { memoryBlock, skillsBlock };
  if (prefix && job.prefix) {
    const { system, tools, messages, cacheKey } = job.prefix;
    const effort = Effort.safeParse(job.prefix.effort).data;
    const text = reviewClosing(job, { ...shown, citations: listCitations(job) });
    return {
      system,
      specs: tools,
      history: [...messages, { role: "user", text }],
      cacheKey,
      ...(effort && { effort }),
    };
  }
  const { review: effort } = settings.models.effort;
  return {
    system: reviewPrompt(job),
    history: [{ role: "user", text: reviewRequest(job, { ...shown, transcript: renderTranscript(job) }) }],
    cacheKey: `review ${job.profile}`,
    ...(effort && { effort }),
  };
}

/** As for a model with a small window: no description is given twice. */
const IN_FEW_WORDS = 0;

/** With every call of a review they are sent again. What is checked stays the tools' own schema. */
export function toReviewSpecs(tools: Tool[]): ToolSpec[] {
  return toToolSpecs(tools, IN_FEW_WORDS).map((spec) => ({ ...spec, parameters: withoutNested(spec.parameters) }));
}

function withoutNested(parameters: JsonObject): JsonObject {
  const properties = JsonObject.safeParse(parameters.properties).data ?? {};
  const operations = JsonObject.safeParse(properties.operations).data;
  const items = JsonObject.safeParse(operations?.items).data;
  if (!items) return parameters;
  const fields = Object.keys(JsonObject.parse(items.properties)).filter((name) => Object.hasOwn(properties, name));
  const short = { type: "object", description: `With the fields ${fields.join(", ")}.`, required: items.required };
  return { ...parameters, properties: { ...properties, operations: { ...operations, items: short } } };
}
