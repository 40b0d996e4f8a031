// Finds copies of a text in records that may escape, cut or embed it. Compares letters (ignoring case) and digits,
// piece by piece. Used to erase a purged text. Pure.
import { REQUIRED_SECTIONS } from "../format/validate.ts";

/** Minimum length of a piece. Shorter pieces occur in unrelated texts. */
const MIN_PIECE = 8;
/** Minimum length of a whole text, which may be shorter than a piece. */
const MIN_WHOLE = 4;
/** Maximum length of a piece. A copy may be cut anywhere, so a long line is searched for in pieces. */
const MAX_PIECE = 60;

/**
 * Pieces of `texts` that occur neither in `kept` nor in a heading that every skill has. Sorted; no piece is a prefix of
 * another.
 */
export function toPieces(texts: string[], kept: string[] = []): string[] {
  const found = new Set(texts.flatMap(cutText));
  const others = [...kept, ...REQUIRED_SECTIONS].map(squeeze);
  for (;;) {
    const pieces = withoutLonger([...found].sort());
    const keptPieces = others.flatMap((other) => [...piecesIn(other, pieces)]);
    if (keptPieces.length === 0) return pieces;
    for (const piece of keptPieces) found.delete(piece);
  }
}

/** `pieces` must come from `toPieces`. */
export function holdsAny(text: string, pieces: string[]): boolean {
  return !piecesIn(squeeze(text), pieces).next().done;
}

/**
 * Since the pieces are sorted and prefix-free, only the last one that sorts before the text at a position can begin
 * there.
 */
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

/** Drops each piece that begins with another piece: a text that contains the longer piece also contains the shorter. */
function withoutLonger(sorted: string[]): string[] {
  const pieces: string[] = [];
  for (const piece of sorted) if (pieces.length === 0 || !piece.startsWith(pieces.at(-1)!)) pieces.push(piece);
  return pieces;
}

/** The value with a marker in place of each string that is meant. */
export function withoutTexts(value: unknown, isMeant: (text: string) => boolean): unknown {
  if (typeof value === "string") return isMeant(value) ? ERASED : value;
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item, isMeant));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutTexts(item, isMeant)]));
}

const ERASED = "(erased)";

/** The letters and digits of a text in lower case. Drops escapes first: a line break may be `\n`, `\\n` or more in a record that quotes the text. */
export function squeeze(text: string): string {
  return text
    .replace(/(?<!\\)\\+[nrtbf]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();
}

/** Cuts the lines of a text into pieces, or takes the text as a whole if its lines are too short. */
function cutText(text: string): string[] {
  const ofLines = text.split("\n").map(squeeze).flatMap(cut);
  if (ofLines.length > 0) return ofLines;
  const whole = squeeze(text);
  if (whole.length >= MIN_PIECE) return cut(whole);
  return whole.length >= MIN_WHOLE ? [whole] : [];
}

/** The last piece is as long as the others, because a short end of a line occurs in unrelated texts. */
function cut(line: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += MAX_PIECE) {
    const from = Math.max(0, Math.min(at, line.length - MAX_PIECE));
    pieces.push(line.slice(from, from + MAX_PIECE));
  }
  return pieces.filter((piece) => piece.length >= MIN_PIECE);
}
