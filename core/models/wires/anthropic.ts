// Anthropic's Messages API. Translates a request and its stream; stream-guard.ts enforces the contract and makes failures.
// Created by routing.ts. Never retries, which the loop does, and never reads a key or an address from the environment.
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type {
  ContentBlock,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  StopReason as WireStop,
  ToolUseBlock,
  Usage as WireUsage,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message, Model, ModelRequest } from "../../agent/contract.ts";
import type { Clock, Fetch } from "../../ports.ts";
import { type Answer, NO_USAGE, type StopReason, type Usage } from "../../schemas/entry.ts";
import type { Effort } from "../../schemas/settings.ts";
import { type ModelFacts, lookUpFacts } from "../catalog.ts";
import { chooseEffort, supportedEfforts } from "../effort.ts";
import { anthropicImageTokens } from "../../images/image-tokens.ts";
import { isOwnServer } from "../own-server.ts";
import { type ImageSlots, createImageSlots } from "./image-slots.ts";
import { sendBuilt } from "./sdk-request.ts";
import { type Wish, forcedChoice, sendWithWishes, wishFor } from "./wishes.ts";
import { type OpenCall, type EmitEvent, guardWire } from "../stream/stream-guard.ts";
import { assertCallCount, grow } from "../stream/storable-answer.ts";
import { type IdRule, type WireMessage, asText, assignWireIds, toArgumentText, toToolCalls } from "./wire-calls.ts";

export interface AnthropicOptions {
  apiKey: string;
  /** The provider's id of the model. */
  model: string;
  /** Default: Anthropic itself. */
  baseUrl?: string;
  fetch: Fetch;
  clock: Clock;
  /** Default: what the catalog knows. */
  facts?: ModelFacts;
}

const WIRE = "anthropic";
const IDS: IdRule = { strip: /[^A-Za-z0-9_-]/g, filler: "_", maxChars: 64 };
const REPLAYED: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
/** `none` disables thinking. The API has no `minimal`. */
const LEVELS: readonly Effort[] = ["none", "low", "medium", "high", "xhigh", "max"];
const CACHED = { type: "ephemeral" } as const;
/** Models before Opus 4.7, which read an image with at most 1,568 pixels a side. */
const SMALL_IMAGES = /^claude-(3|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8})?$)/;

export function createAnthropicModel(options: AnthropicOptions): Model {
  const name = `anthropic:${options.model}`;
  const facts = options.facts ?? lookUpFacts({ provider: "anthropic", id: options.model, name });
  let client: BaseAnthropic | undefined;
  return guardWire({
    name,
    facts,
    provider: "Anthropic",
    apiKey: options.apiKey,
    cachedAt: options.baseUrl ?? "anthropic",
    imageTokens: (size) => anthropicImageTokens(size, !SMALL_IMAGES.test(options.model)),
    clock: options.clock,
    isOwn: options.baseUrl !== undefined && isOwnServer(options.baseUrl),
    ...(options.baseUrl !== undefined && { server: options.baseUrl }),
    open(request, { signal, charge }) {
      client ??= createClient(options);
      const slots = createImageSlots(request);
      const body = toAnthropicBody(request, options.model, facts.efforts, slots);
      const to = client;
      const server = `${options.baseUrl} ${options.model}`;
      const response = sendWithWishes(server, body, listWishes(request, body), (accepted) =>
        sendBuilt(to, { path: "/v1/messages", body: accepted, slots, signal, fetch: options.fetch }),
      );
      return { response, read: createReader({ model: name, messagesBefore: request.messages.length, charge }) };
    },
  });
}

function createClient(options: AnthropicOptions): BaseAnthropic {
  return new BaseAnthropic({
    apiKey: options.apiKey,
    baseURL: options.baseUrl ?? "https://api.anthropic.com",
    logLevel: "off",
    openTelemetry: false,
  });
}

/**
 * Cache breakpoints: the last tool, the system prompt, and the ends of the last two runs of user messages. Every call ends with
 * such a run. So the second-to-last breakpoint is where the previous call ended, and that whole prompt is a cache hit.
 * `efforts`: the levels that the model takes; absent: unknown.
 */
