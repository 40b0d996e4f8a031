// The readers of a session that are connected now: of one turn, by server-sent events, or of all that comes, on a standing
// connection. Whoever writes to the log tells them here. Holds no history: who joins is brought up to date by readers.ts.
// Never holds up a turn: a reader that is too slow is cut off.
import type { Clock } from "../../ports.ts";
import type { AgentEvent } from "../../schemas/entry.ts";
import { createEventOrder } from "./event-order.ts";
import { type PlacedEvent, type Position, START, encodeEvent, encodeMessage, isAfter } from "./events.ts";
import { createTextStream } from "./text-stream.ts";

/** A reader this far behind is cut off; it comes back with its last event id. */
const MAX_QUEUED_CHARS = 4 << 20;

/**
 * A stream that has nothing to tell for this long ends, because it would keep the object awake; not while a turn runs, which
 * keeps it awake anyway. Waiting is for a standing connection.
 */
const MAX_SILENT_MS = 5 * 60_000;

/** How often a stream is sent a comment: proxies and clients take a longer silence for a broken connection. */
const SIGN_OF_LIFE_MS = 15_000;
/** No event: it has no id, readers pass it over, and it puts off no end. */
const SIGN_OF_LIFE = ": still here\n\n";

/**
 * The longest that a standing connection is served on one check of its key, so that a revoked key reads on for no longer.
 * Looked at when there is something to send: a connection that only waits costs nothing.
 */
const MAX_STANDING_MS = 15 * 60_000;

/** Standing connections of one session. Each event is sent to every one of them. */
export const MAX_STANDING = 32;

/** Close codes of a standing connection, from the range that is left to applications. */
export const CLOSE = {
  /** Come back with the last id and the key. */
  signInAgain: 4001,
  /** The session was deleted: there is nothing to come back to. */
  deleted: 4404,
  /** Readers say nothing but `ping`. */
  notUnderstood: 4400,
} as const;

/** A reader whose connection may outlive this object's memory. What it keeps comes back with it. */
export interface StandingReader {
  /** Throws when the connection is gone. */
  send(text: string): void;
  close(code: number, reason: string): void;
  keep(kept: Kept): void;
}

export interface Kept {
  v: 1;
  /** The place of the last event that was sent. */
  last: Position;
  /** When the reader showed its key. */
  since: number;
}

interface Reader {
  take(event: PlacedEvent): void;
  /** The session is deleted. */
  end(): void;
}

export type Hub = ReturnType<typeof createHub>;

/** `isRunning`: whether a turn runs in this object now; one that waits for its alarm does not. */
export function createHub(clock: Clock, isRunning: () => boolean = () => false) {
  const readers = new Set<Reader>();
  const standing = new Map<StandingReader, Reader>();
  const order = createEventOrder();

  function join(connection: StandingReader, kept: Kept): Reader {
    let { last } = kept;
    const reader: Reader = {
      take(event) {
        const next = toNext(event, last);
        if (!next) return;
        if (clock.now() - kept.since > MAX_STANDING_MS) {
          leave(connection);
          return connection.close(CLOSE.signInAgain, "Connect again with the last id and your key.");
        }
        last = next.event.type === "reasoning_delta" ? last : next.at;
        try {
          connection.send(encodeMessage(next));
          connection.keep({ ...kept, last });
        } catch {
          leave(connection); // It is closing: the reader comes back with its last id, or not at all.
        }
      },
      end() {
        leave(connection);
        connection.close(CLOSE.deleted, "This session was deleted.");
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
    /**
     * Whether somebody reads along now. A connection whose other end vanished without a word counts until the platform
     * notices.
     */
    isWatched: (): boolean => readers.size > 0,
    /** What the log says: the call that runs, and what stands behind it. */
    hold: (call: number, behind: PlacedEvent[]): void => order.restore(call, behind),

    /**
     * Bytes of server-sent events: `missed`, then what is emitted, until turn `until` ends, nothing comes for long, or the
     * reader leaves. One that `waits` gets nothing before that turn begins, by itself or as part of another, which it then
     * follows. Nothing may run between reading `missed` and calling this.
     */
    open(missed: PlacedEvent[], until: number, waits: boolean, from = START): ReadableStream<Uint8Array> {
      let waiting = waits;
      let target = until;
      let last: Position = from;
      let toldAt = clock.now();
      const left = new AbortController();
      const text = createTextStream(() => leaveStream());
      const reader: Reader = {
        take(event) {
          const { event: what } = event;
          if (what.type === "steer_add" && what.turn === target) target = what.into;
          if (isBeginning(what, until)) waiting = false;
          const next = waiting ? null : toNext(event, last);
          if (!next) return;
          if (next.event.type !== "reasoning_delta") last = next.at;
          toldAt = clock.now();
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
      // What a reader missed is its to read, however much; only from then on can it fall behind.
      text.limit(MAX_QUEUED_CHARS);
      void watchSilence();
      return text.stream;

      async function watchSilence(): Promise<void> {
        for (;;) {
          const leftMs = isRunning() ? MAX_SILENT_MS : toldAt + MAX_SILENT_MS - clock.now();
          if (leftMs <= 0) break;
          await clock.sleep(Math.min(SIGN_OF_LIFE_MS, leftMs), left.signal);
          if (left.signal.aborted) return;
          if (!text.write(SIGN_OF_LIFE)) return leaveStream();
        }
        leaveStream();
        text.end();
      }
    },
    /** A stream of what there is, which then ends. */
    openSettled(missed: PlacedEvent[]): ReadableStream<Uint8Array> {
      const text = createTextStream(() => {});
      for (const event of missed) text.write(encodeEvent(event));
      text.end();
      return text.stream;
    },

    standing: (): number => standing.size,
    /** Sends what was missed after `last`, then all that is emitted. Nothing may run between reading `missed` and this. */
    watch(connection: StandingReader, last: Position, missed: PlacedEvent[]): void {
      const kept: Kept = { v: 1, last, since: clock.now() };
      connection.keep(kept);
      const reader = join(connection, kept);
      for (const event of missed) if (readers.has(reader)) reader.take(event);
    },
    /** A connection that outlived the object which accepted it. */
    rejoin: (connection: StandingReader, kept: Kept): void => void join(connection, kept),
    leave,
    /** Sends every reader away. */
    end(): void {
      for (const reader of readers) reader.end();
    },
  };
}

function isBeginning(event: AgentEvent, turn: number): boolean {
  return (event.type === "turn_start" || event.type === "steer_add") && event.turn === turn;
}

/** What a reader that is at `last` is told: each place once, and of an answer that was given up, to forget it. */
function toNext({ at, event }: PlacedEvent, last: Position): PlacedEvent | null {
  if (event.type === "reasoning_delta") return { at, event };
  if (event.type === "notice_add" && at.entry === last.entry && last.offset > 0) {
    return { at: { entry: at.entry, offset: last.offset + 1 }, event: { type: "entry_restart", entry: at.entry } };
  }
  return isAfter(at, last) ? { at, event } : null;
}
