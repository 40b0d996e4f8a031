// Chat Completions over OpenAI's SDK: the wire of every compatible server. Translates a request; openai-chat-stream.ts reads
// what comes back; promises and failures are stream-guard.ts's. Differences between servers are openai-compat.ts's.
import { APIConnectionTimeoutError, APIError } from "openai";
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions/completions";
import type { Model, ModelRequest } from "../agent/contract.ts";
import { type ChatNative, WIRE, readChatStream } from "./openai-chat-stream.ts";
import { OPENAI_URL, createOpenAiClient } from "./openai-client.ts";
import { type Compat, compatOf } from "./openai-compat.ts";
import { guardWire } from "./stream-guard.ts";
import { type WireMessage, assignWireIds } from "./wire-calls.ts";

export interface OpenAiChatOptions {
  /** Servers on one's own machine take any. */
  apiKey: string;
  model: string;
  /** Up to and without `/chat/completions`. Default: OpenAI itself. */
  baseUrl?: string;
  fetch: typeof fetch;
}

export function createOpenAiChatModel(options: OpenAiChatOptions): Model {
  const name = `openai-chat:${options.model}`;
  const compat = compatOf(options.baseUrl ?? OPENAI_URL);
  return guardWire({
    name,
    provider: compat.provider,
    apiKey: options.apiKey,
    fetch: options.fetch,
    errors: { api: APIError, timeout: APIConnectionTimeoutError },
    async *open(request, call) {
      const client = createOpenAiClient({ ...options, fetch: call.fetch });
      const body = toChatBody(request, options.model, compat);
      const stream = await client.chat.completions.create(body, { signal: call.signal });
      yield* readChatStream(stream, {
        model: name,
        provider: compat.provider,
        messagesBefore: request.messages.length,
        body,
      });
    },
  });
}

export function toChatBody(request: ModelRequest, model: string, compat: Compat): ChatCompletionCreateParamsStreaming {
  const messages = assignWireIds(request.messages, compat.ids).flatMap((message) => toMessage(message, compat));
  const system: ChatCompletionMessageParam[] = request.system ? [{ role: "system", content: request.system }] : [];
  return {
    model,
    stream: true,
    ...(compat.asksUsage ? { stream_options: { include_usage: true } } : {}),
    [compat.maxTokensField]: request.maxOutputTokens,
    ...(compat.takesCacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: "function" as const,
            function: { name, description, parameters },
          })),
          ...(request.toolChoice === "none" ? { tool_choice: "none" as const } : {}),
        }),
    messages: [...system, ...messages],
  };
}

function toMessage(message: WireMessage, compat: Compat): ChatCompletionMessageParam[] {
  if (message.role === "user") return [{ role: "user", content: message.text }];
  if (message.role === "tool") return [{ role: "tool", tool_call_id: message.wireIds[0]!, content: message.text }];
  if (!message.text && message.calls.length === 0) return [];

  const native = message.native?.wire === WIRE ? (message.native.data as ChatNative) : {};
  const { extras = [] } = native;
  const tool_calls: ChatCompletionMessageFunctionToolCall[] = message.calls.map((call, index) => ({
    id: message.wireIds[index]!,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
    // Google refuses a call that comes back without the signature it was sent with.
    ...(extras.length === message.calls.length && extras[index] ? { extra_content: extras[index] } : {}),
  }));
  return [
    {
      role: "assistant",
      content: message.text || null,
      ...(compat.echoesReasoning ? native.reasoning : {}),
      ...(tool_calls.length > 0 ? { tool_calls } : {}),
    },
  ];
}
