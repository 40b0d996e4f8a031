// Reads a stream of Chat Completions chunks, as OpenAI and those who imitate it send them. Called by openai-chat.ts. What a
// server leaves out or does its own way is settled here; nothing of it goes further.
import * as z from "zod";
import type { ModelEvent } from "../agent/contract.ts";
import { type Answer, JsonObject, NO_USAGE, type StopReason, type Usage } from "../schemas/entry.ts";
import { modelFailure } from "./failures.ts";
import { type RawCall, toToolCalls } from "./wire-calls.ts";

export const WIRE = "openai-chat";

/** What this wire's servers want to see again. */
export interface ChatNative {
  /** Fields of the assistant message, as they are to be sent. */
  reasoning?: { reasoning_content?: string; reasoning_details?: JsonObject[] };
  /** `extra_content` of each call, in order. */
  extras?: (JsonObject | null)[];
}

// Loose, and forgiving field by field: an imitation that sends a wrong type in one field is still understood in the others.
const text = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);
const ChatUsage = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(undefined),
    prompt_cache_hit_tokens: count, // DeepSeek
    cached_tokens: count, // Moonshot
  })
  .nullish()
  .catch(undefined);
const CallDelta = z.object({
  index: count,
  id: text,
  function: z.object({ name: text, arguments: z.union([z.string(), JsonObject]).nullish() }).nullish(),
  extra_content: JsonObject.nullish().catch(undefined),
});
const ContentPart = z.object({
  type: z.string(),
  text,
  thinking: z.array(z.object({ text })).nullish().catch(undefined), // Mistral
});
const ChatChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z
              .union([z.string(), z.array(ContentPart)])
              .nullish()
              .catch(undefined),
            refusal: text,
            reasoning_content: text, // DeepSeek, llama.cpp, Moonshot, Z.ai
            reasoning: text, // OpenRouter, Ollama, Groq, vLLM
            reasoning_details: z.array(JsonObject).nullish().catch(undefined), // OpenRouter
            tool_calls: z.array(CallDelta).nullish().catch(undefined),
          })
          .nullish(),
        finish_reason: text,
        usage: ChatUsage, // Moonshot
      }),
    )
    .nullish(),
  usage: ChatUsage,
});
type ChatChunk = z.infer<typeof ChatChunk>;
type Delta = NonNullable<NonNullable<ChatChunk["choices"]>[number]["delta"]>;

interface Read {
  text: string;
  reasoning: string;
  refused: boolean;
  details: JsonObject[];
  calls: (RawCall & { index: number | null; extra: JsonObject | null })[];
  finish: string | null;
  usage: Usage | null;
}

export interface ChatStreamFacts {
  /** As it is recorded with the answer. */
  model: string;
  provider: string;
  messagesBefore: number;
  /** What was asked: its length stands in for the usage of a server that counts nothing. */
  body: unknown;
}

export async function* readChatStream(
  stream: AsyncIterable<unknown>,
  facts: ChatStreamFacts,
): AsyncIterable<ModelEvent> {
  const read: Read = { text: "", reasoning: "", refused: false, details: [], calls: [], finish: null, usage: null };
  for await (const raw of stream) {
    const chunk = ChatChunk.safeParse(raw);
    if (!chunk.success) continue; // such as a comment in JSON form from a proxy
    const choice = chunk.data.choices?.[0];
    read.usage = toUsage(chunk.data.usage ?? choice?.usage) ?? read.usage;
    if (choice?.delta) yield* readDelta(choice.delta, read);
    read.finish = choice?.finish_reason || read.finish;
  }
  // Not every server ends with [DONE], but every one gives a reason to finish.
  if (read.finish === null) return;
  yield toEnd(read, facts);
}

function* readDelta(delta: Delta, read: Read): Iterable<ModelEvent> {
  const parts = typeof delta.content === "string" ? [{ type: "text", text: delta.content }] : (delta.content ?? []);
  const thoughts = parts.flatMap((part) => ("thinking" in part && part.thinking ? part.thinking : []));
  const reasoning = (delta.reasoning_content || delta.reasoning || "") + thoughts.map((it) => it.text ?? "").join("");
  const words = parts.map((part) => part.text ?? "").join("") + (delta.refusal ?? "");
  if (delta.refusal) read.refused = true;
  for (const detail of delta.reasoning_details ?? []) addDetail(read.details, detail);
  for (const call of delta.tool_calls ?? []) addCall(read.calls, call);
  read.reasoning += reasoning;
  read.text += words;
  if (reasoning) yield { type: "reasoning_delta", text: reasoning };
  if (words) yield { type: "text_delta", text: words };
}

