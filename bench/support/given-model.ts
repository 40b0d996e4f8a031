// Connects to the OpenAI-compatible server that a bench's command line names, and builds review jobs for its model. Used by
// bench:judging and bench:taint.
import type { Model } from "../../core/agent/contract.ts";
import { createOpenAiChatModel } from "../../core/models/wires/openai-chat.ts";
import type { Entry } from "../../core/schemas/entry.ts";
import type { ReviewJob } from "../../core/schemas/learning/review.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";

/** Flags for the server. The benches' usage texts describe them. */
export const SERVER_FLAGS = { "base-url": { type: "string" }, model: { type: "string" } } as const;

/** `null` if no server is named. Throws an Error for the command line if the flags are invalid. */
export function openModelServer(flags: { "base-url"?: string | undefined; model?: string | undefined }): Model | null {
  const { "base-url": baseUrl, model } = flags;
  if (baseUrl === undefined && model === undefined) return null;
  if (baseUrl === undefined || model === undefined) throw new Error("--base-url and --model belong together");
  if (!URL.canParse(baseUrl)) throw new Error("--base-url takes the server's address");
  const apiKey = process.env.BENCH_API_KEY ?? "none";
  return createOpenAiChatModel({
    baseUrl,
    model,
    apiKey,
    clock: systemClock,
    fetch: (...request) => fetch(...request),
  });
}

const SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZZ";

/** A review job over these entries. */
export function toReviewJob(entries: Entry[]): ReviewJob {
  const at = 1;
  return {
    ...{ v: 1, review: `${SESSION}.1-${entries.length}`, profile: "0123456789abcdefghjkmnpqrs", session: SESSION },
    ...{ trigger: "refine", skills: true, memory: true, grant: { tokens: 1, expiresAt: at }, model: "bench" },
    ...{ createdAt: at, observations: [], entries },
  };
}
