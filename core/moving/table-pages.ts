// Reads whole tables page by page, and writes their rows again. The objects of a profile use it over their own SQL. A row crosses as
// JSON; a blob in it as Base64. Knows no table by itself. Synchronous, so that one call sees one state.
import { type Result, err, ok } from "../errors.ts";
import type { Sql, SqlValue } from "../ports.ts";
import { fromBase64, toBase64 } from "../schemas/base64.ts";
import type { MovedRow, MovedValue, TablePlace } from "../schemas/moving/lines.ts";

/** Rows of one query. [cf] A row has at most 2 MB, so a query stays far below an object's memory. */
const ROWS_A_QUERY = 8;

export interface TablePage {
  rows: { table: string; row: MovedRow }[];
  /** Where the next page begins; `null` at the end. */
  next: TablePlace | null;
}

export interface PageOptions {
  /** In the order in which they travel. A table that does not exist is empty. */
  tables: string[];
  place: TablePlace | null;
  /** Characters of JSON; a page has at least one row. */
  maxChars: number;
  /** What a row is when it leaves; `null`: it stays. */
  change?(table: string, row: MovedRow): MovedRow | null;
}

/** `place` is the end of the page before, or `null`. Rows are in the order of their primary keys. */
export function readTablePage(sql: Sql, { tables, place, maxChars, change }: PageOptions): TablePage {
  const rows: TablePage["rows"] = [];
  let chars = 0;
  const begin = place ? tables.indexOf(place.table) : 0;
  if (begin < 0) return { rows, next: null };
  for (const table of tables.slice(begin)) {
    const key = keyColumnsOf(sql, table);
    if (key.length === 0) continue;
    let after = place?.table === table ? place.after : null;
    for (;;) {
      const found = readRows(sql, { table, key, after });
      for (const raw of found) {
        if (chars >= maxChars) return { rows, next: { table, after: after ?? [] } };
        const row = toMovedRow(raw);
        after = key.map((column) => raw[column] as string | number);
        const changed = change ? change(table, row) : row;
        if (changed === null) continue;
        chars += JSON.stringify(changed).length;
        rows.push({ table, row: changed });
      }
      if (found.length < ROWS_A_QUERY) break;
    }
  }
  return { rows, next: null };
}

/** Rows that are there already stay as they are. Failure: `archive_version`, for a column that this version does not have. */
export function putMovedRow(sql: Sql, table: string, row: MovedRow): Result<null> {
  const known = columnsOf(sql, table).map(({ name }) => name);
  const columns = Object.keys(row);
  const unknown = columns.find((column) => !known.includes(column));
  if (unknown !== undefined || columns.length === 0) {
    return err(
      "archive_version",
      `Another version of Talaria wrote the archive: its table ${table} has other columns.`,
    );
  }
  const marks = columns.map(() => "?").join(", ");
  const values = columns.map((column) => fromMovedValue(row[column]!));
  sql.run(`INSERT INTO ${table}(${columns.join(", ")}) VALUES(${marks}) ON CONFLICT DO NOTHING`, ...values);
  return ok(null);
}

/** What changes whenever a row of the database is written, while the object lives. */
export function readChangeCount(sql: Sql): number {
  return sql.run<{ n: number }>("SELECT total_changes() AS n")[0]!.n;
}

interface Column {
  name: string;
  /** Its place in the primary key, from 1; 0: none. */
  pk: number;
}

function columnsOf(sql: Sql, table: string): Column[] {
  return sql.run<Column>(`SELECT name, pk FROM pragma_table_info('${table}')`);
}

function keyColumnsOf(sql: Sql, table: string): string[] {
  return columnsOf(sql, table)
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map(({ name }) => name);
}

type RawRow = Record<string, string | number | null | ArrayBuffer | Uint8Array>;

function readRows(
  sql: Sql,
  { table, key, after }: { table: string; key: string[]; after: (string | number)[] | null },
): RawRow[] {
  const columns = key.join(", ");
  const order = `ORDER BY ${columns} LIMIT ${ROWS_A_QUERY}`;
  if (after === null || after.length === 0) return sql.run<RawRow>(`SELECT * FROM ${table} ${order}`);
  const marks = key.map(() => "?").join(", ");
  return sql.run<RawRow>(`SELECT * FROM ${table} WHERE (${columns}) > (${marks}) ${order}`, ...after);
}

function toMovedRow(raw: RawRow): MovedRow {
  return Object.fromEntries(Object.entries(raw).map(([column, value]) => [column, toMovedValue(value)]));
}

function toMovedValue(value: RawRow[string]): MovedValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  return { base64: toBase64(value instanceof Uint8Array ? value : new Uint8Array(value)) };
}

function fromMovedValue(value: MovedValue): SqlValue {
  return value !== null && typeof value === "object" ? fromBase64(value.base64) : value;
}