/**
 * OpenAI numbers the calls and names each once. Others leave the number out, or send every call whole with the number 0:
 * there a new id begins a new call.
 */
function addCall(calls: Read["calls"], delta: z.infer<typeof CallDelta>): void {
  const index = delta.index ?? null;
  const numbered = index === null ? calls.at(-1) : calls.findLast((call) => call.index === index);
  const isNew = !numbered || (!!delta.id && !!numbered.id && delta.id !== numbered.id && !!delta.function?.name);
  const whole = index === null && !delta.id && !!delta.function?.name;
  const call = isNew || whole ? { id: "", name: "", arguments: "", index, extra: null } : numbered;
  if (call !== numbered) calls.push(call);
  const args = delta.function?.arguments ?? "";
  call.id ||= delta.id ?? "";
  call.name ||= delta.function?.name ?? "";
  call.arguments += typeof args === "string" ? args : JSON.stringify(args);
  call.extra = delta.extra_content ?? call.extra;
}

/** OpenRouter cuts one detail into deltas that share an `index`. */
function addDetail(details: JsonObject[], delta: JsonObject): void {
  const whole = details.find((detail) => detail.index === delta.index && detail.type === delta.type);
  if (!whole || delta.index === undefined) return void details.push({ ...delta });
  for (const [key, value] of Object.entries(delta)) {
    const grows = ["text", "summary", "data"].includes(key) && typeof value === "string";
    if (grows) whole[key] = `${typeof whole[key] === "string" ? whole[key] : ""}${value}`;
    else if (value !== null) whole[key] = value;
  }
}

/** Some count reasoning into `total_tokens` only; it is paid for all the same. */
function toUsage(wire: z.infer<typeof ChatUsage>): Usage | null {
  if (!wire || wire.prompt_tokens == null) return null;
  const prompt = wire.prompt_tokens;
  const cacheRead =
    wire.prompt_tokens_details?.cached_tokens ?? wire.prompt_cache_hit_tokens ?? wire.cached_tokens ?? 0;
  const cacheWrite = wire.prompt_tokens_details?.cache_write_tokens ?? 0;
  const output = Math.max(wire.completion_tokens ?? 0, (wire.total_tokens ?? 0) - prompt);
  return { input: Math.max(0, prompt - cacheRead - cacheWrite), output, cacheRead, cacheWrite };
}

function toEnd(read: Read, facts: ChatStreamFacts): ModelEvent {
  // OpenRouter: "error"; Z.ai: "network_error"; DeepSeek: "insufficient_system_resource".
  if (read.finish === "error" || read.finish === "network_error") {
    return { type: "failed", failure: modelFailure("server_error", facts.provider, `finish_reason ${read.finish}`) };
  }
  if (read.finish === "insufficient_system_resource") {
    return { type: "failed", failure: modelFailure("overloaded", facts.provider, `finish_reason ${read.finish}`) };
  }
  const calls = toToolCalls(read.calls, facts.messagesBefore);
  const native = toNative(read);
  const answer: Answer = {
    text: read.text,
    ...(read.reasoning ? { reasoning: read.reasoning } : {}),
    calls,
    stop: toStop(read, calls.length > 0),
    usage: read.usage ?? estimateUsage(facts.body, read),
    model: facts.model,
    ...(native ? { native: { wire: WIRE, data: native } } : {}),
  };
  return { type: "done", answer };
}

function toNative(read: Read): ChatNative | null {
  const extras = read.calls.map((call) => call.extra);
  const native: ChatNative = {};
  if (read.details.length > 0) native.reasoning = { reasoning_details: read.details };
  else if (read.reasoning) native.reasoning = { reasoning_content: read.reasoning };
  if (extras.some((extra) => extra !== null)) native.extras = extras;
  return Object.keys(native).length > 0 ? native : null;
}

function toStop(read: Read, hasCalls: boolean): StopReason {
  // Mistral: "model_length"; Z.ai: "model_context_window_exceeded" and "sensitive".
  if (["length", "model_length", "model_context_window_exceeded"].includes(read.finish ?? "")) return "length";
  if (read.refused || read.finish === "content_filter" || read.finish === "sensitive") return "refusal";
  return hasCalls ? "tools" : "end";
}

/** Four characters a token. A server that counts nothing must not make a budget endless. */
function estimateUsage(body: unknown, read: Read): Usage {
  const written = read.text.length + read.reasoning.length + JSON.stringify(read.calls).length;
  return { ...NO_USAGE, input: Math.ceil(JSON.stringify(body).length / 4), output: Math.ceil(written / 4) };
}
