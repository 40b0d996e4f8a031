// Reads rows from the local stack's SQLite files. Reads copies, so the originals do not change and a write-ahead log left by a
// kill is included. Called by the chaos commands and by start, while the stack is stopped.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The table's rows from every database in the folder that has it. */
export function readTable(folder: string, table: string, columns: string): Record<string, unknown>[] {
  return readDatabases(folder, (database) =>
    hasTable(database, table) ? database.prepare(`SELECT ${columns} FROM ${table}`).all() : [],
  );
}

/** The results of `read` for every database in the folder. */
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
    // The write-ahead log is part of the database. SQLite rebuilds the log's index.
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
