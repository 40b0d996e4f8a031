// Events, their ids, and the replay of what a reader missed. Pure.
//
// An id is `<entry>.<offset>`. text_delta: the entry's text up to and including it, in UTF-16 units. turn_start, steer_add,
// entry_start, tool_start, notice_add, turn_park, entry_restart: offset 0. tool_end: 1. turn_end: one past the final entry's text.
// Entry numbers are never used twice, not even for a repeated answer, so an offset always refers to one text.
import { type Result, err, ok } from "../../errors.ts";
import { renderParts } from "../../agent/tool-result.ts";
import {
  type AgentEvent,
  type CompactionEntry,
  type Entry,
  type NoteEntry,
  type NoticeEntry,
  type UserEntry,
  textOf,
} from "../../schemas/entry.ts";
import type { TurnRow } from "../log-turns.ts";

export interface Position {
  entry: number;
  offset: number;
}

export interface PlacedEvent {
  at: Position;
  event: AgentEvent;
}

/** An answer that is still streaming. */
export interface LiveText {
  entry: number;
  turn: number;
  text: string;
}

export const START: Position = { entry: 0, offset: 0 };

export function parsePosition(id: string): Result<Position> {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(id.trim());
  if (!match) return err("bad_event_id", "An event id is <entry>.<offset>, such as 7.120.");
  return ok({ entry: Number(match[1]), offset: Number(match[2]) });
}

export function isAfter(a: Position, b: Position): boolean {
  return a.entry > b.entry || (a.entry === b.entry && a.offset > b.offset);
}

function toEventId(at: Position): string {
  return `${at.entry}.${at.offset}`;
}

/** One message of a WebSocket. */
export function encodeMessage({ at, event }: PlacedEvent): string {
  return JSON.stringify({ id: toEventId(at), event });
}

/** One server-sent event. JSON has no line breaks, so one data line is enough. */
export function encodeEvent({ at, event }: PlacedEvent): string {
  return `id: ${toEventId(at)}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * The events that a reader at `after` missed: settled entries, beginnings and ends of their turns, and the text of the
 * streaming answer. `entries` and `turns` are ascending and cover all positions after `after`.
 */
export function replay(after: Position, entries: Entry[], turns: TurnRow[], live: LiveText | null): PlacedEvent[] {
  const events = entries.flatMap((entry) => placeEntry(entry, turns, after));
  if (live) {
    events.push(place(live.entry, 0, { type: "entry_start", turn: live.turn, entry: live.entry }));
    events.push(...placeText(live.entry, live.text, after));
  }
  return events.filter((event) => isAfter(event.at, after));
}

function placeEntry(entry: Entry, turns: TurnRow[], after: Position): PlacedEvent[] {
  const { n, turn } = entry;
  const events: PlacedEvent[] = [];
  const ended = turns.find((row) => row.final === n && row.n === turn);
  if (entry.kind === "user") {
    events.push(entry.steer ? placeSteer(entry) : place(n, 0, { type: "turn_start", turn, entry: n }));
  }
  if (entry.kind === "assistant") {
    events.push(place(n, 0, { type: "entry_start", turn, entry: n }), ...placeText(n, textOf(entry), after));
  }
  if (entry.kind === "tool") events.push(...placeTool(entry));
  if (entry.kind === "note" || entry.kind === "compaction") events.push(placeNotice(entry));
  if (entry.kind === "notice" && (entry.asked || entry.said)) events.push(placeNotice(entry));
  else if (entry.kind === "notice") {
    // The reader saw part of an abandoned answer, whose number this notice took over. A turn's last notice never takes
    // such a number: there, an offset is the position of the turn's end.
    const sawAnswer = after.entry === n && after.offset > 0 && !ended;
    if (sawAnswer)
      events.push({ at: { entry: n, offset: after.offset + 1 }, event: { type: "entry_restart", entry: n } });
    else events.push(placeNotice(entry));
  }
  if (ended) events.push(placeTurnEnd(ended, entry));
  return events;
}

/** A text of the harness: a notice for the person, a note for the model, or a compaction. */
export function placeNotice(entry: NoticeEntry | NoteEntry | CompactionEntry): PlacedEvent {
  if (entry.kind === "notice" && entry.asked) {
    const { n, turn, asked: question } = entry;
    return place(n, 0, { type: "turn_park", turn, entry: n, question, text: textOf(entry) });
  }
  if (entry.kind === "notice" && entry.said) {
    const { n, turn, said } = entry;
    return place(n, 0, { type: "steer_add", turn: said.accepted, into: turn, entry: n, text: textOf(entry) });
  }
  const code = entry.kind === "compaction" ? "compacted" : entry.code;
  const text = entry.kind === "compaction" ? describeCompaction(entry) : toNoticeText(entry);
  return place(entry.n, 0, { type: "notice_add", entry: entry.n, code, text });
}

/** Names loaded skills; their texts are for the model only. */
function toNoticeText(entry: NoticeEntry | NoteEntry): string {
  if (entry.kind === "notice" || !entry.skills) return textOf(entry);
  return `Loaded: ${entry.skills.map(({ skill }) => skill).join(", ")}.`;
}

function describeCompaction({ tokensBefore, tokensAfter }: CompactionEntry): string {
  return `The conversation was made shorter for the model: from about ${tokensBefore} to ${tokensAfter} tokens.`;
}

export function placeSteer({ n, turn, steer, parts }: UserEntry): PlacedEvent {
  const text = parts.map((part) => part.text).join("");
  return place(n, 0, { type: "steer_add", turn: steer?.accepted ?? turn, into: turn, entry: n, text });
}

/** Only for a turn that has begun. */
export function placeTurnStart(turn: TurnRow): PlacedEvent {
  const entry = turn.input!;
  return place(entry, 0, { type: "turn_start", turn: turn.n, entry });
}

export function placeTurnEnd(turn: TurnRow, final: Entry): PlacedEvent {
  const { state, stats, n } = turn;
  const reason = endReason(final);
  return place(final.n, textOf(final).length + 1, { type: "turn_end", turn: n, entry: final.n, state, reason, stats });
}

/** Why a turn ended, by its final entry: `answer`, or the code of the notice that says why. */
export function endReason(final: Entry): string {
  return final.kind === "notice" ? final.code : "answer";
}

export function placeTool(entry: Extract<Entry, { kind: "tool" }>): PlacedEvent[] {
  const { name, args } = entry.call;
  const events = [place(entry.n, 0, { type: "tool_start", entry: entry.n, name, args })];
  if (entry.state === "done") {
    const result = renderParts(entry.parts);
    events.push(place(entry.n, 1, { type: "tool_end", entry: entry.n, name, failed: entry.failed, result }));
  }
  return events;
}

function placeText(entry: number, text: string, after: Position): PlacedEvent[] {
  const from = after.entry === entry ? Math.min(after.offset, text.length) : 0;
  if (from >= text.length) return [];
  return [place(entry, text.length, { type: "text_delta", entry, offset: from, text: text.slice(from) })];
}

function place(entry: number, offset: number, event: AgentEvent): PlacedEvent {
  return { at: { entry, offset }, event };
}
