// The connected readers of a session: streams of server-sent events for one turn, and standing connections (WebSockets) for
// all turns. Writers of the log emit events here. Holds no history: readers.ts sends a new reader what it missed.
import type { Clock } from "../../ports.ts";
import { createEventOrder } from "./event-order.ts";
import { type PlacedEvent, type Position, START } from "./events.ts";
import type { ConnectedReader } from "./reader.ts";
import { type ReaderState, type StandingReader, createStandingReader } from "./standing-reader.ts";
import { createSettledStream, createStreamReader } from "./stream-reader.ts";

/** Limit of standing connections of one session: each event is sent to all of them. */
export const MAX_STANDING = 32;

export type Hub = ReturnType<typeof createHub>;

/** `isRunning`: whether a turn runs in this object now. A turn that waits for its alarm does not. */
export function createHub(clock: Clock, isRunning: () => boolean = () => false) {
  const readers = new Set<ConnectedReader>();
  /** Of them, those that only pass the events on. */
  const relays = new Set<ConnectedReader>();
  const standing = new Map<StandingReader, ConnectedReader>();
  const order = createEventOrder();

  /** A reader may leave while it takes what it missed. */
  function add(reader: ConnectedReader, missed: PlacedEvent[]): void {
    readers.add(reader);
    for (const event of missed) if (readers.has(reader)) reader.take(event);
  }

  function join(connection: StandingReader, state: ReaderState, missed: PlacedEvent[] = []): void {
    const reader = createStandingReader({ clock, connection, state, onLeave: () => leave(connection) });
    standing.set(connection, reader);
    add(reader, missed);
  }

  function leave(connection: StandingReader): void {
    const reader = standing.get(connection);
    if (reader) readers.delete(reader);
    standing.delete(connection);
  }

  return {
    emit(event: PlacedEvent): void {
      for (const next of order.put(event)) for (const reader of readers) reader.take(next);
    },
    /** Whether a reader is connected who could stop a turn. A connection that broke silently counts until the platform notices. */
    isWatched: (): boolean => readers.size > relays.size,
    /** Restores the order from the log: the running call, and the events after it. */
    hold: (call: number, later: PlacedEvent[]): void => order.restore(call, later),

    /**
     * Server-sent events: `missed`, then live ones, until turn `until` ends, the idle timeout is reached, or the reader
     * leaves. With `waits`, nothing is sent before that turn begins. If its input is put into another turn, the stream
     * follows that turn. With `isRelay`, nobody watches by it. Must be called synchronously after `missed` was read.
     */
    open(
      missed: PlacedEvent[],
      {
        until,
        waits,
        from = START,
        isRelay = false,
      }: { until: number; waits: boolean; from?: Position; isRelay?: boolean },
    ): ReadableStream<Uint8Array> {
      const onLeave = () => {
        readers.delete(reader);
        relays.delete(reader);
      };
      const reader = createStreamReader({ clock, isRunning, until, waits, from, onLeave });
      if (isRelay) relays.add(reader);
      add(reader, missed);
      reader.startLimits();
      return reader.stream;
    },
    /** A stream that ends after `missed`. */
    openSettled: createSettledStream,

    standing: (): number => standing.size,
    /** Sends `missed`, then live events. Must be called synchronously after `missed` was read. */
    watch(connection: StandingReader, last: Position, missed: PlacedEvent[]): void {
      const state: ReaderState = { v: 1, last, since: clock.now() };
      connection.keep(state);
      join(connection, state, missed);
    },
    /** For a connection that outlived the object which accepted it. */
    rejoin: (connection: StandingReader, state: ReaderState): void => join(connection, state),
    leave,
    /** Disconnects every reader. */
    end(): void {
      for (const reader of readers) reader.end();
    },
  };
}
