// Renders a turn as the events of OpenAI's Responses API, in their order and numbered. The last event carries the whole response. Pure:
// time and the usage of an open turn are passed in.
import type {
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import type { ClientCall, TurnStats } from "../../../../core/schemas/entry.ts";
import type { ExchangeUsage, Piece } from "../pieces.ts";
import { type ResponseFrame, toResponse, toStatus } from "./response-object.ts";

export interface RenderHost {
  frame: ResponseFrame;
  nowMs(): number;
  /** Null if it cannot be counted. */
  readStats(usage: ExchangeUsage): Promise<TurnStats | null>;
}

/** The agent uses a tool of its own. The official client's helper throws on an event that it does not know, so this is sent as a comment. */
export interface ToolProgress {
  type: "talaria.tool_start" | "talaria.tool_end";
  name: string;
  failed?: boolean;
}

/** An event without its number. */
type Bare =
  | ToolProgress
  | (ResponseStreamEvent extends infer Event
      ? Event extends unknown
        ? Omit<Event, "sequence_number">
        : never
      : never);

interface OpenText {
  entry: number;
  id: string;
  index: number;
  text: string;
}

export async function* renderResponse(
  pieces: AsyncIterable<Piece>,
  host: RenderHost,
): AsyncGenerator<ResponseStreamEvent | ToolProgress> {
  let number = 0;
  for await (const event of renderBare(pieces, host)) {
    if (isProgress(event)) yield event;
    else yield { ...event, sequence_number: number++ } as ResponseStreamEvent;
  }
}

export function isProgress(event: { type: string }): event is ToolProgress {
  return event.type.startsWith("talaria.");
}

async function* renderBare(
  pieces: AsyncIterable<Piece>,
  { frame, nowMs, readStats }: RenderHost,
): AsyncGenerator<Bare> {
  const tail = frame.id.slice(-12);
  /** By index. What was retracted is not part of the response. */
  const items: (ResponseOutputItem | null)[] = [];
  let open: OpenText | null = null;
  const begun = toResponse(frame, { status: "in_progress", output: [] });
  yield { type: "response.created", response: begun };
  yield { type: "response.in_progress", response: begun };
  for await (const piece of pieces) {
    const isOther = open !== null && (piece.type !== "text" || piece.entry !== open.entry);
    if (open && isOther) {
      const isRetracted = piece.type === "retract" && piece.entry === open.entry;
      const isCut = piece.type === "end" && piece.end.how !== "answer" && piece.end.how !== "calls";
      yield* closeText(open, items, { isRetracted, isCut });
      open = null;
    }
    if (piece.type === "text") {
      if (!open) {
        open = { entry: piece.entry, id: `msg_${tail}_${piece.entry}`, index: items.push(null) - 1, text: "" };
        yield* beginText(open);
      }
      open.text += piece.text;
      yield { ...placeOf(open), type: "response.output_text.delta", delta: piece.text, logprobs: [] };
    }
    if (piece.type === "tool") {
      const { name, state, failed } = piece;
      yield { type: `talaria.tool_${state}`, name, ...(failed !== undefined && { failed }) };
    }
    if (piece.type === "calls") {
      for (const [n, call] of piece.calls.entries()) yield* renderCall(call, items, `fc_${tail}_${piece.entry}_${n}`);
    }
    if (piece.type === "end") {
      const stats = await readStats(piece.usage);
      const status = toStatus(piece.end);
      const output = items.filter((item) => item !== null);
      const done = { status, output, end: piece.end, completedAtMs: nowMs(), ...(stats && { stats }) };
      const response = toResponse(frame, done);
      yield {
        type: status === "failed" ? "response.failed" : `response.${status as "completed" | "incomplete"}`,
        response,
      };
      return;
    }
  }
}

function placeOf({ id, index }: OpenText) {
  return { item_id: id, output_index: index, content_index: 0 };
}

function* beginText(open: OpenText): Generator<Bare> {
  const item: ResponseOutputMessage = {
    ...{ id: open.id, type: "message", role: "assistant" },
    status: "in_progress",
    content: [],
  };
  yield { type: "response.output_item.added", output_index: open.index, item };
  yield { ...placeOf(open), type: "response.content_part.added", part: toPart("") };
}

function* closeText(
  open: OpenText,
  items: (ResponseOutputItem | null)[],
  { isRetracted, isCut }: { isRetracted: boolean; isCut: boolean },
): Generator<Bare> {
  const part = toPart(open.text);
  const status = isRetracted || isCut ? "incomplete" : "completed";
  const item: ResponseOutputMessage = { id: open.id, type: "message", role: "assistant", status, content: [part] };
  yield { ...placeOf(open), type: "response.output_text.done", text: open.text, logprobs: [] };
  yield { ...placeOf(open), type: "response.content_part.done", part };
  yield { type: "response.output_item.done", output_index: open.index, item };
  if (!isRetracted) items[open.index] = item;
}

function toPart(text: string): ResponseOutputText {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function* renderCall(call: ClientCall, items: (ResponseOutputItem | null)[], id: string): Generator<Bare> {
  const index = items.push(null) - 1;
  const json = JSON.stringify(call.args);
  const begun: ResponseFunctionToolCall = {
    ...{ id, type: "function_call", call_id: call.id, name: call.name },
    ...{ arguments: "", status: "in_progress" },
  };
  const item: ResponseFunctionToolCall = { ...begun, arguments: json, status: "completed" };
  const place = { item_id: id, output_index: index };
  yield { type: "response.output_item.added", output_index: index, item: begun };
  yield { ...place, type: "response.function_call_arguments.delta", delta: json };
  yield { ...place, type: "response.function_call_arguments.done", arguments: json };
  yield { type: "response.output_item.done", output_index: index, item };
  items[index] = item;
}
