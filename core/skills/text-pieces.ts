// Finds copies of a text in records that hold it escaped, cut or within other text: compares letters and digits only, piece
// by piece. Used by whoever erases what a person purged. Pure.

/** Shorter pieces stand in texts that have nothing to do with it. */
const MIN_PIECE = 8;
/** A whole text may be shorter: it is all there is. */
const MIN_WHOLE = 4;
/** A copy may be cut anywhere, so that a long line is looked for in pieces. */
const MAX_PIECE = 60;

/** Pieces of `texts` that stand in none of `kept`. */
export function toPieces(texts: string[], kept: string[] = []): string[] {
  const pieces = new Set<string>();
  for (const text of texts) {
    const own = text.split("\n").map(squeeze).flatMap(cut);
    const long = own.filter((piece) => piece.length >= MIN_PIECE);
    const whole = squeeze(text);
    const found = long.length > 0 ? long : whole.length >= MIN_WHOLE ? [whole] : [];
    for (const piece of found) pieces.add(piece);
  }
  const find = createFinder([...pieces]);
  for (const other of kept) for (const piece of find(squeeze(other))) pieces.delete(piece);
  return [...pieces];
}

export function holdsAny(text: string, pieces: string[]): boolean {
  const find = finders.get(pieces) ?? createFinder(pieces);
  finders.set(pieces, find);
  return !find(squeeze(text)).next().done;
}

/** One list of pieces is looked for in thousands of records. */
const finders = new WeakMap<string[], Finder>();

type Finder = (squeezed: string) => Generator<string>;

/** Walks a text once, however many pieces there are: by their first letters, of which all but whole texts have enough. */
function createFinder(pieces: string[]): Finder {
  const short = pieces.filter((piece) => piece.length < MIN_PIECE);
  const long = pieces.filter((piece) => piece.length >= MIN_PIECE);
  const byBeginning = Map.groupBy(long, (piece) => piece.slice(0, MIN_PIECE));
  return function* (squeezed) {
    for (const piece of short) if (squeezed.includes(piece)) yield piece;
    if (byBeginning.size === 0) return;
    for (let at = 0; at + MIN_PIECE <= squeezed.length; at++) {
      for (const piece of byBeginning.get(squeezed.slice(at, at + MIN_PIECE)) ?? []) {
        if (squeezed.startsWith(piece, at)) yield piece;
      }
    }
  };
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
  return text.replace(/(?<!\\)\\+[nrtbf]/g, "").replace(/[^\p{L}\p{N}]+/gu, "");
}

function cut(line: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += MAX_PIECE) pieces.push(line.slice(at, at + MAX_PIECE));
  return pieces;
}
