// Reads the bytes of a reply ahead of their consumer. A fast answer arrives in hundreds of small pieces. Reading a piece is
// cheap; parsing each one and notifying readers is not (docs/decisions/0017). Used by sse.ts.
import type { Clock } from "../../ports.ts";

/** Two frames of a screen: people do not see an answer grow faster. */
const GATHER_MS = 32;
/** Reading pauses when this much is buffered. */
const MAX_AHEAD_BYTES = 1 << 20;

export interface GatheredPieces {
  /**
   * Takes everything buffered, at least one piece; null at the end. After a read error it first returns the buffered pieces,
   * then rejects. `gather`: waits until GATHER_MS after the previous take, or until the reply ends.
   */
  next(gather: boolean): Promise<Uint8Array[] | null>;
  /** Closes the connection. A pending `next` resolves with null. */
  close(): void;
}

export function readAhead(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): GatheredPieces {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let end: { fault: unknown } | null = null;
  let takenAt = -Infinity;
  let onPiece: (() => void) | null = null;
  let onRoom: (() => void) | null = null;
  let onEnd: (() => void) | null = null;
  void readOn();

  return {
    async next(gather) {
      if (pieces.length === 0 && !end) await new Promise<void>((resolve) => (onPiece = resolve));
      const waitMs = takenAt + GATHER_MS - clock.now();
      if (gather && !end && waitMs > 0) {
        // In workerd a cancellable sleep costs more than one that runs to its end.
        await Promise.race([clock.sleep(waitMs), new Promise<void>((resolve) => (onEnd = resolve))]);
        onEnd = null;
      }
      if (pieces.length > 0) {
        const taken = pieces;
        pieces = [];
        bytes = 0;
        takenAt = clock.now();
        onRoom?.();
        return taken;
      }
      if (end?.fault) throw end.fault;
      return null;
    },
    close() {
      void reader.cancel().catch(() => undefined); // the connection is already broken
      onRoom?.();
    },
  };

  async function readOn(): Promise<void> {
    let fault: unknown = null;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        pieces.push(value);
        bytes += value.byteLength;
        onPiece?.();
        if (bytes >= MAX_AHEAD_BYTES) await new Promise<void>((resolve) => (onRoom = resolve));
      }
    } catch (thrown) {
      fault = thrown ?? new Error("the connection broke");
    }
    end = { fault };
    onPiece?.();
    onEnd?.();
  }
}

export function countBytes(pieces: Uint8Array[]): number {
  return pieces.reduce((bytes, piece) => bytes + piece.byteLength, 0);
}
