// Orders the live events of calls that run in parallel. Event ids must rise, so an event that follows a running call in the
// log is held until that call has ended. Readers see the same order live and in a replay, but for a call that parked its turn: what
// it waits for is sent at once, so its end comes later than in a replay. One for each hub. Pure.
import { type PlacedEvent, type Position, isAfter } from "./events.ts";

export function createEventOrder() {
  /** The entry of the running call whose `tool_start` was emitted. */
  let running: number | null = null;
  let held: PlacedEvent[] = [];
  /** Of the newest emitted event. */
  let last: Position | null = null;

  function put(placed: PlacedEvent): PlacedEvent[] {
    const emitted = arrange(placed).map(toRising);
    last = emitted.at(-1)?.at ?? last;
    return emitted;
  }

  /** The end of a call that has waited follows what was sent meanwhile. */
  function toRising(placed: PlacedEvent): PlacedEvent {
    if (placed.event.type !== "tool_end" || last === null || isAfter(placed.at, last)) return placed;
    return { ...placed, at: { entry: last.entry, offset: last.offset + 1 } };
  }

  /** The events to emit now, in order. The end of a turn releases all held ones. */
  function arrange(placed: PlacedEvent): PlacedEvent[] {
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
    if (event.type === "turn_park") {
      const all = inOrder([...held, placed]);
      running = null;
      held = [];
      return all;
    }
    if (event.type !== "tool_end" || event.entry !== running) {
      held.push(placed);
      return [];
    }
    running = null;
    const waiting = inOrder(held);
    held = [];
    return [placed, ...waiting.flatMap(arrange)];
  }

  return {
    put,
    /** Takes the state from the log, after a restart of the object. */
    restore(call: number, later: PlacedEvent[]): void {
      running = call;
      held = later;
      last = { entry: call, offset: 0 };
    },
  };
}

function inOrder(events: PlacedEvent[]): PlacedEvent[] {
  return events.toSorted((a, b) => (isAfter(a.at, b.at) ? 1 : -1));
}
