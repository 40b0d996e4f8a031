// The connected readers of a session: streams of server-sent events for one turn, and standing connections (WebSockets) for
// all turns. Writers of the log emit events here. Holds no history: readers.ts sends a new reader what it missed. Must
// never delay a turn: a stream that is too slow is cut off.
import type { Clock } from "../../ports.ts";
import type { AgentEvent } from "../../schemas/entry.ts";
import { createEventOrder } from "./event-order.ts";
import { type PlacedEvent, type Position, START, encodeEvent, encodeMessage, isAfter } from "./events.ts";
import { createTextStream } from "./text-stream.ts";

/** A stream with more unread characters is cut off; its reader connects again with the last event id. */
const MAX_QUEUED_CHARS = 4 << 20;

/**
 * Idle timeout of a stream, which would keep the object awake. It does not apply while a turn runs, which keeps the object
 * awake anyway. Readers that wait for the next turn use a standing connection.
 */
const MAX_SILENT_MS = 5 * 60_000;

/** Keep-alive interval: proxies and clients take a longer silence for a broken connection. */
const KEEP_ALIVE_MS = 15_000;
/** A comment without an id. Readers skip it, and it does not extend the idle timeout. */
const KEEP_ALIVE = ": still here\n\n";

/**
 * A standing connection must present its key again after this time, so that a revoked key stops reading. Checked when there
 * is something to send: an idle connection costs nothing.
 */
const MAX_STANDING_MS = 15 * 60_000;

/** Limit of standing connections of one session: each event is sent to all of them. */
export const MAX_STANDING = 32;

/** Close codes of a standing connection, from the range reserved for applications. */
export const CLOSE_CODES = {
  /** Connect again with the last id and the key. */
  signInAgain: 4001,
  /** The session was deleted. */
  deleted: 4404,
  /** The reader sent something other than `ping`. */
  notUnderstood: 4400,
} as const;

/** A connection that may outlive this object's memory. The platform returns what it keeps. */
export interface StandingReader {
  /** Throws when the connection is gone. */
  send(text: string): void;
  close(code: number, reason: string): void;
  keep(kept: ReaderState): void;
}

export interface ReaderState {
  v: 1;
  /** Position of the last event sent. */
  last: Position;
  /** When the reader presented its key. */
  since: number;
}

interface ConnectedReader {
  take(event: PlacedEvent): void;
  /** The session was deleted. */
  end(): void;
}

export type Hub = ReturnType<typeof createHub>;

/** `isRunning`: whether a turn runs in this object now. A turn that waits for its alarm does not. */
export function createHub(clock: Clock, isRunning: () => boolean = () => false) {
  const readers = new Set<ConnectedReader>();
  const standing = new Map<StandingReader, ConnectedReader>();
  const order = createEventOrder();

  function join(connection: StandingReader, kept: ReaderState): ConnectedReader {
    let { last } = kept;
    const reader: ConnectedReader = {
      take(event) {
        const next = toNext(event, last);
        if (!next) return;
        if (clock.now() - kept.since > MAX_STANDING_MS) {
          leave(connection);
          return connection.close(CLOSE_CODES.signInAgain, "Connect again with the last id and your key.");
        }
        last = next.event.type === "reasoning_delta" ? last : next.at;
        try {
          connection.send(encodeMessage(next));
          connection.keep({ ...kept, last });
        } catch {
          leave(connection); // The connection is closing. The reader may connect again with its last id.
        }
      },
      end() {
        leave(connection);
        connection.close(CLOSE_CODES.deleted, "This session was deleted.");
      },
    };
    readers.add(reader);
    standing.set(connection, reader);
    return reader;
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
    /** Whether a reader is connected. A connection that broke silently counts until the platform notices. */
    isWatched: (): boolean => readers.size > 0,
    /** Restores the order from the log: the running call, and the events after it. */
    hold: (call: number, later: PlacedEvent[]): void => order.restore(call, later),

    /**
     * Server-sent events: `missed`, then live ones, until turn `until` ends, the idle timeout is reached, or the reader
     * leaves. With `waits`, nothing is sent before that turn begins. If its input is put into another turn, the stream
     * follows that turn. Must be called synchronously after `missed` was read.
     */
    open(missed: PlacedEvent[], until: number, waits: boolean, from = START): ReadableStream<Uint8Array> {
      let waiting = waits;
      let target = until;
      let last: Position = from;
      let lastSentAt = clock.now();
      const left = new AbortController();
      const text = createTextStream(() => leaveStream());
      const reader: ConnectedReader = {
        take(event) {
          const { event: what } = event;
          if (what.type === "steer_add" && what.turn === target) target = what.into;
          if (isBeginning(what, until)) waiting = false;
          const next = waiting ? null : toNext(event, last);
          if (!next) return;
          if (next.event.type !== "reasoning_delta") last = next.at;
          lastSentAt = clock.now();
          if (!text.write(encodeEvent(next))) leaveStream();
          if (what.type === "turn_end" && what.turn === target) {
            leaveStream();
            text.end();
          }
        },
        end() {
          leaveStream();
          text.end();
        },
      };
      function leaveStream(): void {
        readers.delete(reader);
        left.abort("left");
      }
      readers.add(reader);
      for (const event of missed) if (readers.has(reader)) reader.take(event);
      // Missed events do not count towards the limit.
      text.limit(MAX_QUEUED_CHARS);
      void watchSilence();
      return text.stream;

      async function watchSilence(): Promise<void> {
        for (;;) {
          const leftMs = isRunning() ? MAX_SILENT_MS : lastSentAt + MAX_SILENT_MS - clock.now();
          if (leftMs <= 0) break;
          await clock.sleep(Math.min(KEEP_ALIVE_MS, leftMs), left.signal);
          if (left.signal.aborted) return;
          if (!text.write(KEEP_ALIVE)) return leaveStream();
        }
        leaveStream();
        text.end();
      }
    },
    /** A stream that ends after `missed`. */
    openSettled(missed: PlacedEvent[]): ReadableStream<Uint8Array> {
      const text = createTextStream(() => {});
      for (const event of missed) text.write(encodeEvent(event));
      text.end();
      return text.stream;
    },

    standing: (): number => standing.size,
    /** Sends `missed`, then live events. Must be called synchronously after `missed` was read. */
    watch(connection: StandingReader, last: Position, missed: PlacedEvent[]): void {
      const kept: ReaderState = { v: 1, last, since: clock.now() };
      connection.keep(kept);
      const reader = join(connection, kept);
      for (const event of missed) if (readers.has(reader)) reader.take(event);
    },
    /** For a connection that outlived the object which accepted it. */
    rejoin: (connection: StandingReader, kept: ReaderState): void => void join(connection, kept),
    leave,
    /** Disconnects every reader. */
    end(): void {
      for (const reader of readers) reader.end();
    },
  };
}

function isBeginning(event: AgentEvent, turn: number): boolean {
  return (event.type === "turn_start" || event.type === "steer_add") && event.turn === turn;
}

/** The event for a reader at `last`. `null`: already sent. A notice that took over an answer's number restarts that entry. */
function toNext({ at, event }: PlacedEvent, last: Position): PlacedEvent | null {
  if (event.type === "reasoning_delta") return { at, event };
  if (event.type === "notice_add" && at.entry === last.entry && last.offset > 0) {
    return { at: { entry: at.entry, offset: last.offset + 1 }, event: { type: "entry_restart", entry: at.entry } };
  }
  return isAfter(at, last) ? { at, event } : null;
}