export function toAnthropicBody(
  request: ModelRequest,
  model: string,
  efforts?: readonly Effort[],
  slots = createImageSlots(request),
): MessageCreateParamsStreaming {
  const messages = toMessages(assignWireIds(request.messages, IDS), slots);
  const effort = chooseEffort(request.effort, supportedEfforts(LEVELS, efforts));
  const thinking = toThinking(effort, model, request.maxOutputTokens);
  const accepted = toAcceptedThinking(thinking, request.messages, efforts);
  // The API refuses to force a call while the model thinks.
  const thought = forcedChoice(request) ? toUnthinking(accepted, efforts) : accepted;
  const marked = messages.filter(({ role }, n) => role === "user" && messages[n + 1]?.role !== "user").slice(-2);
  return {
    model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...thought,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool, index) => ({
            name: tool.name,
            description: tool.description,
            input_schema: { ...tool.parameters, type: "object" as const },
            ...(index === request.tools.length - 1 ? { cache_control: CACHED } : {}),
          })),
          ...toToolChoice(request),
        }),
    ...toWished(request, thought),
    ...(request.system.trim() ? { system: [{ type: "text", text: request.system, cache_control: CACHED }] } : {}),
    messages: messages.map((message) => (marked.includes(message) ? markLast(message) : message)),
  };
}

function toToolChoice(request: ModelRequest): Pick<MessageCreateParamsStreaming, "tool_choice"> {
  const forced = forcedChoice(request);
  if (forced === "required") return { tool_choice: { type: "any" } };
  if (forced) return { tool_choice: { type: "tool", name: forced.name } };
  return request.toolChoice === "none" ? { tool_choice: { type: "none" } } : {};
}

/**
 * What a client wishes. Nothing for other requests. The API has no form for any JSON object. It refuses sampling while the model thinks,
 * and temperatures above 1.
 */
function toWished(
  { format, sampling = {} }: ModelRequest,
  { thinking, output_config }: Thinking,
): Partial<MessageCreateParamsStreaming> {
  const { temperature, topP, stop } = sampling;
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  return {
    ...(format?.type === "json_schema" && {
      output_config: { ...output_config, format: { type: format.type, schema: format.schema } },
    }),
    ...(temperature !== undefined && !thinks && { temperature: Math.min(1, temperature) }),
    ...(topP !== undefined && temperature === undefined && !thinks && { top_p: topP }),
    // The API refuses stop sequences of white space alone.
    ...(stop?.some((one) => one.trim() !== "") && { stop_sequences: stop.filter((one) => one.trim() !== "") }),
  };
}

function listWishes(request: ModelRequest, body: MessageCreateParamsStreaming) {
  if (!request.format && !request.sampling && !forcedChoice(request)) return [];
  const format: Wish<MessageCreateParamsStreaming> | null = body.output_config?.format
    ? {
        ...{ field: "output_config.format", value: body.output_config.format },
        named: /\boutput_config\b|\boutput_format\b|structured output/i,
        drop({ output_config, ...others }) {
          const { format: _, ...rest } = output_config ?? {};
          return Object.keys(rest).length > 0 ? { ...others, output_config: rest } : others;
        },
      }
    : null;
  const fields = ["temperature", "top_p", "stop_sequences", ...(forcedChoice(request) ? ["tool_choice"] : [])];
  return [format, ...fields.map((field) => wishFor(body, field))];
}

/** Models that need a thinking budget in tokens. Later models take an effort and decide by themselves how long to think. */
const BUDGETED = /^claude-(3|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)/;
const BUDGET_SHARES = { low: 0.1, medium: 0.25, high: 0.5, xhigh: 0.5, max: 0.5 } as const;
const MIN_BUDGET_TOKENS = 1_024;

/** `summarized`: by default newer models send thinking blocks without text. */
function toThinking(
  effort: Effort | undefined,
  model: string,
  maxOutputTokens: number,
): Pick<MessageCreateParamsStreaming, "thinking" | "output_config"> {
  if (effort === undefined) return {};
  if (effort === "none" || effort === "minimal") return { thinking: { type: "disabled" } };
  if (!BUDGETED.test(model)) {
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } };
  }
  const budget_tokens = Math.max(MIN_BUDGET_TOKENS, Math.floor(maxOutputTokens * BUDGET_SHARES[effort]));
  return budget_tokens < maxOutputTokens ? { thinking: { type: "enabled", budget_tokens } } : {};
}

type Thinking = ReturnType<typeof toThinking>;

/**
 * With thinking enabled, an answer whose calls were just run must begin with its thinking: 400 "Expected `thinking` or
 * `redacted_thinking`, but found `tool_use`". Answers of another model in this turn have none, nor have answers whose thinking
 * was refused. Then thinking is disabled for the rest of the turn. If the model always thinks, the field is left out.
 */
