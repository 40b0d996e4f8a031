// Cuts a text into pieces that marked reads in a short time. Its time grows with the square of a paragraph's or a list's length, it reads
// what is nested by recursion, and it fills up every row of a table: a text of 100 KB can hold a page up for a minute. Pure.

export interface Piece {
  text: string;
  /** Shown as it was written. */
  isPlain: boolean;
}

/** [own] The slowest known texts of this length take marked 0.1 s. */
const MAX_PIECE = 10_000;
/** [own] Of all pieces of a text: the sum of their squares. */
const MAX_WORK = 2 * MAX_PIECE ** 2;
/** A line that begins with more quotes and lists than anybody nests. */
const NESTED = /^[ \t]*(?:>[ \t]*|(?:[*+-]|\d{1,9}[.)])[ \t]+){17}/m;
/** [own] Columns times rows. */
const MAX_CELLS = 10_000;

/** The pieces, joined, are the text. In a long one, code between fences that are not indented is a piece of its own, of any length. */
export function splitMarkdown(text: string): Piece[] {
  const isLong = text.length > MAX_PIECE;
  let work = 0;
  return (isLong ? cut(text) : [text]).map((piece) => {
    if (isLong && FENCE.test(piece)) return { text: piece, isPlain: false };
    work += piece.length ** 2;
    return { text: piece, isPlain: piece.length > MAX_PIECE || work > MAX_WORK || NESTED.test(piece) || isVast(piece) };
  });
}

const FENCE = /^(?:`{3,}(?=[^`\n]*(?:\n|$))|~{3,})/;

function cut(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  let fence: string | null = null;
  const end = () => {
    if (piece !== "") pieces.push(piece);
    piece = "";
  };
  for (const line of text.split(/(?<=\n)/)) {
    const opening: RegExpExecArray | null = fence === null ? FENCE.exec(line) : null;
    if (opening || (fence === null && piece.length + line.length > MAX_PIECE)) end();
    piece += line;
    if (opening) fence = opening[0];
    else if (fence === null ? piece.length > MAX_PIECE / 2 && line.trim() === "" : closes(line, fence)) {
      end();
      fence = null;
    }
  }
  end();
  return pieces;
}

function closes(line: string, fence: string): boolean {
  const mark = line.replace(/^ {0,3}/, "");
  return mark.startsWith(fence) && /^[`~]* *$/.test(mark.slice(fence.length).replace(/\n$/, ""));
}

function isVast(piece: string): boolean {
  const lines = piece.split("\n");
  const columns = Math.max(...lines.map((line) => line.split("|").length));
  return columns > 1 && columns * lines.length > MAX_CELLS;
}
