// Orders the live events of calls that run in parallel. Event ids must rise, so an event that follows a running call in the
// log is held until that call has ended. Readers see the same order live and in a replay. One for each hub. Pure.
import { type PlacedEvent, isAfter } from "./events.ts";

export function createEventOrder() {
  /** The entry of the running call whose `tool_start` was emitted. */
  let running: number | null = null;
  let held: PlacedEvent[] = [];

  /** The events to emit now, in order. The end of a turn releases all held ones. */
  function put(placed: PlacedEvent): PlacedEvent[] {
    const { event } = placed;
    if (event.type === "turn_end") {
      const all = [...inOrder(held), placed];
      running = null;
      held = [];
      return all;
    }
    if (running === null) {
      if (event.type === "tool_start") running = event.entry;
      return [placed];
    }
    if (event.type !== "tool_end" || event.entry !== running) {
      held.push(placed);
      return [];
    }
    running = null;
    const waiting = inOrder(held);
    held = [];
    return [placed, ...waiting.flatMap(put)];
  }

  return {
    put,
    /** Takes the state from the log, after a restart of the object. */
    restore(call: number, later: PlacedEvent[]): void {
      running = call;
      held = later;
    },
  };
}

function inOrder(events: PlacedEvent[]): PlacedEvent[] {
  return events.toSorted((a, b) => (isAfter(a.at, b.at) ? 1 : -1));
}
