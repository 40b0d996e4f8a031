// Renders a turn as chunks of OpenAI's Chat Completions, and as one completion. The texts of a turn's answers are joined by blank lines; a
// client sends them back as one. Pure: what an open turn used is passed in.
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { CompletionUsage } from "openai/resources/completions";
import { type ClientCall, NO_STATS, type TurnStats } from "../../../../core/schemas/entry.ts";
import type { ExchangeEnd, ExchangeUsage, Piece } from "../pieces.ts";

export interface ChatFrame {
  id: string;
  model: string;
  /** Seconds since 1970. */
  created: number;
}

export interface ChatHost {
  frame: ChatFrame;
  /** Null if it cannot be counted. */
  readStats(usage: ExchangeUsage): Promise<TurnStats | null>;
}

export type FailedEnd = Extract<ExchangeEnd, { how: "failed" }>;

/** A chunk with an empty delta may carry what one of the agent's own tools does. Clients of OpenAI's API ignore the field. */
export type Chunk = Omit<ChatCompletionChunk, "usage"> & {
  usage?: CompletionUsage | null;
  talaria?: { type: "tool_start" | "tool_end"; name: string; failed?: boolean };
};
/** `failed`: the answer broke off, and an error takes the place of the rest. */
export type StreamedChunk = Chunk | { failed: FailedEnd };

type Delta = ChatCompletionChunk.Choice.Delta;
type Finish = ChatCompletion.Choice["finish_reason"];

const FINISH: Record<Exclude<ExchangeEnd["how"], "failed">, Finish> = {
  answer: "stop",
  length: "length",
  refusal: "content_filter",
  calls: "tool_calls",
};

export async function* renderChunks(
  pieces: AsyncIterable<Piece>,
  { frame, readStats, includeUsage }: ChatHost & { includeUsage: boolean },
): AsyncGenerator<StreamedChunk> {
  const base = { ...frame, object: "chat.completion.chunk" as const, ...(includeUsage && { usage: null }) };
  const chunk = (delta: Delta, finish: Finish | null = null): Chunk => {
    return { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] };
  };
  const joiner = createJoiner();
  yield chunk({ role: "assistant", content: "", refusal: null });
  for await (const piece of pieces) {
    if (piece.type === "text") yield chunk({ content: joiner.add(piece.entry, piece.text) });
    if (piece.type === "retract") joiner.breakOff();
    if (piece.type === "tool") {
      const { name, state, failed } = piece;
      yield { ...chunk({}), talaria: { type: `tool_${state}`, name, ...(failed !== undefined && { failed }) } };
    }
    if (piece.type === "calls") {
      for (const [index, call] of piece.calls.entries()) yield chunk({ tool_calls: [{ index, ...toToolCall(call) }] });
    }
    if (piece.type !== "end") continue;
    if (piece.end.how === "failed") {
      yield { failed: piece.end };
      return;
    }
    yield chunk({}, FINISH[piece.end.how]);
    if (includeUsage) yield { ...base, choices: [], usage: toUsage(await readStats(piece.usage)) };
    return;
  }
}

/** The whole completion, or why there is none. */
export async function collectCompletion(
  pieces: AsyncIterable<Piece>,
  { frame, readStats }: ChatHost,
): Promise<ChatCompletion | FailedEnd> {
  /** By the entry of a text. */
  const texts = new Map<number, string>();
  const calls: ClientCall[] = [];
  for await (const piece of pieces) {
    if (piece.type === "text") texts.set(piece.entry, (texts.get(piece.entry) ?? "") + piece.text);
    if (piece.type === "retract") texts.delete(piece.entry);
    if (piece.type === "calls") calls.push(...piece.calls);
    if (piece.type !== "end") continue;
    if (piece.end.how === "failed") return piece.end;
    const text = [...texts.values()].filter((one) => one.trim() !== "").join("\n\n");
    const message: ChatCompletion.Choice["message"] = {
      role: "assistant",
      content: text === "" ? null : text,
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
    };
    return {
      ...{ ...frame, object: "chat.completion" },
      choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[piece.end.how] }],
      usage: toUsage(await readStats(piece.usage)),
    };
  }
  throw new Error("pieces end with an end");
}

/** The next piece of the one text that a stream makes of several. */
function createJoiner() {
  let last: number | null = null;
  let hasText = false;
  return {
    add(entry: number, text: string): string {
      const joined = hasText && last !== entry ? `\n\n${text}` : text;
      last = entry;
      hasText ||= text !== "";
      return joined;
    },
    /** A stream cannot take a text back. What is said in its place begins on a line of its own. */
    breakOff() {
      last = null;
    },
  };
}

function toToolCall({ id, name, args }: ClientCall) {
  return { id, type: "function" as const, function: { name, arguments: JSON.stringify(args) } };
}

function toUsage(stats: TurnStats | null): CompletionUsage {
  const { usage } = stats ?? NO_STATS;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}