function toAcceptedThinking(thinking: Thinking, messages: Message[], efforts?: readonly Effort[]): Thinking {
  const { thinking: rule, ...rest } = thinking;
  if (rule === undefined || rule.type === "disabled") return thinking;
  if (!openCalls(messages).some((message) => lacksThinking(message, rule.type === "adaptive"))) return thinking;
  return !efforts || efforts.includes("none") ? { thinking: { type: "disabled" } } : rest;
}

/** Without thinking, where the model can do without. */
function toUnthinking(thinking: Thinking, efforts?: readonly Effort[]): Thinking {
  if (thinking.thinking === undefined || thinking.thinking.type === "disabled") return thinking;
  return !efforts || efforts.includes("none") ? { thinking: { type: "disabled" } } : thinking;
}

type UserMessage = Extract<Message, { role: "user" }>;
type AssistantMessage = Extract<Message, { role: "assistant" }>;

/** Answers with calls since the last input. A user message after results shares a message with them and is not a new input. */
function openCalls(messages: Message[]): AssistantMessage[] {
  const followsResults = (n: number): boolean =>
    messages[n - 1]?.role === "tool" || (messages[n - 1]?.role === "user" && followsResults(n - 1));
  const asked = messages.findLastIndex(({ role }, n) => role === "user" && !followsResults(n));
  return messages
    .slice(asked + 1)
    .filter((message): message is AssistantMessage => message.role === "assistant" && message.calls.length > 0);
}

/** With adaptive thinking a model accepts its own answers, even those without thinking. */
function lacksThinking({ native }: AssistantMessage, isAdaptive: boolean): boolean {
  const blocks = native?.wire === WIRE ? (native.data as ContentBlock[]) : [];
  const begins = blocks[0]?.type === "thinking" || blocks[0]?.type === "redacted_thinking";
  return !begins && (!isAdaptive || blocks.length === 0);
}

interface WireTurn {
  role: "user" | "assistant";
  content: ContentBlockParam[];
}

/** Consecutive tool results answer one assistant message, so they become one message. */
function toMessages(messages: WireMessage[], slots: ImageSlots): WireTurn[] {
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
    const content = message.role === "user" ? toUserBlocks(message, slots) : toAssistantBlocks(message);
    if (content.length > 0) params.push({ role: message.role, content });
  }
  return params;
}

/** Images come before the text, as Anthropic advises. */
function toUserBlocks({ text, images = [] }: UserMessage, slots: ImageSlots): ContentBlockParam[] {
  if (images.length === 0) return toText(text.trim() ? text : "(an empty message)");
  const blocks = images.map((image) => ({
    type: "image" as const,
    source: { type: "base64" as const, media_type: image.type, data: slots.place(image) },
  }));
  return [...blocks, ...toText(text)];
}

/** The API refuses text without a visible character with 400. */
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
  // Calls may have been removed from a stored answer. Then its native blocks no longer match it.
  if (blocks.length === 0 || blocks.filter(isToolUse).length !== uses.length) return [...toText(message.text), ...uses];
  const next = uses.values();
  return blocks.map((block) => (isToolUse(block) ? next.next().value! : (block as ContentBlockParam)));
}

function isToolUse(block: ContentBlock): block is ToolUseBlock {
  return block.type === "tool_use";
}

/** User messages hold text, images and tool results; all can carry a breakpoint. */
function markLast({ role, content }: WireTurn): WireTurn {
  const last = { ...content.at(-1), cache_control: CACHED } as ContentBlockParam;
  return { role, content: [...content.slice(0, -1), last] };
}

interface StreamFacts {
  model: string;
  messagesBefore: number;
  charge(usage: Usage): void;
}

function createReader({ model, messagesBefore, charge }: StreamFacts): OpenCall["read"] {
  // By the provider's index, in order of arrival. A map, because no array may be sized by a number from a wire.
  const blocks = new Map<number, OpenBlock>();
  let calls = 0;
  let usage = NO_USAGE;
  let stop: WireStop | null = null;
  return (raw, say) => {
    const event = raw as RawMessageStreamEvent;
    if (event.type === "message_start") charge((usage = toUsage(usage, event.message?.usage)));
    else if (event.type === "content_block_start") {
      const open = { block: toBlock(event.content_block), input: "" };
      blocks.set(event.index, open);
      if (isToolUse(open.block)) assertCallCount(++calls);
      if (open.block.type === "text") sayDelta("text_delta", open.block.text, say);
      if (open.block.type === "thinking") sayDelta("reasoning_delta", open.block.thinking, say);
    } else if (event.type === "content_block_delta") {
      // Deltas without a started block are ignored.
      const open = blocks.get(event.index);
      if (open && event.delta) readDelta(open, event.delta, say);
    } else if (event.type === "message_delta") {
      charge((usage = toUsage(usage, event.usage)));
      stop = event.delta?.stop_reason ?? stop;
    } else if (event.type === "message_stop") {
      const open = [...blocks.values()];
      say({ type: "done", answer: toAnswer({ blocks: open, stop, usage, model, messagesBefore }) });
    }
  };
}

