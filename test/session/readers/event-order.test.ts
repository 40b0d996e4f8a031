import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_STATS } from "../../../core/schemas/entry.ts";
import { createEventOrder } from "../../../core/session/readers/event-order.ts";
import type { PlacedEvent } from "../../../core/session/readers/events.ts";

const start = (entry: number): PlacedEvent => ({
  at: { entry, offset: 0 },
  event: { type: "tool_start", entry, name: "look", args: {} },
});
const end = (entry: number): PlacedEvent => ({
  at: { entry, offset: 1 },
  event: { type: "tool_end", entry, name: "look", failed: false, result: "{}" },
});
const notice = (entry: number): PlacedEvent => ({
  at: { entry, offset: 0 },
  event: { type: "notice_add", entry, code: "learned", text: "One fact" },
});
const turnEnd = (entry: number): PlacedEvent => ({
  at: { entry, offset: 9 },
  event: { type: "turn_end", turn: 1, entry, state: "stopped", reason: "stopped", stats: NO_STATS },
});
const ids = (events: PlacedEvent[]) => events.map(({ at }) => `${at.entry}.${at.offset}`);

describe("the order of events", () => {
  it("passes events on at once while calls do not overlap", () => {
    const order = createEventOrder();
    const events = [start(2), end(2), notice(3), start(4), end(4)];
    expect(events.map((event) => ids(order.put(event)))).toEqual([["2.0"], ["2.1"], ["3.0"], ["4.0"], ["4.1"]]);
  });

  it("sends at once what a call waits for, and its end after that", () => {
    const order = createEventOrder();
    const park: PlacedEvent = {
      at: { entry: 3, offset: 0 },
      event: {
        ...{ type: "turn_park", turn: 1, entry: 3, text: "" },
        question: { for: "clarify", id: "a", until: 0, questions: [] },
      },
    };
    const events = [start(2), park, notice(4), end(2), start(5), notice(6), end(5)];
    expect(events.map((event) => ids(order.put(event)))).toEqual([
      ...[["2.0"], ["3.0"], ["4.0"], ["4.1"], ["5.0"], [], ["5.1", "6.0"]],
    ]);
  });

  it("holds the events of a parallel call until the first call has ended", () => {
    const order = createEventOrder();
    const events = [start(2), start(3), start(4), end(3), notice(5), end(2), end(4)];
    expect(events.map((event) => ids(order.put(event)))).toEqual([
      ["2.0"],
      [],
      [],
      [],
      [],
      ["2.1", "3.0", "3.1", "4.0"],
      ["4.1", "5.0"],
    ]);
  });

  it("releases everything when the turn ends during running calls", () => {
    const order = createEventOrder();
    for (const event of [start(2), start(3), end(3), notice(4)]) order.put(event);
    expect(ids(order.put(turnEnd(4)))).toEqual(["3.0", "3.1", "4.0", "4.9"]);
    expect(ids(order.put(start(5)))).toEqual(["5.0"]);
  });

  it("continues from the log after a restart of the object", () => {
    const order = createEventOrder();
    order.restore(2, [start(3), end(3), start(4)]);
    expect(ids(order.put(end(2)))).toEqual(["2.1", "3.0", "3.1", "4.0"]);
    expect(ids(order.put(end(4)))).toEqual(["4.1"]);
  });

  it("is the order of the ids, each once, in any overlap of calls", () => {
    // Each number is a call; its first occurrence starts it, its second ends it.
    const overlap = fc.integer({ min: 1, max: 8 }).chain((calls) =>
      fc.shuffledSubarray(
        [...Array(calls * 2).keys()].map((i) => i % calls),
        { minLength: calls * 2 },
      ),
    );
    fc.assert(
      fc.property(overlap, (sequence) => {
        const order = createEventOrder();
        const entries = new Map<number, number>();
        const passed: PlacedEvent[] = [];
        for (const call of sequence) {
          const begun = entries.get(call);
          if (begun === undefined) entries.set(call, entries.size + 1);
          passed.push(...order.put(begun === undefined ? start(entries.get(call)!) : end(begun)));
        }
        const all = [...entries.values()].flatMap((entry) => [`${entry}.0`, `${entry}.1`]);
        expect(ids(passed)).toEqual(all);
      }),
    );
  });
});
