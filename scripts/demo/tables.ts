// Reads the tables the demo works on: files of the data package vega-datasets, or a folder of plain comma-separated files
// (RFC 4180) and JSON arrays of flat objects. Knows what each column holds. Never changes a value.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";

export type ColumnKind = "number" | "date" | "text";
export interface Column {
  name: string;
  kind: ColumnKind;
}
/** `cells[row][column]`: a number in plain digits, a date as YYYY-MM-DD, a text; `null` if there is none. */
export interface Table {
  file: string;
  columns: Column[];
  cells: (string | null)[][];
}
export interface LoadedTables {
  tables: Table[];
  skipped: { file: string; reason: string }[];
}

/** Enough rows to need a program, few enough for the workspace's shell to read quickly. */
export const MAX_ROWS = 1_000;
const MIN_ROWS = 10;
const MAX_COLUMNS = 40;
const MAX_FILE_BYTES = 40 << 20;
/** Share of the filled cells that must have the column's kind. All of them, because an export changes each alike. */
const MIN_FILLED = 0.3;

const VEGA_FOLDER = join(import.meta.dirname, "../../node_modules/vega-datasets/data");
const VEGA_FILES = [
  "stocks.csv",
  "seattle-weather.csv",
  "movies.json",
  "sp500.csv",
  "co2-concentration.csv",
  "penguins.json",
];

/** The tables of the folder, or of the data package. Throws with a sentence when the folder has none. */
export function loadTables(folder?: string): LoadedTables {
  const root = folder ?? VEGA_FOLDER;
  const names = folder ? listFolder(folder) : VEGA_FILES;
  const loaded: LoadedTables = { tables: [], skipped: [] };
  for (const file of names) {
    const table = readTable(join(root, file), file);
    if (typeof table === "string") loaded.skipped.push({ file, reason: table });
    else loaded.tables.push(table);
  }
  if (loaded.tables.length > 0) return loaded;
  const why = loaded.skipped.map(({ file, reason }) => `${file}: ${reason}`).join("; ");
  throw new Error(`${root} holds no table to work on (.csv or .json with a column of numbers). ${why}`);
}

function listFolder(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    throw new Error(`${folder} is not a folder that can be read.`);
  }
  return names.filter((name) => /\.(csv|json)$/i.test(name) && statSync(join(folder, name)).isFile()).sort();
}

/** A table, or the reason why the file is not one. */
export function readTable(path: string, file: string): Table | string {
  if (statSync(path).size > MAX_FILE_BYTES) return "larger than 40 MB";
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  const rows = extname(file).toLowerCase() === ".json" ? fromJson(text) : parseCsv(text);
  return typeof rows === "string" ? rows : toTable(file.replace(/\.json$/i, ".csv"), rows);
}

interface Rows {
  header: string[];
  cells: (string | null)[][];
}

function fromJson(text: string): Rows | string {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  if (!Array.isArray(data) || data.length === 0) return "not an array of objects";
  const isFlat = (row: unknown) =>
    row !== null &&
    typeof row === "object" &&
    !Array.isArray(row) &&
    Object.values(row).every((value) => typeof value !== "object" || value === null);
  if (!data.every(isFlat)) return "not an array of flat objects";
  const objects = data as Record<string, string | number | boolean | null>[];
  const header = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  return { header, cells: objects.map((row) => header.map((name) => toCell(row[name]))) };
}

function toCell(value: string | number | boolean | null | undefined): string | null {
  return value === null || value === undefined || value === "" ? null : String(value);
}

/** RFC 4180: quotes, doubled quotes, line breaks inside quotes. */
export function parseCsv(text: string, separator = ","): Rows | string {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[++i]!;
      else quoted = false;
    } else if (char === '"' && cell === "") quoted = true;
    else if (char === separator) {
      row.push(cell);
      cell = "";
    } else if (char === "\n" || char === "\r") {
      if (char === "\r" && text[i + 1] === "\n") i++;
      rows.push([...row, cell]);
      row = [];
      cell = "";
    } else cell += char;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  const filled = rows.filter((cells) => cells.length > 1 || cells[0] !== "");
  const [header, ...body] = filled;
  if (!header) return "empty";
  if (body.some((cells) => cells.length !== header.length)) return "not every row has as many cells as the header";
  return {
    header: header.map((name) => name.trim()),
    cells: body.map((cells) => cells.map((value) => value.trim() || null)),
  };
}

