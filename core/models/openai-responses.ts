// OpenAI's Responses API over its SDK, without anything kept on its side. Translates a request and its stream; promises and
// failures are stream-guard.ts's.
import { APIConnectionTimeoutError, APIError } from "openai";
import type {
  Response as WireResponse,
  ResponseCreateParamsStreaming,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from "openai/resources/responses/responses";
import type { Model, ModelEvent, ModelRequest } from "../agent/contract.ts";
import { type Answer, NO_USAGE, type StopReason, type Usage } from "../schemas/entry.ts";
import { failureOfReply, readErrorBody } from "./failures.ts";
import { createOpenAiClient } from "./openai-client.ts";
import { guardWire } from "./stream-guard.ts";
import { type IdRule, type WireMessage, assignWireIds, toToolCalls } from "./wire-calls.ts";

export interface OpenAiResponsesOptions {
  apiKey: string;
  model: string;
  /** Up to and without `/responses`. Default: OpenAI itself. */
  baseUrl?: string;
  fetch: typeof fetch;
}

const WIRE = "openai-responses";
const PROVIDER = "OpenAI";
const IDS: IdRule = { strip: /[^A-Za-z0-9_-]/g, filler: "_", maxChars: 64 };

export function createOpenAiResponsesModel(options: OpenAiResponsesOptions): Model {
  const name = `openai:${options.model}`;
  return guardWire({
    name,
    provider: PROVIDER,
    apiKey: options.apiKey,
    fetch: options.fetch,
    errors: { api: APIError, timeout: APIConnectionTimeoutError },
    async *open(request, call) {
      const client = createOpenAiClient({ ...options, fetch: call.fetch });
      const stream = await client.responses.create(toResponsesBody(request, options.model), { signal: call.signal });
      yield* readResponsesStream(stream, {
        model: name,
        apiKey: options.apiKey,
        messagesBefore: request.messages.length,
      });
    },
  });
}

export function toResponsesBody(request: ModelRequest, model: string): ResponseCreateParamsStreaming {
  return {
    model,
    stream: true,
    store: false,
    // 400 "Encrypted content is not supported with this model." from those that do not reason.
    ...(/^(gpt-3|gpt-4|chatgpt-4)/.test(model) ? {} : { include: ["reasoning.encrypted_content" as const] }),
    prompt_cache_key: request.cacheKey,
    max_output_tokens: request.maxOutputTokens,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: "function" as const,
            name,
            description,
            parameters,
            // Strict schemas know no optional fields.
            strict: false,
          })),
          ...(request.toolChoice === "none" ? { tool_choice: "none" as const } : {}),
        }),
    ...(request.system ? { instructions: request.system } : {}),
    input: assignWireIds(request.messages, IDS).flatMap(toItems),
  };
}

function toItems(message: WireMessage): ResponseInputItem[] {
  if (message.role === "user") return [{ role: "user", content: [{ type: "input_text", text: message.text }] }];
  if (message.role === "tool") {
    return [{ type: "function_call_output", call_id: message.wireIds[0]!, output: message.text }];
  }
  const calls: ResponseFunctionToolCall[] = message.calls.map((call, index) => ({
    type: "function_call",
    call_id: message.wireIds[index]!,
    name: call.name,
    arguments: JSON.stringify(call.args),
  }));
  const items = message.native?.wire === WIRE ? (message.native.data as ResponseOutputItem[]) : [];
  // Calls may have been taken out of an answer after it was given; then its items tell another story.
  if (items.length === 0 || items.filter(isCall).length !== calls.length) {
    return [...(message.text ? [{ role: "assistant" as const, content: message.text }] : []), ...calls];
  }
  const next = calls.entries();
  return items.map((item) => {
    if (!isCall(item)) return item as ResponseInputItem;
    const [index, call] = next.next().value!;
    return { ...item, call_id: call.call_id, arguments: message.calls[index]!.malformed ? "{}" : item.arguments };
  });
}

function isCall(item: ResponseOutputItem): item is ResponseFunctionToolCall & ResponseOutputItem {
  return item.type === "function_call";
}

interface StreamFacts {
  model: string;
  apiKey: string;
  messagesBefore: number;
}

async function* readResponsesStream(
  stream: AsyncIterable<ResponseStreamEvent>,
  facts: StreamFacts,
): AsyncIterable<ModelEvent> {
  const items: ResponseOutputItem[] = [];
  for await (const event of stream) {
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        if (event.delta) yield { type: "text_delta", text: event.delta };
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        if (event.delta) yield { type: "reasoning_delta", text: event.delta };
        break;
      case "response.output_item.done":
        items[event.output_index] = event.item;
        break;
      case "response.completed":
      case "response.incomplete": {
        const done = items.filter((item) => item !== undefined);
        const output = done.length > 0 ? done : (event.response.output ?? []);
        return yield { type: "done", answer: toAnswer(output, event.response, facts) };
      }
      case "response.failed": {
        const reply = { ...readErrorBody(event.response.error), provider: PROVIDER };
        return yield { type: "failed", failure: failureOfReply(reply, [facts.apiKey]) };
      }
    }
  }
}

function toAnswer(items: ResponseOutputItem[], response: WireResponse, facts: StreamFacts): Answer {
  const raw = items.filter(isCall).map((item) => ({ id: item.call_id, name: item.name, arguments: item.arguments }));
  const calls = toToolCalls(raw, facts.messagesBefore);
  const contents = items.flatMap((item) => (item.type === "message" ? item.content : []));
  const reasoning = items.flatMap((item) =>
    item.type === "reasoning" ? [...item.summary, ...(item.content ?? [])].map((part) => part.text) : [],
  );
  return {
    text: contents.map((part) => (part.type === "refusal" ? part.refusal : part.text)).join(""),
    ...(reasoning.length > 0 ? { reasoning: reasoning.join("\n\n") } : {}),
    calls,
    stop: toStop(
      response,
      contents.some((part) => part.type === "refusal"),
      calls.length > 0,
    ),
    usage: toUsage(response.usage),
    model: facts.model,
    ...(isReplayable(items) ? { native: { wire: WIRE, data: items } } : {}),
  };
}

/**
 * Nothing is kept on the other side, so a reasoning item is known again only by its encrypted content; and it is refused
 * when what it led to does not follow.
 */
function isReplayable(items: ResponseOutputItem[]): boolean {
  const known = items.every(
    (item) =>
      item.type === "message" ||
      item.type === "function_call" ||
      (item.type === "reasoning" && !!item.encrypted_content),
  );
  const whole = items.every((item) => !("status" in item) || item.status === undefined || item.status === "completed");
  return known && whole && items.length > 0 && items.at(-1)?.type !== "reasoning";
}

function toStop(response: WireResponse, refused: boolean, hasCalls: boolean): StopReason {
  const reason = response.incomplete_details?.reason;
  if (refused || reason === "content_filter") return "refusal";
  if (response.status === "incomplete" || reason) return "length";
  return hasCalls ? "tools" : "end";
}

function toUsage(usage: ResponseUsage | undefined): Usage {
  if (!usage) return NO_USAGE;
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0;
  const cacheWrite = usage.input_tokens_details?.cache_write_tokens ?? 0;
  const input = Math.max(0, usage.input_tokens - cacheRead - cacheWrite);
  return { input, output: usage.output_tokens, cacheRead, cacheWrite };
}
