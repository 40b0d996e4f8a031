// Recognises titles that were made of a purged text. Called by split-archive.ts. Pure.
import { holdsAny, squeeze } from "../../skills/search/text-pieces.ts";
import { hashHead } from "./purged-texts.ts";

/** Letters and digits in a row that a title shares with a text which it was made from. */
const OVERLAP = 12;

/** A title is often made of a part of a message, and so of a part of a piece. `pieces`: what `toPieces` returns. */
export function createTitleMatcher(pieces: string[]): (title: string) => boolean {
  // A set of all overlaps would take 100 MB for a text of 20,000 lines. Their hashes, which take 4, leave few to be compared.
  let hashes: Uint32Array | null = null;
  const isShared = (part: string) =>
    isSortedIn((hashes ??= hashOverlaps(pieces)), hashHead(part, 0, OVERLAP)) &&
    pieces.some((piece) => piece.includes(part));
  return (title) => {
    const squeezed = squeeze(title);
    const parts = Array.from({ length: countOverlaps(squeezed) }, (_, at) => squeezed.slice(at, at + OVERLAP));
    return holdsAny(title, pieces) || parts.some(isShared);
  };
}

function countOverlaps(squeezed: string): number {
  return Math.max(0, squeezed.length - OVERLAP + 1);
}

/** Ascending. */
function hashOverlaps(pieces: string[]): Uint32Array {
  const hashes = new Uint32Array(pieces.reduce((sum, piece) => sum + countOverlaps(piece), 0));
  let next = 0;
  for (const piece of pieces) {
    for (let at = 0; at < countOverlaps(piece); at++) hashes[next++] = hashHead(piece, at, OVERLAP);
  }
  return hashes.sort();
}

function isSortedIn(sorted: Uint32Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
