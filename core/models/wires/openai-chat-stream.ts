// Reads a stream of Chat Completions chunks from OpenAI and compatible servers. Called by openai-chat.ts. Deviations of servers are
// handled here, so that no other file needs to know them.
import { isObject } from "../../unknown-object.ts";
import * as z from "zod";
import type { ModelEvent } from "../../agent/contract.ts";
import { type Answer, type Cost, type JsonObject, type StopReason, type Usage } from "../../schemas/entry.ts";
import { createModelFailure } from "../failures/failures.ts";
import { type SortedDelta, createThoughtFilter } from "./inline-thoughts.ts";
import { toReportedCost } from "../prices.ts";
import { type OpenCall, type EmitEvent, usageByLength } from "../stream/stream-guard.ts";
import { assertCallCount, grow } from "../stream/storable-answer.ts";
import { type RawCall, asText, parseArguments, toArgumentText, toToolCalls } from "./wire-calls.ts";

export const WIRE = "openai-chat";

/** Data that a server of this wire wants back with the next request. */
export interface ChatNative {
  /** The provider that sent it, by its name in failures. */
  server?: string;
  /** Fields to add to the assistant message. */
  reasoning?: { reasoning_content?: string; reasoning_details?: JsonObject[] };
  /** `extra_content` of each call, in order. */
  extras?: (JsonObject | null)[];
}

// Lenient field by field: a wrong type in one field does not spoil the others. A stream has thousands of deltas, so their fields
// are read by hand. Schemas read data that comes once or is nested.
const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);
const ChatUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(undefined),
  cost: count, // OpenRouter, in US dollars
  prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(undefined),
  prompt_cache_hit_tokens: count, // DeepSeek
  cached_tokens: count, // Moonshot
});
type ChatUsage = z.infer<typeof ChatUsage>;
const ContentParts = z.array(
  z.object({
    text,
    thinking: z.array(z.object({ text })).nullish().catch(undefined), // Mistral
  }),
);

interface StreamState {
  thoughts: ReturnType<typeof createThoughtFilter>;
  text: string;
  reasoning: string;
  refused: boolean;
  details: JsonObject[];
  calls: (RawCall & { index: number | null; extra: JsonObject | null })[];
  finish: string | null;
  usage: Usage | null;
  cost: Cost | undefined;
}

export interface ChatStreamFacts {
  /** The model's name for the answer. */
  model: string;
  provider: string;
  messagesBefore: number;
  /** The request body. Its length replaces the usage of a server that reports none. */
  body: unknown;
  charge(usage: Usage): void;
}

export function createChatReader(facts: ChatStreamFacts): Pick<OpenCall, "read" | "end"> {
  const read: StreamState = {
    thoughts: createThoughtFilter(),
    text: "",
    reasoning: "",
    refused: false,
    details: [],
    calls: [],
    finish: null,
    usage: null,
    cost: undefined,
  };
  return {
    // JSON that is not a chunk, such as a proxy's comment, has none of these fields.
    read(raw, say) {
      const chunk = asRecord(raw);
      const choice = Array.isArray(chunk?.choices) ? asRecord(chunk.choices[0]) : undefined;
      const delta = asRecord(choice?.delta);
      const counts = chunk?.usage ?? choice?.usage; // Moonshot puts it into the choice
      if (counts) readUsage(counts, read, facts);
      if (delta) readDelta(delta, read, say);
      read.finish = asText(choice?.finish_reason) || read.finish;
    },
    // Some servers leave out [DONE], but each sends a finish reason.
    end(say) {
      emit(read.thoughts.end(), read, say);
      if (read.finish !== null) say(toEnd(read, facts));
    },
  };
}

function readUsage(raw: unknown, read: StreamState, { charge }: ChatStreamFacts): void {
  const counts = ChatUsage.safeParse(raw).data;
  read.cost = toReportedCost(counts?.cost) ?? read.cost;
  const usage = counts && toUsage(counts);
  if (usage) charge((read.usage = usage));
}

