// Finds copies of a text in records that hold it escaped, cut or within other text: compares letters (small and capital ones are
// the same) and digits, piece by piece. Used where a purged text is erased. Pure.
import { REQUIRED_SECTIONS } from "../format/validate.ts";

/** Shorter pieces stand in texts that have nothing to do with it. */
const MIN_PIECE = 8;
/** A whole text may be shorter: it is all there is. */
const MIN_WHOLE = 4;
/** A copy may be cut anywhere, so that a long line is looked for in pieces. */
const MAX_PIECE = 60;

/**
 * Pieces of `texts` that stand in none of `kept`, and in no heading that every skill has; sorted, and none is the beginning of
 * another.
 */
export function toPieces(texts: string[], kept: string[] = []): string[] {
  const found = new Set(texts.flatMap(cutText));
  const others = [...kept, ...REQUIRED_SECTIONS].map(squeeze);
  for (;;) {
    const pieces = withoutLonger([...found].sort());
    const said = others.flatMap((other) => [...piecesIn(other, pieces)]);
    if (said.length === 0) return pieces;
    for (const piece of said) found.delete(piece);
  }
}

/** `pieces`: as `toPieces` gives them. */
export function holdsAny(text: string, pieces: string[]): boolean {
  return !piecesIn(squeeze(text), pieces).next().done;
}

/** In their order, only the last piece that does not come behind what stands at a place can begin there. */
function* piecesIn(squeezed: string, pieces: string[]): Generator<string> {
  for (let at = 0; at < squeezed.length && pieces.length > 0; at++) {
    const here = squeezed.slice(at, at + MAX_PIECE);
    let [low, high] = [0, pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (pieces[middle]! <= here) low = middle;
      else high = middle - 1;
    }
    if (here.startsWith(pieces[low]!)) yield pieces[low]!;
  }
}

/** Who holds a piece holds its beginning. */
function withoutLonger(sorted: string[]): string[] {
  const pieces: string[] = [];
  for (const piece of sorted) if (pieces.length === 0 || !piece.startsWith(pieces.at(-1)!)) pieces.push(piece);
  return pieces;
}

/** The same value with a marker in place of each string that holds a piece. */
export function withoutPieces(value: unknown, pieces: string[]): unknown {
  if (typeof value === "string") return holdsAny(value, pieces) ? ERASED : value;
  if (Array.isArray(value)) return value.map((item) => withoutPieces(item, pieces));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutPieces(item, pieces)]));
}

export const ERASED = "(erased)";

/** Escapes are dropped first: a line break of a text is `\n`, `\\n` or more in a record that quotes it. */
function squeeze(text: string): string {
  return text
    .replace(/(?<!\\)\\+[nrtbf]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();
}

/** Lines in pieces, as far as these tell something; else the text as a whole. */
function cutText(text: string): string[] {
  const ofLines = text.split("\n").map(squeeze).flatMap(cut);
  if (ofLines.length > 0) return ofLines;
  const whole = squeeze(text);
  return whole.length >= MIN_PIECE ? cut(whole) : whole.length >= MIN_WHOLE ? [whole] : [];
}

/** The last piece is as long as the others: the end of a line alone stands in texts that have nothing to do with it. */
function cut(line: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += MAX_PIECE) {
    const from = Math.max(0, Math.min(at, line.length - MAX_PIECE));
    pieces.push(line.slice(from, from + MAX_PIECE));
  }
  return pieces.filter((piece) => piece.length >= MIN_PIECE);
}
