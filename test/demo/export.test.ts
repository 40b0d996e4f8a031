// The demo's data: an export keeps every value, and each question can be answered from the exported file.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Conventions, describeConventions, drawConventions, exportTable } from "../../scripts/demo/conventions.ts";
import { type Table, parseCsv, loadTables } from "../../scripts/demo/tables.ts";
import { drawTasks } from "../../scripts/demo/tasks.ts";
import { inventTable } from "../support/invented-tables.ts";

const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1);

/** Reads an export back with nothing but its conventions. */
function importTable(text: string, table: Table, conventions: Conventions): (string | null)[][] {
  const rows = parseCsv(text, conventions.separator);
  if (typeof rows === "string") throw new Error(rows);
  const body = conventions.unitRow ? rows.cells.slice(1) : rows.cells;
  return body.map((row) =>
    row.map((cell, i) => {
      const { kind } = table.columns[i]!;
      if (cell === null || (kind !== "text" && cell === conventions.missing)) return null;
      if (kind === "number")
        return cell.replaceAll(conventions.thousands || "\0", "").replace(conventions.decimal, ".");
      if (kind === "text") return cell;
      const [a, b, c] = cell.split(/[-/.]/) as [string, string, string];
      return conventions.dates === "YYYY-MM-DD" ? cell : `${c}-${b}-${a}`;
    }),
  );
}

describe("an export", () => {
  it.each(SEEDS)("of seed %i reads back to the same values", (seed) => {
    const conventions = drawConventions(seed);
    const table = inventTable(seed);
    expect(importTable(exportTable(table, conventions), table, conventions)).toEqual(table.cells);
  });

  it("of the package's tables reads back to the same values", () => {
    const { tables, skipped } = loadTables();
    expect(skipped).toEqual([]);
    for (const table of tables) {
      const conventions = drawConventions(table.cells.length);
      expect(importTable(exportTable(table, conventions), table, conventions)).toEqual(table.cells);
    }
  });

  it("groups digits from a thousand on, and never those of years", () => {
    const table: Table = {
      file: "t.csv",
      columns: [
        { name: "year", kind: "number" },
        { name: "n", kind: "number" },
      ],
      cells: [
        ["2001", "-1234567.5"],
        ["2002", "999"],
      ],
    };
    const conventions = {
      ...drawConventions(1),
      separator: ";",
      decimal: ",",
      thousands: ".",
      unitRow: false,
    } as const;
    expect(exportTable(table, conventions)).toBe("year;n\n2001;-1.234.567,5\n2002;999\n");
  });

  it("is the same for the same seed, and over many seeds uses every choice", () => {
    const drawn = SEEDS.map(drawConventions);
    expect(drawn).toEqual(SEEDS.map(drawConventions));
    const seen = (key: keyof Conventions) => new Set(drawn.map((conventions) => conventions[key])).size;
    expect([seen("separator"), seen("decimal"), seen("missing"), seen("dates"), seen("unitRow")]).toEqual([
      3, 2, 2, 3, 2,
    ]);
    expect(new Set(drawn.map(describeConventions)).size).toBeGreaterThan(20);
  });
});

describe("the tasks", () => {
  it.each(SEEDS)("of seed %i are of one kind, about two files, and say nothing about conventions", (seed) => {
    const { tasks } = drawTasks(
      [1, 2, 3].map((n) => inventTable(100 * seed + n)),
      seed,
    );
    const [first, second] = tasks;
    expect(first.table.file).not.toBe(second.table.file);
    const kind = (text: string) =>
      text
        .replaceAll(/`[^`]*`/g, "_")
        .replace(/falls in .*\?/, "falls in _?")
        .replace(/to \w+ decimals/, "");
    expect(kind(first.text)).toBe(kind(second.text));
    for (const { text, answer } of tasks) {
      expect(text).not.toMatch(/separat|semicolon|tab|pipe|comma|n\/a|9999|missing|units?\b/i);
      expect(Number.isFinite(answer)).toBe(true);
    }
  });

  it("use the two halves of a table if there is only one", () => {
    const { tasks } = drawTasks([inventTable(7, 80)], 3);
    expect(tasks.map(({ table }) => table.file.replace(/^.*-/, "")).sort()).toEqual(["first.csv", "second.csv"]);
    expect(tasks.map(({ table }) => table.cells.length)).toEqual([40, 40]);
  });

  it("have answers computed from the original rows", () => {
    const { tasks } = drawTasks(loadTables().tables, 1);
    for (const { table, text, answer } of tasks) {
      const [, aggregate, column] = /^What is the ([a-z ]+) of `([^`]+)`/.exec(text)!;
      const [, where, value] = /where `([^`]+)` is `([^`]+)`/.exec(text) ?? [];
      const [, when, month, year] = /whose `([^`]+)` falls in (?:(\w+) )?(\d{4})/.exec(text) ?? [];
      const at = (name: string) => table.columns.findIndex((found) => found.name === name);
      const prefix = month ? new Date(`${month} 1, ${year} 12:00`).toISOString().slice(0, 7) : year!;
      const values = table.cells
        .filter((row) => (where ? row[at(where)] === value : when ? row[at(when)]?.startsWith(prefix) : true))
        .flatMap((row) => (row[at(column!)] === null ? [] : [Number(row[at(column!)])]));
      const total = values.reduce((sum, next) => sum + next, 0);
      const expected = {
        mean: total / values.length,
        total,
        "largest value": Math.max(...values),
        "smallest value": Math.min(...values),
      };
      expect(answer).toBe(expected[aggregate as keyof typeof expected]);
    }
  });
});

describe("a folder", () => {
  const folderOf = (files: Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), "tables-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  };
  const numbers = Array.from({ length: 25 }, (_, i) => i);

  it("may hold comma-separated files and arrays of objects; others are skipped with a reason", () => {
    const csv = `\uFEFFname,when,"a ""b"", c"\r\n${numbers.map((n) => `x${n},Jan ${n + 1} 2001,${n}.5`).join("\r\n")}\r\n`;
    const folder = folderOf({
      "a.csv": csv,
      "b.json": JSON.stringify(numbers.map((n) => ({ k: n * 1.5, t: "x" }))),
      "c.json": '{"rows": []}',
      "d.csv": "one\n1\n",
      "e.txt": "no table",
    });
    const { tables, skipped } = loadTables(folder);
    expect(tables.map(({ file, columns }) => [file, columns])).toEqual([
      [
        "a.csv",
        [
          { name: "name", kind: "text" },
          { name: "when", kind: "date" },
          { name: 'a "b", c', kind: "number" },
        ],
      ],
      [
        "b.csv",
        [
          { name: "k", kind: "number" },
          { name: "t", kind: "text" },
        ],
      ],
    ]);
    expect(tables[0]!.cells[1]).toEqual(["x1", "2001-01-02", "1.5"]);
    expect(skipped).toEqual([
      { file: "c.json", reason: "not an array of objects" },
      { file: "d.csv", reason: "fewer than 10 rows" },
    ]);
  });

  it("without a table is refused with the reason", () => {
    expect(() => loadTables(folderOf({ "a.txt": "" }))).toThrow(/holds no table to work on/);
    expect(() => loadTables("/no/such/folder")).toThrow("/no/such/folder is not a folder that can be read.");
  });
});
