// Finds a passage in a text by equality: of characters, of folded characters, or of folded whole lines. Called by
// patch.ts. Pure. Time and space are linear in the text and the passage.

/** Offsets in UTF-16 units; `to` is exclusive. */
export interface TextRange {
  from: number;
  to: number;
}

/** A line without its `\n` or `\r\n`. */
export interface Line extends TextRange {
  text: string;
}

export interface SearchOptions {
  /** Maximum number of places to find. */
  most: number;
  /**
   * Whether matches may overlap. When a single match is wanted they may, because a passage that overlaps itself is not
   * unique.
   */
  overlapping: boolean;
}

export function splitLines(text: string): Line[] {
  let from = 0;
  return text.split("\n").map((piece) => {
    const line = piece.endsWith("\r") ? piece.slice(0, -1) : piece;
    const entry = { text: line, from, to: from + line.length };
    from += piece.length + 1;
    return entry;
  });
}

/** `wholeLines`: only where the wanted text begins and ends with a line. */
export function findExact(text: string, wanted: string, options: SearchOptions, wholeLines = false): TextRange[] {
  const accepts = (from: number) => !wholeLines || (isLineStart(text, from) && isLineEnd(text, from + wanted.length));
  return findRuns(toCodes(text), toCodes(wanted), options, accepts).map((from) => ({ from, to: from + wanted.length }));
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n" || (at === 1 && text.startsWith("\uFEFF"));
}

function isLineEnd(text: string, at: number): boolean {
  return at === text.length || text[at] === "\n" || text.startsWith("\r\n", at);
}

/** Indexes of the first lines of all runs that equal the wanted lines. */
export function findLines(lines: string[], wanted: string[], options: SearchOptions): number[] {
  const ids = new Map<string, number>();
  const idOf = (line: string) => {
    const id = ids.get(line) ?? ids.size;
    ids.set(line, id);
    return id;
  };
  return findRuns(lines.map(idOf), wanted.map(idOf), options);
}

/** Ranges of the text where the folded text contains the folded passage. None begins or ends inside a character. */
export function findFolded(text: FoldedText, wanted: FoldedText, options: SearchOptions): TextRange[] {
  if (wanted.text.trim() === "") return [];
  const { starts, ends } = text;
  const isWhole = (from: number) => {
    const to = from + wanted.text.length;
    const beginsWhole = from === 0 || starts[from] !== starts[from - 1];
    const endsWhole = to === starts.length || starts[to] !== starts[to - 1];
    return beginsWhole && endsWhole && !/^\p{M}/u.test(text.text.slice(to, to + 2));
  };
  const found = findRuns(toCodes(text.text), toCodes(wanted.text), options, isWhole);
  return found.map((from) => ({ from: starts[from]!, to: ends[from + wanted.text.length - 1]! }));
}

/**
 * A folded text, in which several spellings are one. `starts` and `ends` give the original range of each of its units.
 */
interface FoldedText {
  text: string;
  starts: Uint32Array;
  ends: Uint32Array;
}

/**
 * Folds runs of white space to one space and drops it before a line end. With `lookalikes`, characters that look alike
 * become one.
 */
export function foldText(text: string, lookalikes: boolean): FoldedText {
  const { pieces, places, length } = toPieces(text, lookalikes);
  // One character may fold to eighteen.
  const [starts, ends] = [new Uint32Array(length), new Uint32Array(length)];
  let unit = 0;
  for (const [n, piece] of pieces.entries()) {
    const [from, to] = [places[2 * n]!, places[2 * n + 1]!];
    const isPlain = text.charCodeAt(from) < 0x80 && piece.length === to - from;
    for (let at = 0; at < piece.length; at++, unit++) {
      starts[unit] = isPlain ? from + at : from;
      ends[unit] = isPlain ? from + at + 1 : to;
    }
  }
  return { text: pieces.join(""), starts, ends };
}

/** `places`: begin and end of each piece in the text. `length`: total length of the pieces. */
function toPieces(text: string, lookalikes: boolean) {
  const pieces: string[] = [];
  const places: number[] = [];
  let length = 0;
  for (let at = 0; at < text.length;) {
    const from = at;
    let piece: string;
    if (isBlank(text, at)) {
      while (at < text.length && isBlank(text, at)) at += 1;
      piece = text[at] === "\n" ? "" : " ";
    } else if (text.charCodeAt(at) < 0x80) {
      while (at < text.length && text.charCodeAt(at) < 0x80 && !isBlank(text, at)) at += 1;
      piece = text.slice(from, at);
    } else {
      const code = text.codePointAt(at)!;
      at += code > 0xffff ? 2 : 1;
      piece = lookalikes ? toPlainForm(text.slice(from, at)) : text.slice(from, at);
    }
    pieces.push(piece);
    places.push(from, at);
    length += piece.length;
  }
  return { pieces, places, length };
}

/** One line folded as by `foldText` with `lookalikes`, trimmed. */
export function foldLine(line: string): string {
  return toPieces(line, true).pieces.join("").trim();
}

/** White space beyond ASCII. */
const BLANKS = new Set(
  Array.from(
    "\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF",
    (sign) => sign.charCodeAt(0),
  ),
);

/** Any white space except a line feed: a carriage return before it belongs to the line end. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 0x80 ? code === 32 || (code >= 9 && code <= 13 && code !== 10) : BLANKS.has(code);
}

/** Characters that models exchange: typographic quotes, dashes and invisible characters. */
const PLAIN_FORMS: [RegExp, string][] = [
  [/[\u2018-\u201b\u2032\u2035\u02bc\u02b9\u00b4]/g, "'"],
  [/[\u201c-\u201f\u2033\u2036\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/g, "-"],
  [/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, ""],
];
const knownPlainForms = new Map<string, string>();
/** Bounds the cache. */
const MAX_CACHED_FORMS = 5_000;

/** NFKD makes composed and decomposed letters equal without looking at their neighbours. */
function toPlainForm(character: string): string {
  const known = knownPlainForms.get(character);
  if (known !== undefined) return known;
  // The table is applied first, because NFKD turns a lone acute accent into a space and a mark.
  const plain = PLAIN_FORMS.reduce((text, [form, to]) => text.replace(form, to), character);
  const folded = PLAIN_FORMS.reduce((text, [form, to]) => text.replace(form, to), plain.normalize("NFKD"));
  if (knownPlainForms.size < MAX_CACHED_FORMS) knownPlainForms.set(character, folded);
  return folded;
}

function toCodes(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  return codes;
}

/** Knuth-Morris-Pratt: at most two comparisons per item, even for repetitive input. */
function findRuns(
  items: ArrayLike<number>,
  wanted: ArrayLike<number>,
  { most, overlapping }: SearchOptions,
  accepts: (from: number) => boolean = () => true,
): number[] {
  const found: number[] = [];
  if (wanted.length === 0 || wanted.length > items.length) return found;
  const borders = toBorders(wanted);
  let matched = 0;
  for (let at = 0; at < items.length && found.length < most; at++) {
    while (matched > 0 && items[at] !== wanted[matched]) matched = borders[matched - 1]!;
    if (items[at] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    const isTaken = accepts(at + 1 - matched);
    if (isTaken) found.push(at + 1 - matched);
    matched = isTaken && !overlapping ? 0 : borders[matched - 1]!;
  }
  return found;
}

/** For each item, the length of the longest proper prefix of `wanted` that ends there. */
function toBorders(wanted: ArrayLike<number>): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (length > 0 && wanted[at] !== wanted[length]) length = borders[length - 1]!;
    if (wanted[at] === wanted[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
