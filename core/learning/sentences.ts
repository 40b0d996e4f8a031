// Splits a text into sentences and lines of code, each with its offsets, and removes sentences from a text. Called by the taint
// rules, and by evidence/refuted.ts. Pure; linear in the text.
import { CODE_FENCE, isProse } from "./markdown.ts";

export interface Sentence {
  text: string;
  /** Offsets in the text. */
  from: number;
  to: number;
  /** Headings and frontmatter: the text makes no sense without them, so they are not removed. */
  isFixed: boolean;
  /** A line of a program. */
  isCode?: true;
  /** The sentence follows another in the same line, item or paragraph. */
  isContinued?: true;
}

/** Splits a long text into pieces. Each piece begins with the last `overlap` characters of the one before. */
export function cutInPieces(text: string, chars: number, overlap: number): string[] {
  const pieces = [text.slice(0, chars)];
  for (let at = chars - overlap; at + overlap < text.length; at += chars - overlap) {
    pieces.push(text.slice(at, at + chars));
  }
  return pieces;
}

/** Ends of sentences. A full stop after a single letter or an abbreviation does not end one. */
const SENTENCE_ENDS =
  /(?<=[!?…]|(?<!(?<![\p{L}\p{N}])(?:\p{L}|incl|etc|e\.g|i\.e|z\.\s?b|bzw|ca|nr|no|vs|mr|mrs|ms|dr|st|approx|p\.\s?ej|c\.-à-d))\.)(?:["'”’»)\]*_]{0,3})\s+(?=\S)|(?<=[。！？])(?=\S)|[\n\r]+/giu;

/** The sentences of plain text. The end of a line ends a sentence. `base` is added to all offsets. */
export function sentencesIn(text: string, base = 0): Sentence[] {
  // Code spans are not split.
  const plain = text.includes("`") ? text.replace(/`[^`\n]*`/g, (span) => "x".repeat(span.length)) : text;
  const found: Sentence[] = [];
  let from = 0;
  let isContinued = false;
  const add = (to: number) => {
    const piece = text.slice(from, to);
    if (!/[\p{L}\p{N}]/u.test(piece)) return;
    found.push({
      text: piece.trim(),
      from: base + from,
      to: base + to,
      isFixed: false,
      ...(isContinued && { isContinued }),
    });
    isContinued = true;
  };
  for (const { 0: mark, index } of plain.matchAll(SENTENCE_ENDS)) {
    // The full stop after the number of a list item.
    if (!/[\r\n]/.test(mark) && /^[\s>*+-]*\d{1,3}\.$/.test(plain.slice(Math.max(from, index - 12), index))) continue;
    add(index + mark.length);
    from = index + mark.length;
    if (/[\r\n]/.test(mark)) isContinued = false;
  }
  add(text.length);
  return found;
}

/** The start of a line that begins a new paragraph. */
const PARAGRAPH_START = /^\s*(?:[-*+>#|]|\d+[.)]\s|---$)/;
const HEADING = /^\s*#/;

/** The sentences of a file's prose, which may span lines, and its lines of code. */
export function sentencesOfFile(path: string, body: string): Sentence[] {
  const found: Sentence[] = [];
  let isCode = !isProse(path);
  let isFrontmatter = false;
  let open: number | null = null;
  const close = (to: number) => {
    if (open !== null) {
      const paragraph = body.slice(open, to).replace(/[\r\n]/g, " ");
      found.push(...sentencesIn(paragraph, open));
    }
    open = null;
  };
  for (const { 0: line, index } of body.matchAll(/[^\n]*\n|[^\n]+/g)) {
    const to = index + line.length;
    const add = (more: Pick<Sentence, "isFixed" | "isCode">) => {
      close(index);
      if (/[\p{L}\p{N}]/u.test(line)) found.push({ text: line.trim(), from: index, to, ...more });
    };
    if (/^---\s*$/.test(line) && (index === 0 || isFrontmatter)) isFrontmatter = !isFrontmatter;
    else if (isFrontmatter) add({ isFixed: true });
    else if (isProse(path) && CODE_FENCE.test(line)) {
      close(index);
      isCode = !isCode;
    } else if (isCode) add({ isFixed: false, isCode });
    else if (HEADING.test(line)) add({ isFixed: true });
    else if (line.trim() === "") close(index);
    else if (open === null || PARAGRAPH_START.test(line)) {
      close(index);
      open = index;
    }
  }
  close(body.length);
  return found;
}

/** The mark of an item or a quotation with nothing after it. */
const EMPTY_ITEM = /^[ \t]*(?:[-*+>|]|\d+[.)])[ \t]*$/;

const ITEM_MARK = /^[ \t]*(?:[-*+>]|\d{1,3}[.)])[ \t]+/;

/** Removes sentences from a text, and list items that are empty afterwards. */
export function removeSentences(body: string, gone: Sentence[]): string {
  if (gone.length === 0) return body;
  const touched = new Set<number>();
  let rest = "";
  let at = 0;
  let lines = 0;
  const keep = (piece: string) => {
    rest += piece;
    lines += countBreaks(piece);
  };
  for (const { from, to } of gone.toSorted((a, b) => a.from - b.from)) {
    const start = Math.max(at, from);
    keep(body.slice(at, start));
    touched.add(lines);
    const cut = body.slice(start, Math.max(start, to));
    // The item keeps its mark for the rest of its text.
    keep(ITEM_MARK.exec(cut)?.[0] ?? "");
    keep(cut.endsWith("\n") ? "\n" : "");
    at = Math.max(at, to);
  }
  keep(body.slice(at));
  const left: string[] = [];
  let isAfterGap = false;
  for (const [n, whole] of rest.split("\n").entries()) {
    const line = touched.has(n) ? whole.trimEnd() : whole;
    const isGap = touched.has(n) && (line === "" || EMPTY_ITEM.test(line));
    // One blank line is enough in place of a removed paragraph.
    const isDoubled = isAfterGap && line.trim() === "" && (left.at(-1) ?? "").trim() === "";
    if (!isGap && !isDoubled) left.push(line);
    isAfterGap = isGap;
  }
  return left.join("\n");
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
