// Rows of the databases that the local stack keeps, read from its files: on copies, so that nothing is changed and a log that
// a kill left behind counts. Called by the chaos commands and, while nothing runs, by start.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Of every database of a folder that has the table. */
export function readTable(folder: string, table: string, columns: string): Record<string, unknown>[] {
  return readDatabases(folder, (database) =>
    hasTable(database, table) ? database.prepare(`SELECT ${columns} FROM ${table}`).all() : [],
  );
}

/** What `read` finds in each database of a folder. */
export function readDatabases<T>(folder: string, read: (database: DatabaseSync) => T[]): T[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".sqlite") && file !== "metadata.sqlite");
  return files.flatMap((file) => readCopy(join(folder, file), read));
}

export function hasTable(database: DatabaseSync, table: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").all(table).length > 0;
}

function readCopy<T>(file: string, read: (database: DatabaseSync) => T[]): T[] {
  const copies = mkdtempSync(join(tmpdir(), "talaria-tables-"));
  try {
    // A database is also what stands in its log; the index of that is made anew.
    for (const suffix of ["", "-wal"]) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, join(copies, `copy${suffix}`));
    }
    const database = new DatabaseSync(join(copies, "copy"));
    try {
      return read(database);
    } finally {
      database.close();
    }
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}
