// Renders a turn as the events of Anthropic's Messages API, and as one message. Pure: what an open turn used is passed in.
import type {
  ContentBlock,
  Message,
  MessageDeltaUsage,
  RawMessageStreamEvent,
  StopReason,
  TextBlock,
  Usage,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { NO_STATS, type ClientCall, type TurnStats } from "../../../../core/schemas/entry.ts";
import type { ExchangeEnd, ExchangeUsage, Piece } from "../pieces.ts";

export interface MessageFrame {
  id: string;
  model: string;
}

export interface MessageHost {
  frame: MessageFrame;
  /** Null if it cannot be counted. */
  readStats(usage: ExchangeUsage): Promise<TurnStats | null>;
}

export type FailedEnd = Extract<ExchangeEnd, { how: "failed" }>;
/** `talaria_tool_…`: the agent uses a tool of its own; plain clients ignore that. `failed`: the answer broke off, and an error takes the place of the rest. */
export type StreamedEvent =
  | RawMessageStreamEvent
  | { type: "ping" }
  | { type: `talaria_tool_${"start" | "end"}`; name: string; failed?: boolean }
  | { type: "failed"; end: FailedEnd };

export async function* renderMessageEvents(
  pieces: AsyncIterable<Piece>,
  { frame, readStats }: MessageHost,
): AsyncGenerator<StreamedEvent> {
  let index = -1;
  let open: number | null = null;
  const message = toMessage(frame, { content: [], stop: null, stats: NO_STATS });
  yield { type: "message_start", message };
  yield { type: "ping" };
  for await (const piece of pieces) {
    if (open !== null && (piece.type !== "text" || piece.entry !== open)) {
      yield { type: "content_block_stop", index };
      open = null;
    }
    if (piece.type === "text") {
      if (open === null) yield { type: "content_block_start", index: ++index, content_block: toTextBlock("") };
      open = piece.entry;
      yield { type: "content_block_delta", index, delta: { type: "text_delta", text: piece.text } };
    }
    if (piece.type === "tool") {
      const { name, state, failed } = piece;
      yield { type: `talaria_tool_${state}`, name, ...(failed !== undefined && { failed }) };
    }
    if (piece.type === "calls") {
      for (const call of piece.calls) yield* renderCall(call, ++index);
    }
    if (piece.type !== "end") continue;
    if (piece.end.how === "failed") {
      yield { type: "failed", end: piece.end };
      return;
    }
    const stats = (await readStats(piece.usage)) ?? NO_STATS;
    const { how } = piece.end;
    yield {
      type: "message_delta",
      delta: { container: null, stop_details: toDetails(how), stop_reason: STOP_REASONS[how], stop_sequence: null },
      usage: toDeltaUsage(stats),
    };
    yield { type: "message_stop" };
    return;
  }
}

/** The whole message, or why there is none. */
export async function collectMessage(
  pieces: AsyncIterable<Piece>,
  { frame, readStats }: MessageHost,
): Promise<Message | FailedEnd> {
  /** By the entry of a text. */
  const texts = new Map<number, TextBlock>();
  const calls: ContentBlock[] = [];
  for await (const piece of pieces) {
    if (piece.type === "text") {
      const block = texts.get(piece.entry) ?? toTextBlock("");
      block.text += piece.text;
      texts.set(piece.entry, block);
    }
    if (piece.type === "retract") texts.delete(piece.entry);
    if (piece.type === "calls") calls.push(...piece.calls.map((call) => toToolUse(call, call.args)));
    if (piece.type !== "end") continue;
    if (piece.end.how === "failed") return piece.end;
    const stats = (await readStats(piece.usage)) ?? NO_STATS;
    const content = [...[...texts.values()].filter(({ text }) => text.trim() !== ""), ...calls];
    return toMessage(frame, { content, stop: piece.end.how, stats });
  }
  throw new Error("pieces end with an end");
}

type Stop = Exclude<ExchangeEnd["how"], "failed">;
const STOP_REASONS: Record<Stop, StopReason> = {
  answer: "end_turn",
  length: "max_tokens",
  refusal: "refusal",
  calls: "tool_use",
};

function toMessage(
  { id, model }: MessageFrame,
  { content, stop, stats }: { content: ContentBlock[]; stop: Stop | null; stats: TurnStats },
): Message {
  return {
    ...{ id, type: "message", role: "assistant", model, content },
    ...{ stop_reason: stop && STOP_REASONS[stop], stop_sequence: null, stop_details: toDetails(stop) },
    ...{ container: null, diagnostics: null },
    usage: toFullUsage(stats),
  };
}

function toDetails(stop: Stop | null): Message["stop_details"] {
  return stop === "refusal" ? { type: "refusal", category: null, explanation: null } : null;
}

function* renderCall(call: ClientCall, index: number): Generator<StreamedEvent> {
  yield { type: "content_block_start", index, content_block: toToolUse(call, {}) };
  const delta = { type: "input_json_delta" as const, partial_json: JSON.stringify(call.args) };
  yield { type: "content_block_delta", index, delta };
  yield { type: "content_block_stop", index };
}

function toTextBlock(text: string): TextBlock {
  return { type: "text", text, citations: null };
}

function toToolUse({ id, name }: ClientCall, input: object) {
  return { type: "tool_use" as const, id, name, input, caller: { type: "direct" as const } };
}

/** `input_tokens` are those that no cache served. */
function toDeltaUsage({ usage }: TurnStats): MessageDeltaUsage {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens_details: usage.reasoning === undefined ? null : { thinking_tokens: usage.reasoning },
    server_tool_use: null,
  };
}

function toFullUsage(stats: TurnStats): Usage {
  const { usage } = stats;
  return {
    ...toDeltaUsage(stats),
    input_tokens: usage.input,
    ...{ cache_creation: null, inference_geo: null, service_tier: "standard", speed: null },
  };
}
