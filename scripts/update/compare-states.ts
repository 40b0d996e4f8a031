// Whether anything was done on a state since a copy of it was made, which going back to the copy would undo. A start and the page's sign-in
// are not counted; neither are columns and tables that an upgrade added. Reads copies of the SQLite files, while no stack runs.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Objects, and the lists of what R2 and KV hold: `data/v3/<kind>/<object class or store>/<id>.sqlite`. */
const KINDS = ["do", "r2", "kv"];
/** What each start or sign-in writes, and an upgrade's own mark. By table; a condition, or `1`: every row. */
const NOT_COUNTED: Record<string, string> = {
  meta: "key = 'schema'",
  account_state: "1",
  sign_in: "1",
  sign_in_code: "1",
  audit: "act LIKE 'sign_in%'",
  _mf_objects: "key = 'cron'",
};

/** The first table that differs, as `<object class or store>.<table>`; `null`: nothing was done. */
export function findChange(stateDir: string, snapshot: string): string | null {
  for (const kind of KINDS) {
    const [now, then] = [stateDir, snapshot].map((state) => join(state, "data", "v3", kind)) as [string, string];
    for (const name of new Set([...listNames(now), ...listNames(then)])) {
      const files = new Set([...listNames(join(now, name)), ...listNames(join(then, name))]);
      for (const file of files) {
        if (!file.endsWith(".sqlite") || file === "metadata.sqlite") continue;
        const table = compareFiles(join(now, name, file), join(then, name, file));
        if (table !== null) return `${name}.${table}`;
      }
    }
  }
  return null;
}

function compareFiles(now: string, then: string): string | null {
  const copies = mkdtempSync(join(tmpdir(), "talaria-compare-"));
  try {
    for (const [file, copy] of [
      [now, "now"],
      [then, "then"],
    ] as const) {
      // The write-ahead log is part of the database. SQLite rebuilds the log's index.
      for (const suffix of ["", "-wal"])
        if (existsSync(file + suffix)) copyFileSync(file + suffix, join(copies, copy + suffix));
    }
    const database = new DatabaseSync(join(copies, "now"));
    try {
      database.prepare("ATTACH ? AS past").run(join(copies, "then"));
      return (
        [...new Set([...listTables(database, "main"), ...listTables(database, "past")])].find((table) =>
          differs(database, table),
        ) ?? null
      );
    } finally {
      database.close();
    }
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

/** A table that only one of them has differs when it has rows. */
function differs(database: DatabaseSync, table: string): boolean {
  const [now, then] = [listColumns(database, "main", table), listColumns(database, "past", table)];
  const columns = now.length === 0 ? then : then.length === 0 ? now : now.filter((column) => then.includes(column));
  const select = (schema: string, own: string[]) =>
    own.length === 0
      ? `SELECT ${columns.map(() => "NULL").join(", ")} WHERE 0`
      : `SELECT ${columns.join(", ")} FROM ${schema}.${quote(table)} WHERE NOT (${NOT_COUNTED[table] ?? "0"})`;
  const [here, there] = [select("main", now), select("past", then)];
  return [
    [here, there],
    [there, here],
  ].some(([one, other]) => database.prepare(`${one} EXCEPT ${other} LIMIT 1`).all().length > 0);
}

function listTables(database: DatabaseSync, schema: string): string[] {
  const tables = database
    .prepare(`SELECT name FROM ${schema}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .all() as { name: string }[];
  return tables.map(({ name }) => name).filter((name) => !name.startsWith("_cf_"));
}

function listColumns(database: DatabaseSync, schema: string, table: string): string[] {
  const columns = database.prepare(`SELECT name FROM pragma_table_info(?, ?)`).all(table, schema) as { name: string }[];
  return columns.map(({ name }) => quote(name));
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function listNames(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