function readDelta(delta: JsonObject, read: StreamState, say: EmitEvent): void {
  const parts = Array.isArray(delta.content) ? (ContentParts.safeParse(delta.content).data ?? []) : [];
  const thoughts = parts.flatMap((part) => part.thinking ?? []);
  const refusal = asText(delta.refusal);
  // `reasoning_content`: DeepSeek, llama.cpp, Moonshot, Z.ai; `reasoning`: OpenRouter, Ollama, Groq, vLLM.
  const reasoning = (asText(delta.reasoning_content) || asText(delta.reasoning)) + joinTexts(thoughts);
  if (refusal) read.refused = true;
  for (const detail of asRecords(delta.reasoning_details)) addDetail(read.details, detail); // OpenRouter
  for (const call of asRecords(delta.tool_calls)) addCall(read.calls, call);
  const content = asText(delta.content) + joinTexts(parts);
  const sorted = content ? read.thoughts.push(content) : { text: "", reasoning: "" };
  emit({ ...sorted, text: sorted.text + refusal, reasoning: reasoning + sorted.reasoning }, read, say);
}

function emit({ text, reasoning, retracts }: SortedDelta, read: StreamState, say: EmitEvent): void {
  if (retracts) {
    read.text = "";
    say({ type: "text_retract" });
  }
  read.reasoning = grow(read.reasoning, reasoning);
  read.text = grow(read.text, text);
  if (reasoning) say({ type: "reasoning_delta", text: reasoning });
  if (text) say({ type: "text_delta", text });
}

function asRecord(value: unknown): JsonObject | undefined {
  return isObject(value) ? (value as JsonObject) : undefined;
}

/** The objects in `value`, if it is a list. */
function asRecords(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => asRecord(item) !== undefined) : [];
}

function joinTexts(parts: { text?: string | null }[]): string {
  return parts.map((part) => part.text ?? "").join("");
}

/**
 * OpenAI numbers the calls and names each once. Other servers leave out the index or the id, or send every call whole with index
 * 0. There a new id begins a new call, and so does a name after a complete call.
 */
function addCall(calls: StreamState["calls"], delta: JsonObject): void {
  const index = Number.isFinite(delta.index) ? (delta.index as number) : null;
  const id = asText(delta.id);
  const fn = asRecord(delta.function);
  const name = asText(fn?.name);
  const args = toArgumentText(fn?.arguments ?? "");
  const known = index === null ? calls.at(-1) : calls.findLast((call) => call.index === index);
  if (known && repeatsCall(known, { id, name, args })) return;
  const isNew = !known || (name !== "" && beginsNext(known, { id, name, args, index }));
  const call = isNew ? { id: "", name: "", arguments: "", index, extra: null } : known;
  if (isNew) assertCallCount(calls.push(call));
  call.id ||= id;
  call.name ||= name;
  call.arguments = grow(call.arguments, args);
  call.extra = asRecord(delta.extra_content) ?? call.extra;
}

/** Some servers repeat the whole call at the end. */
function repeatsCall(call: RawCall, piece: { id: string; name: string; args: string }): boolean {
  if (piece.id === "" || piece.name === "" || piece.args === "") return false;
  return piece.id === call.id && piece.args === call.arguments;
}

/** Whether a delta with a name begins a new call, although its index is that of `call`. */
function beginsNext(call: RawCall, piece: { id: string; name: string; args: string; index: number | null }): boolean {
  if (piece.id !== "" && call.id !== "") return piece.id !== call.id;
  if (piece.index === null && piece.id === "") return true;
  if (call.name !== "" && piece.name !== call.name) return true;
  // The same tool again: more arguments after complete ones. An id that comes late belongs to the open call.
  return call.name !== "" && piece.args !== "" && isWhole(call.arguments);
}

function isWhole(args: string): boolean {
  return args.trim() !== "" && parseArguments(args).malformed === undefined;
}

const MAX_OPEN_DETAILS = 50;

