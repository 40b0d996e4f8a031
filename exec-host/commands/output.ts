// What a stream of a command wrote: its beginning and its end are kept, all bytes are counted. Memory is bounded, however much
// comes. Used by command.ts.

/** A piece of output. Bytes between `from` as asked and `from` as answered are gone. */
export interface OutputPiece {
  from: number;
  /** Where the next piece begins. */
  next: number;
  /** Everything written so far. */
  bytes: number;
  text: string;
}

/** The kept parts as text; `tail` is "" when `head` is everything. */
export interface OutputSummary {
  bytes: number;
  head: string;
  tail: string;
}

export class Output {
  bytes = 0;
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head: Buffer = Buffer.alloc(0);
  #pieces: Buffer[] = [];
  #piecesBytes = 0;

  constructor(headBytes: number, tailBytes: number) {
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  add(piece: Buffer): void {
    this.bytes += piece.length;
    const room = this.#headBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, piece.subarray(0, room)]);
    const rest = piece.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#pieces.push(rest);
    this.#piecesBytes += rest.length;
    // Many small pieces would each hold a buffer of their own, so they are joined.
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    while (this.#piecesBytes - this.#pieces[0]!.length >= this.#tailBytes) {
      this.#piecesBytes -= this.#pieces.shift()!.length;
    }
  }

  summary(): OutputSummary {
    const isWhole = this.bytes === this.#head.length + this.#piecesBytes;
    if (isWhole) return { bytes: this.bytes, head: toText(Buffer.concat([this.#head, ...this.#pieces])), tail: "" };
    const tail = Buffer.concat(this.#pieces).subarray(-this.#tailBytes);
    return { bytes: this.bytes, head: toText(this.#head), tail: toText(tail) };
  }

  /**
   * At most `limit` bytes from `from` on. A character that is cut by the limit is left for the next piece; if the stream may grow, also one
   * whose end has not come yet.
   */
  read(from: number, limit: number, mayGrow = false): OutputPiece {
    const { at, kept } = this.#keptFrom(from);
    let end = Math.min(kept.length, limit);
    if (end < kept.length || mayGrow) end = wholeChars(kept, end);
    return { from: at, next: at + end, bytes: this.bytes, text: kept.toString("utf8", 0, end) };
  }

  /** Whether there is a whole character from `from` on. */
  hasMore(from: number): boolean {
    if (this.bytes - from >= 4 || this.bytes <= from) return this.bytes > from;
    const { kept } = this.#keptFrom(from);
    return isInside(kept[0]!) || kept.length >= lengthOf(kept[0]!);
  }

  #keptFrom(from: number): { at: number; kept: Buffer } {
    const tailStart = this.bytes - this.#piecesBytes;
    if (tailStart === this.#head.length) {
      const all = Buffer.concat([this.#head, ...this.#pieces]);
      return { at: Math.min(from, all.length), kept: all.subarray(from) };
    }
    if (from < this.#head.length) return { at: from, kept: this.#head.subarray(from) };
    const at = Math.min(Math.max(from, tailStart), this.bytes);
    return { at, kept: Buffer.concat(this.#pieces).subarray(at - tailStart) };
  }
}

const MAX_PIECES = 256;

function toText(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isInside(bytes[start]!)) start++;
  return bytes.toString("utf8", start, wholeChars(bytes, bytes.length));
}

/** The last end of a whole character at or before `end`. Bytes that are not UTF-8 are left as they are. */
function wholeChars(bytes: Buffer, end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - 4); at--) {
    const byte = bytes[at]!;
    if (isInside(byte)) continue;
    return at + lengthOf(byte) > end ? at || end : end;
  }
  return end;
}

/** Of a character that begins with this byte. */
function lengthOf(byte: number): number {
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

/** A byte in the middle of a character of UTF-8. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
