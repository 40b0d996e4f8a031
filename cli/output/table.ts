// Tables of text, fitted to a number of columns: the columns that may shrink are cut with an ellipsis. Pure.
import { toOneLine } from "./plain-text.ts";

export interface Column<Row> {
  title: string;
  cell(row: Row): string | number;
  /** Cut when the table is too wide. */
  shrinks?: boolean;
}

const GAP = 2;
/** A column that shrinks stays at least this wide. */
const MIN_WIDTH = 8;

/** One line a row, each with a line feed. `columns` may be infinite. */
export function renderTable<Row>(rows: readonly Row[], shape: readonly Column<Row>[], columns: number): string {
  const cells = rows.map((row) => shape.map(({ cell }) => toOneLine(String(cell(row)))));
  const titles = shape.map(({ title }) => title);
  const isNumber = shape.map(({ cell }) => rows.every((row) => typeof cell(row) === "number"));
  const widths = fitWidths(
    titles.map((title, i) => Math.max(title.length, ...cells.map((line) => widthOf(line[i]!)))),
    shape.map(({ shrinks = false }) => shrinks),
    columns,
  );
  return [titles, ...cells]
    .map((line) => line.map((text, i) => padTo(cutTo(text, widths[i]!), widths[i]!, isNumber[i]!)))
    .map((line) => `${line.join(" ".repeat(GAP)).trimEnd()}\n`)
    .join("");
}

/** Takes the excess from the widest column that shrinks, one character at a time. */
function fitWidths(widths: number[], shrinks: boolean[], columns: number): number[] {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, width) => sum + width, 0) + GAP * (fitted.length - 1);
  while (total() > columns) {
    const widest = fitted.reduce((best, width, i) => (shrinks[i] && width > (fitted[best] ?? 0) ? i : best), -1);
    if (widest < 0 || fitted[widest]! <= MIN_WIDTH) break;
    fitted[widest] = fitted[widest]! - 1;
  }
  return fitted;
}

/** East Asian wide characters and emoji take two columns. Close enough for a table; terminals differ too. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Accents and joiners take none. */
const ZERO = /[\p{Mn}\p{Me}\u200b-\u200f]|[\ufe00-\ufe0f]/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += ZERO.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1;
  return width;
}

export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const sign of text) {
    used += widthOf(sign);
    if (used > width - 1) break;
    cut += sign;
  }
  return `${cut}…`;
}

function padTo(text: string, width: number, isNumber: boolean): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return isNumber ? space + text : text + space;
}