/** OpenRouter cuts one detail into deltas that share an `index`. */
function addDetail(details: JsonObject[], delta: JsonObject): void {
  // Details come one after another, with few open at a time.
  const recent = details.slice(-MAX_OPEN_DETAILS);
  const whole = recent.findLast((detail) => detail.index === delta.index && detail.type === delta.type);
  if (!whole || delta.index === undefined) return void details.push({ ...delta });
  for (const [key, value] of Object.entries(delta)) {
    const grows = ["text", "summary", "data"].includes(key) && typeof value === "string";
    if (grows) whole[key] = grow(asText(whole[key]), value);
    else if (value !== null && key !== "__proto__") whole[key] = value;
  }
}

/** Some servers count reasoning only in `total_tokens`. It is billed as output, so the larger number counts. */
function toUsage(wire: ChatUsage): Usage | null {
  if (wire.prompt_tokens == null) return null;
  const prompt = wire.prompt_tokens;
  const cacheRead =
    wire.prompt_tokens_details?.cached_tokens ?? wire.prompt_cache_hit_tokens ?? wire.cached_tokens ?? 0;
  const cacheWrite = wire.prompt_tokens_details?.cache_write_tokens ?? 0;
  const output = Math.max(wire.completion_tokens ?? 0, (wire.total_tokens ?? 0) - prompt);
  const reasoning = wire.completion_tokens_details?.reasoning_tokens;
  return {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    ...(reasoning == null ? {} : { reasoning }),
  };
}

function toEnd(read: StreamState, facts: ChatStreamFacts): ModelEvent {
  // OpenRouter: "error"; Z.ai: "network_error"; DeepSeek: "insufficient_system_resource".
  if (read.finish === "error" || read.finish === "network_error") {
    return {
      type: "failed",
      failure: createModelFailure("server_error", facts.provider, `finish_reason ${read.finish}`),
    };
  }
  if (read.finish === "insufficient_system_resource") {
    return {
      type: "failed",
      failure: createModelFailure("overloaded", facts.provider, `finish_reason ${read.finish}`),
    };
  }
  const calls = toToolCalls(read.calls, facts.messagesBefore);
  const native = toNative(read, facts.provider);
  const answer: Answer = {
    text: read.text,
    ...(read.reasoning ? { reasoning: read.reasoning } : {}),
    calls,
    stop: toStop(read, calls.length > 0),
    ...(/context_window/i.test(read.finish ?? "") && { cutBy: "window" as const }),
    usage: read.usage ?? estimateUsage(facts.body, read),
    ...(read.cost ? { cost: read.cost } : {}),
    model: facts.model,
    ...(native ? { native: { wire: WIRE, data: native } } : {}),
  };
  return { type: "done", answer };
}

function toNative(read: StreamState, server: string): ChatNative | null {
  const extras = read.calls.map((call) => call.extra);
  const native: ChatNative = {};
  if (read.details.length > 0) native.reasoning = { reasoning_details: read.details };
  else if (read.reasoning) native.reasoning = { reasoning_content: read.reasoning };
  if (extras.some((extra) => extra !== null)) native.extras = extras;
  return Object.keys(native).length > 0 ? { server, ...native } : null;
}

/** OpenAI: "length"; Mistral: "model_length"; Z.ai: "model_context_window_exceeded"; gateways pass on other providers' words. */
const CUT = /length|max_tokens|context_window|pause_turn/i;
/** OpenAI: "content_filter"; Z.ai: "sensitive"; Google, through some gateways: "SAFETY", "RECITATION" … */
const FILTERED = /content_?filter|refus|sensitive|safety|recitation|prohibited|blocklist|guardrail/i;

function toStop(read: StreamState, hasCalls: boolean): StopReason {
  const finish = read.finish ?? "";
  if (read.refused || FILTERED.test(finish)) return "refusal";
  if (CUT.test(finish)) return "length";
  return hasCalls ? "tools" : "end";
}

function estimateUsage(body: unknown, read: StreamState): Usage {
  return usageByLength(body, read.text.length + read.reasoning.length + JSON.stringify(read.calls).length);
}
