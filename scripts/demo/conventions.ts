// How offices export their tables: the list of conventions from which a seed draws, and the export itself. One office has
// one set of conventions. Every drawn set can be inferred from a file; tasks.ts weakens one that cannot.
import { createDraw } from "./random.ts";
import type { Column, Table } from "./tables.ts";

export interface Conventions {
  separator: ";" | "\t" | "|";
  decimal: "." | ",";
  /** Groups the digits of numbers from 1,000 on; "" for none. */
  thousands: "" | "." | "," | " " | "'";
  /** Written where a number is missing; `n/a` also where a date is. Texts stay empty. */
  missing: "" | "n/a" | "-9999";
  dates: "YYYY-MM-DD" | "DD/MM/YYYY" | "DD.MM.YYYY";
  /** A second line that says what each column is measured in. */
  unitRow: boolean;
}

/**
 * The choices of a seed. Separators with their decimal marks: spreadsheets under continental settings write semicolons and
 * decimal commas; tabs come from clipboards and instruments, pipes from data warehouses, both with either mark.
 */
export const PAIRS: Pick<Conventions, "separator" | "decimal">[] = [
  { separator: ";", decimal: "," },
  { separator: "\t", decimal: "." },
  { separator: "\t", decimal: "," },
  { separator: "|", decimal: "." },
  { separator: "|", decimal: "," },
];
/** Digits are grouped by the mark that is not the decimal one, by a space, by an apostrophe (Switzerland), or not. */
export const THOUSANDS: Record<Conventions["decimal"], Conventions["thousands"][]> = {
  ".": ["", ",", " ", "'"],
  ",": ["", ".", " "],
};
/** Instruments write `-9999`, people `n/a`. */
export const MISSING: Conventions["missing"][] = ["n/a", "-9999"];
export const DATES: Conventions["dates"][] = ["DD/MM/YYYY", "DD.MM.YYYY", "YYYY-MM-DD"];

export function drawConventions(seed: number): Conventions {
  const draw = createDraw(seed);
  const pair = draw.pick(PAIRS);
  return {
    ...pair,
    thousands: draw.pick(THOUSANDS[pair.decimal]),
    missing: draw.pick(MISSING),
    dates: draw.pick(DATES),
    // With a semicolon the header alone betrays the separator at the second try, so there the row is always present.
    unitRow: pair.separator === ";" || draw.next() < 0.6,
  };
}

/** The conventions in words, for the demo's reader. */
export function describeConventions(conventions: Conventions): string {
  const separators = { ";": "semicolon", "\t": "tab", "|": "pipe" };
  const marks = { ".": "point", ",": "comma", " ": "space", "'": "apostrophe", "": "" };
  return [
    `${separators[conventions.separator]}-separated`,
    `decimal ${marks[conventions.decimal]}`,
    ...(conventions.thousands ? [`thousands grouped by ${marks[conventions.thousands]}`] : []),
    ...(conventions.missing ? [`${conventions.missing} for missing`] : []),
    `dates as ${conventions.dates}`,
    ...(conventions.unitRow ? ["a row of units"] : []),
  ].join(", ");
}

/** The whole file as text. Only the notation changes, never a value. */
export function exportTable(table: Table, conventions: Conventions): string {
  const lines = [table.columns.map(({ name }) => name)];
  if (conventions.unitRow) lines.push(table.columns.map(({ kind }) => UNITS[kind]));
  const writes = table.columns.map((column, index) =>
    toWriter(
      column,
      table.cells.map((row) => row[index]!),
      conventions,
    ),
  );
  for (const row of table.cells) lines.push(row.map((value, index) => writes[index]!(value)));
  return (
    lines.map((cells) => cells.map((cell) => quote(cell, conventions)).join(conventions.separator)).join("\n") + "\n"
  );
}

/** The row of units of an export that does not know them. */
const UNITS: Record<Column["kind"], string> = { number: "[unit]", date: "[date]", text: "[-]" };

function toWriter({ kind }: Column, values: (string | null)[], conventions: Conventions) {
  const groups = conventions.thousands !== "" && isGrouped(values);
  return (value: string | null): string => {
    if (value === null)
      return kind === "number" || (kind === "date" && conventions.missing === "n/a") ? conventions.missing : "";
    if (kind === "number") return writeNumber(value, conventions, groups);
    return kind === "date" ? writeDate(value, conventions.dates) : value;
  };
}

/** No office groups the digits of years, or of numbers that look like years. */
export function isGrouped(values: (string | null)[]): boolean {
  const filled = values.filter((value) => value !== null);
  return !filled.every((value) => /^\d{4}$/.test(value) && Number(value) >= 1000 && Number(value) < 3000);
}

function writeNumber(value: string, { decimal, thousands }: Conventions, groups: boolean): string {
  const [whole = "", fraction] = value.split(".");
  const grouped = groups ? whole.replace(/(?<=\d)(?=(\d{3})+$)/g, thousands) : whole;
  return fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
}

function writeDate(iso: string, form: Conventions["dates"]): string {
  const [year, month, day] = iso.split("-") as [string, string, string];
  return form.replace("YYYY", year).replace("MM", month).replace("DD", day);
}

function quote(cell: string, { separator }: Conventions): string {
  return cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
