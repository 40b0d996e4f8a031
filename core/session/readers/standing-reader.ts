// One standing connection (a WebSocket), which may outlive the object's memory: it carries its own position. Made by the hub.
import type { Clock } from "../../ports.ts";
import { type Position, encodeMessage } from "./events.ts";
import { type ConnectedReader, toNext } from "./reader.ts";

/**
 * A standing connection must present its key again after this time, so that a revoked key stops reading. Checked when there
 * is something to send: an idle connection costs nothing.
 */
export const MAX_STANDING_MS = 15 * 60_000;

/** Close codes of a standing connection, from the range reserved for applications. */
export const CLOSE_CODES = {
  /** Connect again with the last id and the key. */
  signInAgain: 4001,
  /** The key or the sign-in that opened it has ended. */
  keyEnded: 4003,
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

/** What a standing connection carries. */
export interface ReaderState {
  v: 1;
  /** Position of the last event sent. */
  last: Position;
  /** When the reader presented its key. */
  since: number;
}

/** `onLeave`: called before the connection is closed, and when it turns out to be gone. */
export function createStandingReader(options: {
  clock: Clock;
  connection: StandingReader;
  state: ReaderState;
  onLeave(): void;
}): ConnectedReader {
  const { clock, connection, state, onLeave } = options;
  let { last } = state;
  return {
    take(event) {
      const next = toNext(event, last);
      if (!next) return;
      if (clock.now() - state.since > MAX_STANDING_MS) {
        onLeave();
        return connection.close(CLOSE_CODES.signInAgain, "Connect again with the last id and your key.");
      }
      last = next.event.type === "reasoning_delta" ? last : next.at;
      try {
        connection.send(encodeMessage(next));
        connection.keep({ ...state, last });
      } catch {
        onLeave(); // The connection is closing. The reader may connect again with its last id.
      }
    },
    end() {
      onLeave();
      connection.close(CLOSE_CODES.deleted, "This session was deleted.");
    },
  };
}