function toTable(file: string, { header, cells: all }: Rows): Table | string {
  const cells = all.slice(0, MAX_ROWS);
  if (cells.length < MIN_ROWS) return `fewer than ${MIN_ROWS} rows`;
  if (header.length < 2) return "one column only";
  if (header.length > MAX_COLUMNS) return `more than ${MAX_COLUMNS} columns`;
  if (new Set(header).size !== header.length || header.includes(""))
    return "columns without a name, or two with one name";
  const columns: Column[] = [];
  for (const [index, name] of header.entries()) {
    const found = toColumn(cells.map((row) => row[index] ?? null));
    for (const [at, row] of cells.entries()) row[index] = found.values[at] ?? null;
    columns.push({ name, kind: found.kind });
  }
  if (!columns.some(({ kind }) => kind === "number")) return "no column of numbers";
  return { file, columns, cells };
}

/** The kind of all cells of a column. The source's own words for "no value" count as empty. */
function toColumn(raw: (string | null)[]): { kind: ColumnKind; values: (string | null)[] } {
  const filled = raw.filter((value) => value !== null);
  const real = filled.filter((value) => !/^(n\/?a|nan|null|none|-)$/i.test(value));
  if (real.length < raw.length * MIN_FILLED || real.length === 0) return { kind: "text", values: raw };
  const clear = (value: string | null) => (value !== null && real.includes(value) ? value : null);
  const numbers = real.map(toPlainNumber);
  if (numbers.every((value) => value !== null) && !real.some((value) => /^0\d/.test(value))) {
    const known = new Map(real.map((value, i) => [value, numbers[i]!]));
    return { kind: "number", values: raw.map((value) => (value === null ? null : (known.get(value) ?? null))) };
  }
  const orders = [undefined, "mdy", "dmy"] as const;
  for (const order of orders) {
    const dates = new Map(real.map((value) => [value, toIsoDate(value, order)]));
    const isTold =
      order === undefined || real.some((value) => Number(/^(\d+)\/(\d+)/.exec(value)?.[order === "mdy" ? 2 : 1]) > 12);
    if (isTold && [...dates.values()].every((date) => date !== null)) {
      return { kind: "date", values: raw.map((value) => (value === null ? null : (dates.get(value) ?? null))) };
    }
  }
  return { kind: "text", values: raw.map((value) => (value === null ? null : (clear(value) ?? value))) };
}

/** Plain digits of the same value, `null` for anything that is not a number. */
function toPlainNumber(value: string): string | null {
  if (/^-?\d+(\.\d+)?$/.test(value)) return value;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(value)) return null;
  const number = Number(value);
  const plain = String(number);
  if (/^-?\d+(\.\d+)?$/.test(plain)) return plain;
  const digits = number.toFixed(20).replace(/0+$/, "");
  return Number(digits) === number ? digits : null;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Reads unambiguous dates; with slashes only where the column shows the order of day and month. */
function toIsoDate(value: string, slashes: "mdy" | "dmy" | undefined): string | null {
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/.exec(value);
  if (iso) return toDay(iso[1]!, iso[2]!, iso[3]!);
  const monthFirst = /^([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})$/.exec(value);
  if (monthFirst) return toDay(monthFirst[3]!, parseMonth(monthFirst[1]!), monthFirst[2]!);
  const dayFirst = /^(\d{1,2})[ -]([A-Za-z]{3,9})\.?[ -](\d{4})$/.exec(value);
  if (dayFirst) return toDay(dayFirst[3]!, parseMonth(dayFirst[2]!), dayFirst[1]!);
  const numeric = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(value);
  if (!numeric || !slashes) return null;
  return slashes === "mdy"
    ? toDay(numeric[3]!, numeric[1]!, numeric[2]!)
    : toDay(numeric[3]!, numeric[2]!, numeric[1]!);
}

function parseMonth(name: string): string {
  return String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1);
}

function toDay(year: string, month: string, day: string): string | null {
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const time = Date.parse(`${iso}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== iso ? null : iso;
}
