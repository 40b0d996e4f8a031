// Parses a request for a report: one figure over all parts of a table in a folder, put into a text, and a table of the parts. Parses what
// was agreed about such a report in an earlier session. Used by rehearsal.ts and workbench.ts. Pure. Must know no particular data.
import { type TableTask, parseFigure, parseSelection } from "../table-task.ts";

export interface WorkbenchTask extends Pick<TableTask, "aggregate" | "column"> {
  /** Without a slash at its end. */
  folder: string;
  /** The text that gets the figure. */
  report: string;
  /** What the figure replaces there. */
  placeholder: string;
  /** The table of the parts. */
  partsTable: string;
}

/** `null` if the text asks for something else. */
export function parseWorkbenchTask(text: string): WorkbenchTask | null {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
  const folder = quoted.find((piece) => /^[\w./-]+\/$/.test(piece))?.replace(/\/+$/, "");
  const report = quoted.find((piece) => /\.md$/.test(piece));
  const partsTable = quoted.find((piece) => /\.csv$/.test(piece));
  const placeholder = quoted.find((piece) => /^[A-Z][A-Z_]{2,}$/.test(piece));
  const figure = parseFigure(text);
  if (!folder || !report || !partsTable || !placeholder || !figure) return null;
  return { folder, report, placeholder, partsTable, ...figure };
}

/** Which rows the report takes, and how many decimals it gives, from the first found sentence about a report on the column. */
export function readAgreement(found: unknown, column: string): Pick<TableTask, "filters" | "places"> | null {
  const said = listTexts(found)
    .flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/))
    .find(
      (sentence) =>
        /\breports?\b/i.test(sentence) && sentence.includes(`\`${column}\``) && /\bdecimals?\b/i.test(sentence),
    );
  return said === undefined ? null : parseSelection(said);
}

/** All texts of a JSON value, in their order. */
function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : [];
}
