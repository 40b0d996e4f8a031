// Cuts a piece that is too long for one message into two, each whole by itself: marks, links, code blocks and tables end in the first and
// begin again in the second. Pure.
import { type Piece, type Run, plainText } from "./pieces.ts";

/** How long a piece is, in the places where `cutPiece` can cut it. */
export function lengthOf({ body }: Piece): number {
  if (body.kind === "code") return body.text.length;
  if (body.kind === "table") return body.rows.length;
  return body.kind === "rule" ? 1 : plainText(body.runs).length;
}

/** `[before, after]`; `null` if it cannot be cut there. `at`: more than 0, less than `lengthOf(piece)`. */
export function cutPiece(piece: Piece, at: number): [Piece, Piece] | null {
  const { body } = piece;
  const tail = { in: piece.in.map((one) => (one.kind === "item" ? { ...one, starts: false } : one)), tight: true };
  switch (body.kind) {
    case "rule":
      return null;
    case "table":
      return [
        { ...piece, body: { ...body, rows: body.rows.slice(0, at) } },
        { ...tail, body: { ...body, rows: body.rows.slice(at) } },
      ];
    case "code": {
      const cut = toWhole(body.text, at, "\n");
      if (cut === 0) return null;
      const after = body.text.slice(cut);
      return [
        { ...piece, body: { ...body, text: body.text.slice(0, cut).replace(/\n$/, "") } },
        { ...tail, body: { ...body, text: after } },
      ];
    }
    default: {
      const runs = body.runs.flatMap(loosenLongLink);
      const cut = toWhole(plainText(runs), at, " ", linksOf(runs));
      if (cut === 0) return null;
      const [before, after] = cutRuns(runs, cut);
      return [
        { ...piece, body: { ...body, runs: before } },
        { ...tail, body: { ...body, runs: after } },
      ];
    }
  }
}

/** The best place at or before `at`: after a line, after a sentence, after a word, between two characters. 0: there is none. */
function toWhole(text: string, at: number, space: string, links: readonly [number, number][] = []): number {
  const outside = links.find(([from, to]) => from < at && at < to)?.[0] ?? at;
  const window = text.slice(0, outside);
  const enough = outside / 2;
  const line = window.lastIndexOf("\n") + 1;
  if (line > enough) return line;
  const sentence = space === " " ? Math.max(...SENTENCE_ENDS.map((end) => afterLast(window, end))) : 0;
  const isBetween = (place: number) => !links.some(([from, to]) => from < place && place < to);
  if (sentence > enough && sentence <= outside && isBetween(sentence)) return sentence;
  const word = window.lastIndexOf(" ") + 1;
  if (word > enough && isBetween(word)) return word;
  return between(text, outside);
}

const SENTENCE_ENDS = [". ", "! ", "? ", "。"];

/** 0: there is none. */
function afterLast(text: string, end: string): number {
  const at = text.lastIndexOf(end);
  return at === -1 ? 0 : at + end.length;
}

/** A place at or before `at` that is not within what people see as one character. */
function between(text: string, at: number): number {
  const from = Math.max(0, at - 64);
  // A window may begin within a character: only its last boundary counts, and a pair is never cut.
  const segments = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text.slice(from, at + 64));
  const index = segments.containing(Math.min(at - from, text.length - from - 1))?.index ?? 0;
  const place = from + index;
  if (place > from) return place;
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at;
}

function linksOf(runs: readonly Run[]): [number, number][] {
  const links: [number, number][] = [];
  let at = 0;
  let last: unknown = null;
  for (const run of runs) {
    const link = run.marks.find(({ kind }) => kind === "link") ?? null;
    const end = at + run.text.length;
    if (link && link === last) links.at(-1)![1] = end;
    else if (link) links.push([at, end]);
    last = link;
    at = end;
  }
  return links;
}

/** [own] A link whose words are longer can be cut, and is then no link. */
const LONG_LINK = 200;

function loosenLongLink(run: Run): Run[] {
  return run.text.length <= LONG_LINK ? [run] : [{ ...run, marks: run.marks.filter(({ kind }) => kind !== "link") }];
}

function cutRuns(runs: readonly Run[], at: number): [Run[], Run[]] {
  const before: Run[] = [];
  const after: Run[] = [];
  let start = 0;
  for (const run of runs) {
    const cut = at - start;
    start += run.text.length;
    if (cut >= run.text.length) before.push(run);
    else if (cut <= 0) after.push(run);
    else {
      before.push(slice(run, 0, cut));
      after.push(slice(run, cut));
    }
  }
  return [trimEdge(before, "end"), trimEdge(after, "start")];
}

function slice(run: Run, from: number, to?: number): Run {
  const text = run.text.slice(from, to);
  // Where the source differs from the text, the places do too.
  return { ...run, text, raw: run.raw === run.text ? text : text.replaceAll(/[\\`*_~[\]<>&]/g, "\\$&") };
}

/** Marks do not end after a space or begin before one. */
function trimEdge(runs: Run[], edge: "start" | "end"): Run[] {
  const trimmed = [...runs];
  while (trimmed.length > 0) {
    const at = edge === "end" ? trimmed.length - 1 : 0;
    const run = trimmed[at]!;
    if (run.marks.some(({ kind }) => kind === "code")) break;
    const cut = (text: string) => (edge === "end" ? text.trimEnd() : text.trimStart());
    if (cut(run.text) === "") trimmed.splice(at, 1);
    else {
      trimmed[at] = { ...run, text: cut(run.text), raw: cut(run.raw) };
      break;
    }
  }
  return trimmed;
}