interface OpenBlock {
  block: ContentBlock;
  /** The arguments of a call so far. */
  input: string;
}

/** Compatible servers may leave out a field, or send another type in it. */
function toBlock(block: ContentBlock): ContentBlock {
  if (block.type === "text") return { ...block, text: asText(block.text) };
  if (block.type === "thinking") {
    return { ...block, thinking: asText(block.thinking), signature: asText(block.signature) };
  }
  return isToolUse(block) ? { ...block, id: asText(block.id), name: asText(block.name) } : { ...block };
}

function readDelta(open: OpenBlock, delta: RawContentBlockDelta, say: EmitEvent): void {
  const { block } = open;
  if (delta.type === "text_delta" && block.type === "text") {
    block.text = grow(block.text, asText(delta.text));
    sayDelta("text_delta", asText(delta.text), say);
  } else if (delta.type === "thinking_delta" && block.type === "thinking") {
    block.thinking = grow(block.thinking, asText(delta.thinking));
    sayDelta("reasoning_delta", asText(delta.thinking), say);
  } else if (delta.type === "signature_delta" && block.type === "thinking") block.signature = asText(delta.signature);
  else if (delta.type === "input_json_delta") open.input = grow(open.input, asText(delta.partial_json));
}

function sayDelta(type: "text_delta" | "reasoning_delta", text: string, say: EmitEvent): void {
  if (text) say({ type, text });
}

/** The counts of `message_delta` are running totals, not differences. A field that it leaves out keeps its value. */
function toUsage(usage: Usage, wire: WireUsage | MessageDeltaUsage | undefined): Usage {
  const reasoning = wire?.output_tokens_details?.thinking_tokens ?? usage.reasoning;
  return {
    input: wire?.input_tokens ?? usage.input,
    output: wire?.output_tokens ?? usage.output,
    cacheRead: wire?.cache_read_input_tokens ?? usage.cacheRead,
    cacheWrite: wire?.cache_creation_input_tokens ?? usage.cacheWrite,
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function toAnswer(read: {
  blocks: OpenBlock[];
  stop: WireStop | null;
  usage: Usage;
  model: string;
  messagesBefore: number;
}): Answer {
  const whole = read.blocks;
  // Compatible servers may send the whole input with the start of the block.
  const raw = whole.flatMap(({ block, input }) =>
    isToolUse(block) ? [{ id: block.id, name: block.name, arguments: input || toArgumentText(block.input) }] : [],
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
    ...toCut(read.stop, calls.length > 0),
    usage: read.usage,
    model: read.model,
    ...(isReplayable(native) ? { native: { wire: WIRE, data: native } } : {}),
  };
}

/**
 * Whether the API accepts these blocks back. It takes thinking only with its signature, and never at the end of a message. Unknown
 * blocks may be refused, so an answer with one is not replayed.
 */
function isReplayable(blocks: ContentBlock[]): boolean {
  if (!blocks.every((block) => REPLAYED.has(block.type))) return false;
  const signed = blocks.every((block) => block.type !== "thinking" || block.signature !== "");
  const last = blocks.at(-1);
  return signed && last !== undefined && last.type !== "thinking" && last.type !== "redacted_thinking";
}

function toStop(stop: WireStop | null, hasCalls: boolean): StopReason {
  if (stop === "max_tokens" || stop === "model_context_window_exceeded") return "length";
  if (stop === "refusal") return "refusal";
  // `pause_turn` belongs to server tools, which are never sent. The answer would continue, so it is incomplete.
  if (stop === "pause_turn" && !hasCalls) return "length";
  return hasCalls ? "tools" : "end";
}

function toCut(stop: WireStop | null, hasCalls: boolean): Pick<Answer, "cutBy"> {
  if (stop === "model_context_window_exceeded") return { cutBy: "window" };
  return stop === "pause_turn" && !hasCalls ? { cutBy: "pause" } : {};
}
