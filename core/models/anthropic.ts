// Anthropic's Messages API over its SDK. Translates a request and its stream; promises and failures are stream-guard.ts's.
// Retries are the loop's, so the SDK makes none; the environment is never read for a key or an address.
import Anthropic, { APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import type {
  ContentBlock,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageDeltaUsage,
  RawMessageStreamEvent,
  StopReason as WireStop,
  ToolUseBlock,
  Usage as WireUsage,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Model, ModelEvent, ModelRequest } from "../agent/contract.ts";
import { type Answer, NO_USAGE, type StopReason, type Usage } from "../schemas/entry.ts";
import { guardWire } from "./stream-guard.ts";
import { type IdRule, type WireMessage, assignWireIds, toToolCalls } from "./wire-calls.ts";

export interface AnthropicOptions {
  apiKey: string;
  /** The provider's id of the model. */
  model: string;
  /** Default: Anthropic itself. */
  baseUrl?: string;
  fetch: typeof fetch;
}

const WIRE = "anthropic";
const IDS: IdRule = { strip: /[^A-Za-z0-9_-]/g, filler: "_", maxChars: 64 };
const CACHED = { type: "ephemeral" } as const;

export function createAnthropicModel(options: AnthropicOptions): Model {
  const name = `anthropic:${options.model}`;
  return guardWire({
    name,
    provider: "Anthropic",
    apiKey: options.apiKey,
    fetch: options.fetch,
    errors: { api: APIError, timeout: APIConnectionTimeoutError },
    async *open(request, call) {
      const client = new Anthropic({
        apiKey: options.apiKey,
        baseURL: options.baseUrl ?? "https://api.anthropic.com",
        fetch: call.fetch,
        maxRetries: 0,
        logLevel: "off",
        openTelemetry: false,
      });
      const body = toAnthropicBody(request, options.model);
      const stream = await client.messages.create(body, { signal: call.signal });
      yield* readAnthropicStream(stream, name, request.messages.length);
    },
  });
}

/**
 * Cache breakpoints: the last tool, the system prompt, and the last two user messages. The last message of a call is always
 * a user's, so the breakpoint before the last stands exactly where the call before ended, and all of it is read again.
 */
export function toAnthropicBody(request: ModelRequest, model: string): MessageCreateParamsStreaming {
  const messages = toMessages(assignWireIds(request.messages, IDS));
  const marked = messages.filter((message) => message.role === "user").slice(-2);
  return {
    model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool, index) => ({
            name: tool.name,
            description: tool.description,
            input_schema: { ...tool.parameters, type: "object" as const },
            ...(index === request.tools.length - 1 ? { cache_control: CACHED } : {}),
          })),
          ...(request.toolChoice === "none" ? { tool_choice: { type: "none" as const } } : {}),
        }),
    ...(request.system.trim() ? { system: [{ type: "text", text: request.system, cache_control: CACHED }] } : {}),
    messages: messages.map((message) => (marked.includes(message) ? markLast(message) : message)),
  };
}

interface WireTurn {
  role: "user" | "assistant";
  content: ContentBlockParam[];
}

/** Tool results that follow each other answer one assistant message, so they are one message. */
function toMessages(messages: WireMessage[]): WireTurn[] {
  const params: WireTurn[] = [];
  let results: ContentBlockParam[] | null = null;
  for (const message of messages) {
    if (message.role === "tool") {
      if (!results) params.push({ role: "user", content: (results = []) });
      results.push({
        type: "tool_result",
        tool_use_id: message.wireIds[0]!,
        ...(message.text.trim() ? { content: message.text } : {}),
        ...(message.failed ? { is_error: true } : {}),
      });
      continue;
    }
    results = null;
    const content =
      message.role === "user"
        ? toText(message.text.trim() ? message.text : "(an empty message)")
        : toAssistantBlocks(message);
    if (content.length > 0) params.push({ role: message.role, content });
  }
  return params;
}

/** Text without a visible character is refused with 400. */
function toText(text: string): ContentBlockParam[] {
  return text.trim() ? [{ type: "text", text }] : [];
}

function toAssistantBlocks(message: Extract<WireMessage, { role: "assistant" }>): ContentBlockParam[] {
  const uses = message.calls.map((call, index) => ({
    type: "tool_use" as const,
    id: message.wireIds[index]!,
    name: call.name,
    input: call.args,
  }));
  const blocks = message.native?.wire === WIRE ? (message.native.data as ContentBlock[]) : [];
  // Calls may have been taken out of an answer after it was given; then its blocks tell another story.
  if (blocks.length === 0 || blocks.filter(isToolUse).length !== uses.length) return [...toText(message.text), ...uses];
  const next = uses.values();
  return blocks.map((block) => (isToolUse(block) ? next.next().value! : (block as ContentBlockParam)));
}

