// Calls of one step run side by side, but ids rise: an event behind a call that still runs is told when that call has
// ended. So readers see the log in its order, live or later. One for each hub. Pure.
import { type PlacedEvent, isAfter } from "./events.ts";

export function createEventOrder() {
  /** The entry of the call that was told of and still runs. */
  let running: number | null = null;
  let held: PlacedEvent[] = [];

  /** What is to be told now that this has happened, in order. The end of a turn releases everything. */
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
    /** As the log has it. An object that was cut off and woke again knows no more than that. */
    restore(call: number, behind: PlacedEvent[]): void {
      running = call;
      held = behind;
    },
  };
}

function inOrder(events: PlacedEvent[]): PlacedEvent[] {
  return events.toSorted((a, b) => (isAfter(a.at, b.at) ? 1 : -1));
}
