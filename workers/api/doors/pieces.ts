// What a client of a model's API is shown of a turn: its texts, the calls of the client's own tools, and how the exchange ended. The doors
// render these pieces in their forms. Pure.
import { messageOf } from "../../../core/errors.ts";
import { type ClientCall, NO_STATS, type TurnStats } from "../../../core/schemas/entry.ts";
import type { DoorEvent, DoorTurn } from "./contract.ts";

/** `answer`: whole, or a question to the person. `failed`: there is no answer, or only a part of it; `code` and `message` say why. */
export type ExchangeEnd =
  | { how: "answer" | "length" | "refusal" | "calls" }
  | { how: "failed"; code: string; message: string };

/** `entry` names the text that a piece belongs to. `retract`: what was shown of that text does not count, and is said again. */
export type Piece =
  | { type: "begin"; at: string }
  | { type: "text"; entry: number; text: string }
  | { type: "retract"; entry: number }
  | { type: "tool"; entry: number; name: string; state: "start" | "end"; failed?: boolean }
  | { type: "calls"; entry: number; calls: ClientCall[] }
  | { type: "end"; end: ExchangeEnd; usage: ExchangeUsage };

/** `stats`: of the whole turn; `null` if the turn goes on, or began before the exchange: then count the entries `from` to `to`. */
export interface ExchangeUsage {
  stats: TurnStats | null;
  /** The turn of the entries, if the message joined another one. */
  into: number | null;
  from: number;
  to: number;
}

const BROKEN = {
  how: "failed",
  code: "stream_broken",
  message: "The session stopped answering. Send the request again.",
} as const;

/**
 * Always ends with one `end`, and never throws. The first piece is `begin`, with the id of the first event. `isCommand`: the message is a
 * command, so what it says is the answer, also that it could not do it. `isFormatted`: the client asked for a form of the answer, so
 * only the last text is shown, once it is whole: what the agent says before its calls, and an answer that is asked for again, lack it.
 */
export async function* readPieces(
  events: AsyncIterable<DoorEvent>,
  { isCommand = false, isFormatted = false }: Partial<Pick<DoorTurn, "isCommand" | "isFormatted">> = {},
): AsyncGenerator<Piece> {
  const pieces = readUnguarded(events, isCommand);
  try {
    yield* isFormatted ? keepLastText(pieces) : pieces;
  } catch (error) {
    console.error(JSON.stringify({ event: "exchange_broken", error: messageOf(error) }));
    yield { type: "end", end: BROKEN, usage: { stats: null, into: null, from: 0, to: 0 } };
  }
}

async function* readUnguarded(events: AsyncIterable<DoorEvent>, isCommand: boolean): AsyncGenerator<Piece> {
  let hasText = false;
  let isWhole = false;
  let isCommandAnswer = false;
  let notice: { entry: number; text: string } | null = null;
  let into: number | null = null;
  let from = 0;
  let to = 0;
  for await (const { id, event } of events) {
    if (from === 0) {
      isWhole = event.type === "turn_start";
      from = "entry" in event ? event.entry : Number(id.split(".")[0]);
      yield { type: "begin", at: id };
    }
    if (event.type === "steer_add") into ??= event.into;
    if ("entry" in event) to = Math.max(to, event.entry);
    isCommandAnswer = event.type === "notice_add" && event.code === "command_answer";
    const open: ExchangeUsage = { stats: null, into, from, to };
    switch (event.type) {
      case "text_delta":
        hasText ||= event.text.trim() !== "";
        yield { type: "text", entry: event.entry, text: event.text };
        break;
      case "entry_restart":
        yield { type: "retract", entry: event.entry };
        break;
      case "tool_start":
        yield { type: "tool", entry: event.entry, name: event.name, state: "start" };
        break;
      case "tool_end":
        yield { type: "tool", entry: event.entry, name: event.name, state: "end", failed: event.failed };
        break;
      case "notice_add":
        notice = { entry: event.entry, text: event.text };
        if (!isCommandAnswer) break;
        yield { type: "text", ...notice };
        hasText = true;
        break;
      case "turn_park": {
        if (event.question.for === "children") break;
        const calls = event.question.for === "client" ? event.question.calls : null;
        if (calls) yield { type: "calls", entry: event.entry, calls };
        else yield { type: "text", entry: event.entry, text: event.text };
        yield { type: "end", end: { how: calls ? "calls" : "answer" }, usage: open };
        return;
      }
      case "turn_end": {
        const end: ExchangeEnd = isCommand ? { how: "answer" } : toEnd(event, notice?.text);
        // A command's turn says what it did in a notice only.
        if (!hasText && end.how !== "failed" && notice) yield { type: "text", ...notice };
        yield { type: "end", end, usage: { ...open, stats: isWhole ? event.stats : null } };
        return;
      }
    }
  }
  // The answer to a command beside a waiting turn ends the exchange, and the turn waits on.
  const usage = { stats: isCommandAnswer ? NO_STATS : null, into, from, to };
  yield { type: "end", end: isCommandAnswer ? { how: "answer" } : BROKEN, usage };
}

async function* keepLastText(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  let held: Extract<Piece, { type: "text" }> | null = null;
  for await (const piece of pieces) {
    if (piece.type === "text") {
      const before: string = held?.entry === piece.entry ? held.text : "";
      held = { ...piece, text: before + piece.text };
    } else if (piece.type === "retract") {
      if (held?.entry === piece.entry) held = null;
    } else {
      if (held && (piece.type === "calls" || piece.type === "end")) {
        yield held;
        held = null;
      }
      yield piece;
    }
  }
}

function toEnd(
  { state, reason }: { state: string; reason: string },
  notice = "The turn ended without an answer.",
): ExchangeEnd {
  if (reason === "length" || reason === "refusal") return { how: reason };
  // A person has stopped it: what was said until then is the answer.
  const isAnswer = state === "done" || state === "stopped";
  return isAnswer ? { how: "answer" } : { how: "failed", code: reason, message: notice };
}
