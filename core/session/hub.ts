// The readers of a session that are connected now. Whoever writes to the log tells them here. Holds no history: who joins
// is brought up to date by the engine. Never holds up a turn: a reader that is too slow is cut off.
import type { AgentEvent } from "../schemas/entry.ts";
import { type PlacedEvent, type Position, encodeEvent, isAfter } from "./events.ts";

/** A reader this far behind is cut off; it comes back with its last event id. */
const MAX_QUEUED_BYTES = 4 << 20;

interface Reader {
  send(event: PlacedEvent): void;
}

export type Hub = ReturnType<typeof createHub>;

export function createHub() {
  const readers = new Set<Reader>();
  return {
    emit(event: PlacedEvent): void {
      for (const reader of readers) reader.send(event);
    },
    /**
     * Bytes of server-sent events: `missed`, then what is emitted, until `isLast` or the reader leaves. A reader that
     * waits for a queued turn gets nothing before that turn's start. Nothing may run between reading `missed` and calling
     * this.
     */
    open(
      missed: PlacedEvent[],
      isLast: (event: AgentEvent) => boolean,
      waitsFor: number | null,
    ): ReadableStream<Uint8Array> {
      let waiting = waitsFor !== null;
      let reader: Reader | undefined;
      let last: Position = { entry: -1, offset: 0 };
      // What a reader missed is its to read, however much; only from then on can it fall behind.
      let maxQueuedBytes = Infinity;
      const leave = () => void (reader && readers.delete(reader));
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            reader = {
              send(event) {
                if (event.event.type === "turn_start" && event.event.turn === waitsFor) waiting = false;
                if (waiting) return;
                const ordered = event.event.type === "reasoning_delta" || isAfter(event.at, last);
                if (!ordered) return; // a restart and its notice share a number; a reader sees each place once
                last = event.at;
                controller.enqueue(encodeEvent(event));
                if (isLast(event.event)) {
                  leave();
                  controller.close();
                } else if (-(controller.desiredSize ?? 0) > maxQueuedBytes) {
                  leave();
                  controller.error(new Error("The reader is too slow; it may return with its last event id."));
                }
              },
            };
            readers.add(reader);
            for (const event of missed) if (readers.has(reader)) reader.send(event);
            maxQueuedBytes = MAX_QUEUED_BYTES - (controller.desiredSize ?? 0);
          },
          cancel: leave,
        },
        new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
      );
    },
    /** A stream of what there is, which then ends. */
    openSettled(missed: PlacedEvent[]): ReadableStream<Uint8Array> {
      return new ReadableStream<Uint8Array>({
        start(controller) {
          for (const event of missed) controller.enqueue(encodeEvent(event));
          controller.close();
        },
      });
    },
  };
}
