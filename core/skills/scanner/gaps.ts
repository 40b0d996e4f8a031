// Finds patterns with gaps (`curl … | … sh`) in time linear in the text. A plain regular expression tries every end of
// one gap with every end of the next. Here each piece between gaps is searched by itself, and pieces are joined from
// last to first, each with the nearest following piece that leads to an end. Used by forms.ts and scanner.ts. Pure.

interface Gap {
  least: number;
  most: number;
  /** What the gap must not contain. */
  barrier: RegExp;
}

/** Pieces with a gap between each two. */
export interface GappedForm {
  pieces: RegExp[];
  gaps: Gap[];
}

export interface TextRange {
  from: number;
  to: number;
}

const FLAGS = "giu";
/** A gap shorter than this stays inside its piece. */
const MIN_GAP = 6;
/** Maximum length of a piece. After a gap, the next piece is searched for this far. */
const MAX_PIECE_CHARS = 300;

/**
 * One pattern for each alternative of `source`. A gap is a class whose upper bound is 6 or more (`[^\n]{0,80}`, or
 * `(?:(?!-->)[\s\S]){0,600}`), outside any group. Pieces must be bounded, because each is tried at every character.
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

/** The first pieces of all patterns as one expression. If it matches nowhere, none of them does. */
export function toHeads(forms: GappedForm[]): RegExp {
  return new RegExp(forms.map(({ pieces }) => pieces[0]!.source).join("|"), FLAGS);
}

/** The places of a pattern. A place that begins inside another is left out. */
export function* findGapped({ pieces, gaps }: GappedForm, text: string): Generator<TextRange> {
  let windows: TextRange[] = [{ from: 0, to: text.length }];
  const found: TextRange[][] = [];
  for (const [n, piece] of pieces.entries()) {
    const places = findAll(piece, text, windows);
    if (places.length === 0) return;
    found.push(places);
    if (n < gaps.length) windows = windowsAfter(places, gaps[n]!);
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

/** All matches, overlapping ones included, by where they begin. */
function findAll(piece: RegExp, text: string, windows: TextRange[]): TextRange[] {
  const places: TextRange[] = [];
  for (const { from, to } of windows) {
    piece.lastIndex = from;
    for (let match = piece.exec(text); match && match.index <= to; match = piece.exec(text)) {
      places.push({ from: match.index, to: match.index + match[0].length });
      piece.lastIndex = match.index + 1;
    }
  }
  return places;
}

/** Where the piece after these may begin. */
function windowsAfter(places: TextRange[], { least, most }: Gap): TextRange[] {
  const windows: TextRange[] = [];
  for (const { to } of places) {
    const last = windows.at(-1);
    if (last && to + least <= last.to + MAX_PIECE_CHARS) last.to = Math.max(last.to, to + most);
    else windows.push({ from: to + least, to: to + most });
  }
  return windows;
}

/** The places that have one of `following` in reach with no barrier between. Both lists are in order. */
function joinNearest(
  places: TextRange[],
  { least, most, barrier }: Gap,
  following: TextRange[],
  text: string,
): TextRange[] {
  const joined: TextRange[] = [];
  let next = following.length;
  let clearFrom = Infinity; // between here and `following[next]` there is no barrier
  for (let n = places.length - 1; n >= 0; n--) {
    const { from, to } = places[n]!;
    const before = next;
    // Ends need not be in order: an earlier piece may reach further.
    while (next < following.length && following[next]!.from < to + least) next++;
    while (next > 0 && following[next - 1]!.from >= to + least) next--;
    const nearest = following[next];
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
  if (whole === undefined || Number(most) < MIN_GAP) return null;
  const others = chars.startsWith("[^") ? `[${chars.slice(2)}` : `[^${chars.slice(1)}`;
  return { gap: toGap(least, most, others), length: whole.length };
}

function toGap(least: string, most: string, barrier: string): Gap {
  return { least: Number(least), most: Number(most), barrier: new RegExp(barrier, "iu") };
}

function readAlternative(rest: string): number {
  return rest.startsWith("|") ? 1 : 0;
}

/** Splits a source at separators outside groups and classes. `read` returns the length of a separator, or 0. */
function splitAt(source: string, read: (rest: string) => number): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  let at = 0;
  while (at < source.length) {
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
