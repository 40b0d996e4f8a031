// Pieces as text of lines: every flavour but those of whole HTML. Pure.
import { type Mark, type Piece, type Run, plainText } from "./pieces.ts";
import type { LineStyle } from "./styles.ts";
import { alignTable, writeMarkdownTable } from "./tables.ts";

export function writeLines(pieces: readonly Piece[], style: LineStyle): string {
  let text = "";
  let quote: number | null = null;
  for (const [index, piece] of pieces.entries()) {
    const outer = style.quote ? quoteOf(piece) : null;
    const gap = index === 0 ? "" : piece.tight ? "\n" : "\n\n";
    if (quote !== null && outer !== quote) text += style.quote![1];
    text += gap;
    if (outer !== null && outer !== quote) text += style.quote![0];
    quote = outer;
    text += withPrefixes(piece, style);
  }
  return quote === null ? text : text + style.quote![1];
}

function quoteOf(piece: Piece): number | null {
  return piece.in.find(({ kind }) => kind === "quote")?.id ?? null;
}

function withPrefixes(piece: Piece, style: LineStyle): string {
  const { first, rest } = toPrefixes(piece, style);
  const body = writeBody(piece, style);
  const isCode = piece.body.kind === "code" || (piece.body.kind === "table" && !style.tables);
  if (isCode && !style.indentsCode) {
    const quotes = style.quote ? "" : rest.replaceAll(" ", "").replaceAll(">", "> ");
    const marker = first.trim() === rest.trim() ? "" : `${first.trimEnd()}\n`;
    return (
      marker +
      body
        .split("\n")
        .map((line) => quotes + line)
        .join("\n")
    );
  }
  return body
    .split("\n")
    .map((line, index) => (index === 0 ? first + line : line === "" ? rest.trimEnd() : rest + line))
    .join("\n");
}

function toPrefixes(piece: Piece, style: LineStyle): { first: string; rest: string } {
  let first = "";
  let rest = "";
  for (const container of piece.in) {
    if (container.kind === "quote") {
      if (style.quote) continue;
      first += "> ";
      rest += "> ";
      continue;
    }
    const marker = container.number === null ? style.bullet : `${container.number}. `;
    const box = container.checked === null ? "" : style.boxes[container.checked ? 1 : 0];
    const indent = " ".repeat(marker.length);
    first += container.starts ? marker + box : indent;
    rest += indent;
  }
  return { first, rest };
}

function writeBody({ body }: Piece, style: LineStyle): string {
  switch (body.kind) {
    case "paragraph":
      return writeRuns(body.runs, style);
    case "heading":
      return writeHeading(body.runs, body.level, style);
    case "code":
      return style.codeBlock(body.text, body.language);
    case "rule":
      return style.rule;
    case "table":
      return style.tables
        ? writeMarkdownTable(body, (runs) => writeRuns(runs, style))
        : style.codeBlock(alignTable(body), "");
  }
}

/** Where there are no headings, they are bold. */
function writeHeading(runs: readonly Run[], level: number, style: LineStyle): string {
  const isMarked = style.heading("", level) !== "";
  if (isMarked) return style.heading(writeRuns(runs, style).replaceAll("\n", " "), level);
  const bold: Mark = { kind: "bold" };
  return writeRuns(
    runs.map((run) => ({ ...run, marks: [bold, ...run.marks.filter(({ kind }) => kind !== "bold")] })),
    style,
  );
}

export function writeRuns(runs: readonly Run[], style: LineStyle): string {
  let text = "";
  let open: readonly Mark[] = [];
  let wasCode = false;
  for (const [index, run] of runs.entries()) {
    const marks = run.marks.filter(({ kind }) => kind !== "code");
    const kept = countCommon(open, marks);
    let left = "";
    for (const mark of open.slice(kept).toReversed()) left += around(mark, runs, style)[1];
    let right = "";
    for (const mark of marks.slice(kept)) right += around(mark, runs.slice(index), style)[0];
    open = marks;
    const isCode = marks.length < run.marks.length;
    const words = isCode ? style.codeSpan(run.text) : style.text(run.text, run.raw);
    const isMarked =
      MARK_AFTER.test(left) || (left === "" && wasCode) || MARK_BEFORE.test(right) || (right === "" && isCode);
    text += left;
    right += words;
    if (isMarked && style.apart && joins(text, right)) text += style.apart;
    text += right;
    wasCode = isCode;
  }
  for (const mark of open.toReversed()) text += around(mark, runs, style)[1];
  return text;
}

const MARK_AFTER = /[*_~]$/;
const MARK_BEFORE = /^[*_~]/;

/** Whether a mark and a letter or digit stand side by side. */
function joins(left: string, right: string): boolean {
  const [before, after] = [/.$/su.exec(left.slice(-2))?.[0] ?? "", /^./su.exec(right)?.[0] ?? ""];
  return WORD.test(before) ? SIGN.test(after) : SIGN.test(before) && WORD.test(after);
}

const WORD = /[\p{L}\p{N}\p{M}]/u;
const SIGN = /[*_~`]/;

function countCommon(a: readonly Mark[], b: readonly Mark[]): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}

function around(mark: Mark, runs: readonly Run[], style: LineStyle): readonly [string, string] {
  if (mark.kind === "code") return ["", ""];
  if (mark.kind !== "link") return style[mark.kind];
  return style.link(mark, plainText(runs.filter(({ marks }) => marks.includes(mark))) === mark.href);
}
