// Reads the bytes of a reply ahead of who takes them. A fast answer comes in hundreds of small pieces, and to take each by
// itself, parse it and tell readers of it costs far more than to read it (docs/decisions/0017). Used by sse.ts.
import type { Clock } from "../../ports.ts";

/** Nobody sees an answer grow more often than this: two frames of a screen. */
const GATHER_MS = 32;
/** So much may be read and not taken yet. */
const MAX_AHEAD_BYTES = 1 << 20;

export interface GatheredPieces {
  /**
   * All that was read and not taken, at least one piece; null at the end. Rejects with what broke the reading, behind what
   * was read before. `gather`: unless the reply ends before, waits until GATHER_MS after what was taken last.
   */
  next(gather: boolean): Promise<Uint8Array[] | null>;
  /** Closes the connection, whoever still waits for `next`. */
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
        // A sleep that can be called off costs more in workerd than one that is left to run out.
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
      void reader.cancel().catch(() => undefined); // it had broken already
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

export function sizeOf(pieces: Uint8Array[]): number {
  return pieces.reduce((bytes, piece) => bytes + piece.byteLength, 0);
}