function isToolUse(block: ContentBlock): block is ToolUseBlock {
  return block.type === "tool_use";
}

/** User messages hold only text and results, and both can carry a breakpoint. */
function markLast({ role, content }: WireTurn): WireTurn {
  const last = { ...content.at(-1), cache_control: CACHED } as ContentBlockParam;
  return { role, content: [...content.slice(0, -1), last] };
}

async function* readAnthropicStream(
  stream: AsyncIterable<RawMessageStreamEvent>,
  model: string,
  messagesBefore: number,
): AsyncIterable<ModelEvent> {
  const blocks: ContentBlock[] = [];
  const inputs: string[] = [];
  let usage = NO_USAGE;
  let stop: WireStop | null = null;
  for await (const event of stream) {
    if (event.type === "message_start") usage = addCounts(usage, event.message.usage);
    else if (event.type === "content_block_start") {
      blocks[event.index] = { ...event.content_block };
      inputs[event.index] = "";
    } else if (event.type === "content_block_delta") {
      const block = blocks[event.index];
      const { delta } = event;
      if (delta.type === "text_delta" && block?.type === "text") {
        block.text += delta.text;
        yield { type: "text_delta", text: delta.text };
      } else if (delta.type === "thinking_delta" && block?.type === "thinking") {
        block.thinking += delta.thinking;
        yield { type: "reasoning_delta", text: delta.thinking };
      } else if (delta.type === "signature_delta" && block?.type === "thinking") block.signature = delta.signature;
      else if (delta.type === "input_json_delta") inputs[event.index] += delta.partial_json;
    } else if (event.type === "message_delta") {
      usage = addCounts(usage, event.usage);
      stop = event.delta.stop_reason;
    } else if (event.type === "message_stop") {
      return yield { type: "done", answer: toAnswer({ blocks, inputs, stop, usage, model, messagesBefore }) };
    }
  }
}

/** The counts of `message_delta` are running totals, not differences; a field it leaves out stays. */
function addCounts(usage: Usage, wire: WireUsage | MessageDeltaUsage | undefined): Usage {
  return {
    input: wire?.input_tokens ?? usage.input,
    output: wire?.output_tokens ?? usage.output,
    cacheRead: wire?.cache_read_input_tokens ?? usage.cacheRead,
    cacheWrite: wire?.cache_creation_input_tokens ?? usage.cacheWrite,
  };
}

function toAnswer(read: {
  blocks: ContentBlock[];
  inputs: string[];
  stop: WireStop | null;
  usage: Usage;
  model: string;
  messagesBefore: number;
}): Answer {
  const whole = read.blocks.flatMap((block, index) => (block ? [{ block, input: read.inputs[index] ?? "" }] : []));
  // Servers that speak this wire for other models send the whole input with the start of the block.
  const raw = whole.flatMap(({ block, input }) =>
    isToolUse(block) ? [{ id: block.id, name: block.name, arguments: input || JSON.stringify(block.input ?? {}) }] : [],
  );
  const calls = toToolCalls(raw, read.messagesBefore);
  const args = calls.values();
  const native = whole
    .map(({ block }) => (isToolUse(block) ? { ...block, input: args.next().value!.args } : block))
    .filter((block) => block.type !== "text" || block.text.trim() !== "");
  const join = (pieces: string[]) => pieces.join("");
  const reasoning = join(whole.map(({ block }) => (block.type === "thinking" ? block.thinking : "")));
  return {
    text: join(whole.map(({ block }) => (block.type === "text" ? block.text : ""))),
    ...(reasoning ? { reasoning } : {}),
    calls,
    stop: toStop(read.stop, calls.length > 0),
    usage: read.usage,
    model: read.model,
    ...(isReplayable(native) ? { native: { wire: WIRE, data: native } } : {}),
  };
}

/** Thinking is accepted again only with its signature, and never as the end of a message. */
function isReplayable(blocks: ContentBlock[]): boolean {
  const signed = blocks.every((block) => block.type !== "thinking" || block.signature !== "");
  const last = blocks.at(-1);
  return signed && last !== undefined && last.type !== "thinking" && last.type !== "redacted_thinking";
}

function toStop(stop: WireStop | null, hasCalls: boolean): StopReason {
  if (stop === "max_tokens" || stop === "model_context_window_exceeded") return "length";
  if (stop === "refusal") return "refusal";
  return hasCalls ? "tools" : "end";
}
