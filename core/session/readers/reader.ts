// What every connected reader of a session can do, and which event it gets next. Used by the hub and its kinds of readers. Pure.
import { type PlacedEvent, type Position, isAfter } from "./events.ts";

export interface ConnectedReader {
  take(event: PlacedEvent): void;
  /** The session was deleted. */
  end(): void;
}

/** The event for a reader at `last`. `null`: already sent. A notice that took over an answer's number restarts that entry. */
export function toNext({ at, event }: PlacedEvent, last: Position): PlacedEvent | null {
  if (event.type === "reasoning_delta") return { at, event };
  if (event.type === "notice_add" && at.entry === last.entry && last.offset > 0) {
    return { at: { entry: at.entry, offset: last.offset + 1 }, event: { type: "entry_restart", entry: at.entry } };
  }
  return isAfter(at, last) ? { at, event } : null;
}
