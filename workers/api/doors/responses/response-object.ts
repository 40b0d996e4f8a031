// The Response object of OpenAI's Responses API, as we answer it: what the request set, and what the turn brought. Pure.
import type {
  Response as OpenAiResponse,
  ResponseFormatTextConfig,
  ResponseOutputItem,
  ResponseUsage,
} from "openai/resources/responses/responses";
import { type TurnStats, promptTokens } from "../../../../core/schemas/entry.ts";
import type { ResponseEcho } from "../../../../core/schemas/stored-response.ts";
import type { ExchangeEnd } from "../pieces.ts";

/** `echo`: what is stored with the id. `told`: texts that only the response to the request itself repeats. */
export interface ResponseFrame {
  id: string;
  createdAtMs: number;
  echo: ResponseEcho;
  told?: { instructions: string | null; tools: OpenAiResponse["tools"]; format: ResponseFormatTextConfig };
}

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";

interface Progress {
  status: ResponseStatus;
  output: ResponseOutputItem[];
  end?: ExchangeEnd;
  stats?: TurnStats;
  completedAtMs?: number;
}

/** [OpenAI] `output_text` is made by the official clients; plain ones find it here too. */
export function toResponse({ id, createdAtMs, echo, told }: ResponseFrame, progress: Progress): OpenAiResponse {
  const { status, output, end, stats, completedAtMs } = progress;
  return {
    id,
    object: "response",
    created_at: Math.floor(createdAtMs / 1_000),
    ...(completedAtMs !== undefined && { completed_at: Math.floor(completedAtMs / 1_000) }),
    status,
    background: false,
    access_programs: null,
    error: end?.how === "failed" ? { code: toErrorCode(end.code), message: end.message } : null,
    incomplete_details: toIncomplete(end),
    instructions: told?.instructions ?? null,
    max_output_tokens: echo.maxOutputTokens ?? null,
    model: echo.model,
    output,
    output_text: output.flatMap(toTexts).join(""),
    parallel_tool_calls: echo.parallel ?? true,
    previous_response_id: echo.previous ?? null,
    ...(echo.conversation !== undefined && { conversation: { id: echo.conversation } }),
    reasoning: { effort: (echo.effort as "low" | undefined) ?? null, summary: null },
    store: echo.isStored,
    temperature: echo.temperature ?? null,
    text: { format: told?.format ?? { type: "text" } },
    tool_choice: toToolChoice(echo.toolChoice),
    tools: told?.tools ?? [],
    top_p: echo.topP ?? null,
    truncation: "disabled",
    usage: stats ? toUsage(stats) : null,
    user: null,
    metadata: echo.metadata ?? {},
  } as unknown as OpenAiResponse;
}

/** Tokens that were read from a cache, or written to one, are input too. */
export function toUsage({ usage }: TurnStats): ResponseUsage {
  const input = promptTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + usage.output,
  };
}

export function toStatus({ how }: ExchangeEnd): ResponseStatus {
  if (how === "failed") return "failed";
  return how === "length" || how === "refusal" ? "incomplete" : "completed";
}

function toIncomplete(end: ExchangeEnd | undefined): OpenAiResponse.IncompleteDetails | null {
  if (end?.how === "length") return { reason: "max_output_tokens" };
  return end?.how === "refusal" ? { reason: "content_filter" } : null;
}

/** The codes that OpenAI documents; ours is in the message's words. */
function toErrorCode(code: string): "rate_limit_exceeded" | "server_error" {
  return code === "rate_limit" || code.endsWith("_budget_spent") ? "rate_limit_exceeded" : "server_error";
}

function toToolChoice(choice: ResponseEcho["toolChoice"]): OpenAiResponse["tool_choice"] {
  if (typeof choice === "object") return { type: "function", name: choice.name };
  return choice ?? "auto";
}

function toTexts(item: ResponseOutputItem): string[] {
  return item.type === "message"
    ? item.content.flatMap((part) => (part.type === "output_text" ? [part.text] : []))
    : [];
}
