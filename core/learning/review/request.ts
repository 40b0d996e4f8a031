// Builds the request of a review. It either continues the session's last request, which the provider may still have in its cache,
// or starts a new conversation with a digest of the work. Also builds the tools' specs. Called by review.ts. Pure.
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
 * Cached tokens cost about a tenth, but at every step, and they count in full against the grant. If the prefix is more than this
 * many times as long as the digest, the digest is cheaper, for a review of five steps.
 */
const MAX_PREFIX_RATIO = 3;
/** The prefix's share of the model's window; the rest is for the review. */
const WINDOW_SHARE = 0.6;

interface PrefixQuestion {
  job: ReviewJob;
  model: Model;
  settings: Settings;
  now: number;
  /** What is sent without the prefix. */
  digest: string;
}

/** `null`: send the digest. */
export function choosePrefix({ job, model, settings, now, digest }: PrefixQuestion): SentPrefix | null {
  const { prefix } = job;
  if (!prefix || settings.review.prefix === "never") return null;
  // A cache belongs to one model and account, and expires.
  if (model.name !== job.model || model.cache !== prefix.cache) return null;
  if (now - prefix.at >= settings.turn.cacheTtlMs) return null;
  const { system, tools, messages } = prefix;
  const tokens = estimateTokens(JSON.stringify([system, tools, messages]));
  if (tokens > WINDOW_SHARE * model.contextWindow) return null;
  return tokens <= MAX_PREFIX_RATIO * estimateTokens(digest) ? prefix : null;
}

type Request = Pick<LoopOptions, "system" | "history" | "specs" | "cacheKey" | "effort">;

/**
 * With a prefix: the session's request, byte for byte and with its tools, then the review's message. Calls of tools that a review
 * does not have are refused at dispatch. Without a prefix: the review's prompt and a digest of the work.
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

/** The smallest context window: specs for it leave out repeated descriptions. */
const SMALLEST_WINDOW = 0;

/** Short specs, since every call of a review sends them. Arguments are still checked against the tools' full schema. */
export function toReviewSpecs(tools: Tool[]): ToolSpec[] {
  return toToolSpecs(tools, SMALLEST_WINDOW).map((spec) => ({ ...spec, parameters: withoutNested(spec.parameters) }));
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
