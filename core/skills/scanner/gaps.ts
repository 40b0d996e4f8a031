// Finds forms that have gaps (`curl … | … sh`) in time that grows with the text alone. A regular expression tries every end of
// one gap with every end of the next; here each piece between two gaps is looked for by itself, and pieces are joined from the
// last to the first, each with the nearest one behind it that leads to an end. Used by forms.ts. Pure.

interface Gap {
  least: number;
  most: number;
  /** What may not stand in it. */
  barrier: RegExp;
}

/** Pieces with a gap between each two. */
export interface GappedForm {
  pieces: RegExp[];
  gaps: Gap[];
}

export interface Place {
  from: number;
  to: number;
}

const FLAGS = "giu";
/** Shorter gaps stay in their piece. */
const LEAST_GAP = 6;
/** No piece is longer; so far behind a gap the next piece is looked for. */
const MAX_PIECE_CHARS = 300;

/**
 * One form for each alternative of `source`. A gap is a class with a bound from 6 on (`[^\n]{0,80}`, or
 * `(?:(?!-->)[\s\S]){0,600}`) that stands in no group. Pieces must be bounded, since each is tried at every character.
 */
export function toGapped(source: string): GappedForm[] {
  return splitAt(source, readAlternative).map((alternative) => {
    const gaps: Gap[] = [];
    const pieces = splitAt(alternative, (rest) => {
      const gap = readGap(rest);
      if (gap) gaps.push(gap.gap);
      return gap?.length ?? 0;
    });
    return { pieces: pieces.map((piece) => new RegExp(piece, FLAGS)), gaps };
  });
}

/** The first pieces of forms as one expression: where it finds nothing, none of the forms does. */
export function toHeads(forms: GappedForm[]): RegExp {
  return new RegExp(forms.map(({ pieces }) => pieces[0]!.source).join("|"), FLAGS);
}

/** Places of a form, from its first character to its last; one that begins within another is left out. */
export function* findGapped({ pieces, gaps }: GappedForm, text: string): Generator<Place> {
  let windows: Place[] = [{ from: 0, to: text.length }];
  const found: Place[][] = [];
  for (const [n, piece] of pieces.entries()) {
    const places = findAll(piece, text, windows);
    if (places.length === 0) return;
    found.push(places);
    if (n < gaps.length) windows = windowsBehind(places, gaps[n]!);
  }
  let whole = found.pop()!;
  for (let n = found.length - 1; n >= 0 && whole.length > 0; n--) whole = joinNearest(found[n]!, gaps[n]!, whole, text);
  let end = -1;
  for (const place of whole) {
    if (place.from < end) continue;
    yield place;
    end = place.to;
  }
}

/** Also those that overlap, by their beginnings. */
function findAll(piece: RegExp, text: string, windows: Place[]): Place[] {
  const places: Place[] = [];
  for (const { from, to } of windows) {
    piece.lastIndex = from;
    for (let match = piece.exec(text); match && match.index <= to; match = piece.exec(text)) {
      places.push({ from: match.index, to: match.index + match[0].length });
      piece.lastIndex = match.index + 1;
    }
  }
  return places;
}

/** Where a piece behind these may begin. */
function windowsBehind(places: Place[], { least, most }: Gap): Place[] {
  const windows: Place[] = [];
  for (const { to } of places) {
    const last = windows.at(-1);
    if (last && to + least <= last.to + MAX_PIECE_CHARS) last.to = Math.max(last.to, to + most);
    else windows.push({ from: to + least, to: to + most });
  }
  return windows;
}

/** Of `places` those with one of `behind` in reach and nothing between the two that may not stand there. Both are in order. */
function joinNearest(places: Place[], { least, most, barrier }: Gap, behind: Place[], text: string): Place[] {
  const joined: Place[] = [];
  let next = behind.length;
  let clearFrom = Infinity; // between here and `behind[next]` there is no barrier
  for (let n = places.length - 1; n >= 0; n--) {
    const { from, to } = places[n]!;
    const before = next;
    // Ends are not always in order: an earlier piece may reach further.
    while (next < behind.length && behind[next]!.from < to + least) next++;
    while (next > 0 && behind[next - 1]!.from >= to + least) next--;
    const nearest = behind[next];
    if (next !== before) clearFrom = nearest ? nearest.from : Infinity;
    if (!nearest || nearest.from - to > most) continue;
    if (to < clearFrom) {
      barrier.lastIndex = 0;
      if (barrier.test(text.slice(to, clearFrom))) continue;
      clearFrom = to;
    }
    joined.push({ from, to: nearest.to });
  }
  return joined.reverse();
}

const COMMENT_GAP = /^\(\?:\(\?!-->\)\[\\s\\S\]\)\{(\d+),(\d+)\}\??/;
const CLASS_GAP = /^(\[(?:[^\]\\]|\\.)*\])\{(\d+),(\d+)\}\??/;

function readGap(rest: string): { gap: Gap; length: number } | null {
  const comment = COMMENT_GAP.exec(rest);
  if (comment) return { gap: toGap(comment[1]!, comment[2]!, "-->"), length: comment[0].length };
  const [whole, chars = "", least = "", most = ""] = CLASS_GAP.exec(rest) ?? [];
  if (whole === undefined || Number(most) < LEAST_GAP) return null;
  const others = chars.startsWith("[^") ? `[${chars.slice(2)}` : `[^${chars.slice(1)}`;
  return { gap: toGap(least, most, others), length: whole.length };
}

function toGap(least: string, most: string, barrier: string): Gap {
  return { least: Number(least), most: Number(most), barrier: new RegExp(barrier, "iu") };
}

function readAlternative(rest: string): number {
  return rest.startsWith("|") ? 1 : 0;
}

/** Cuts a source where `read` says that so many characters are a separator, outside of groups and classes. */
function splitAt(source: string, read: (rest: string) => number): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < source.length;) {
    const length = depth === 0 ? read(source.slice(at)) : 0;
    if (length > 0) {
      parts.push(source.slice(from, at));
      at += length;
      from = at;
      continue;
    }
    const [atom] = /^(?:\[(?:[^\]\\]|\\.)*\]|\\.|[^])/u.exec(source.slice(at))!;
    if (atom === "(") depth++;
    if (atom === ")") depth--;
    at += atom.length;
  }
  return [...parts, source.slice(from)];
}
