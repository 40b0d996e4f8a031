// Reads the tables of Hermes's state.db from a copy of the file. The file may be anything: it is opened only if it begins as SQLite does, read
// only, its views, virtual tables and computed columns are refused, and values are cut before they are read.
import { copyFileSync, constants, lstatSync, mkdtempSync, openSync, closeSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { MoveNote } from "../../../core/moving/foreign/foreign-home.ts";
import type { HermesRow, HermesRows } from "../../../core/moving/foreign/hermes-sessions.ts";

/** [own] */
const MAX_BYTES = 4 * 2 ** 30;
const MAX_SESSIONS = 10_000;
const MAX_MESSAGES = 20_001;
/** Of one value: a message is cut to 100,000 characters later. */
const MAX_BYTES_OF_VALUE = 400_000;
/** [own] Of copying the file while it changes. */
const MAX_TRIES = 20;
const HEADER = "SQLite format 3\u0000";

const COLUMNS = {
  sessions: ["id", "source", "model", "title", "started_at"],
  messages: ["role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "active", "compacted"],
};

export interface HermesDatabase extends Disposable {
  rows: HermesRows;
}

type Copy = typeof copyFileSync;

/** `null`: there is none, or it cannot be read, which is noted. */
export function openHermesDatabase(home: string, notes: MoveNote[], copy: Copy = copyFileSync): HermesDatabase | null {
  const path = join(home, "state.db");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  const refuse = (why: string) => {
    notes.push({ kind: "refused", what: "state.db, with all conversations", why });
    return null;
  };
  if (!found.isFile()) return refuse("it is not a regular file");
  if (found.size > MAX_BYTES) return refuse(`it has ${found.size} bytes, and ${MAX_BYTES} are read at most`);
  const folder = mkdtempSync(join(tmpdir(), "talaria-import-"));
  const end = () => rmSync(folder, { recursive: true, force: true });
  try {
    if (!beginsAsSqlite(path)) throw new Error("it is not a SQLite database");
    copyWhole(path, join(folder, "state.db"), copy);
    const database = openCopy(join(folder, "state.db"));
    // The open files stay readable, and no conversation stays behind when the process is killed. Windows removes them at the end.
    if (process.platform !== "win32") end();
    const close = () => {
      database.close();
      end();
    };
    return { rows: toRows(database, notes), [Symbol.dispose]: close };
  } catch (error) {
    end();
    return refuse(error instanceof Error ? error.message.slice(0, 200) : "it cannot be read");
  }
}

/**
 * With what was written last, which may still be in the log beside the file. Hermes may run, and move its log into the file meanwhile: what
 * was copied is then of two times, and is copied again.
 */
function copyWhole(path: string, target: string, copy: Copy): void {
  const changedAt = () => lstatSync(path, { bigint: true }).mtimeNs;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = changedAt();
    for (const ending of ["", "-wal"]) {
      rmSync(target + ending, { force: true });
      if (!lstatSync(path + ending, { throwIfNoEntry: false })?.isFile()) continue;
      copy(path + ending, target + ending, constants.COPYFILE_FICLONE);
    }
    if (changedAt() === before) return;
  }
  throw new Error("it is being written; end Hermes, then import again");
}

function beginsAsSqlite(path: string): boolean {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = new Uint8Array(HEADER.length);
    readSync(file, bytes, 0, bytes.length, 0);
    return new TextDecoder().decode(bytes) === HEADER;
  } finally {
    closeSync(file);
  }
}

/** The copy is our own, so that SQLite may take in the log beside it. Throws for tables that are none. */
function openCopy(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { allowExtension: false });
  try {
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON");
    for (const [table, wanted] of Object.entries(COLUMNS)) {
      const [row] = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?").all(table);
      const isPlain = row !== undefined && /^\s*CREATE\s+TABLE\b/i.test(String(row.sql));
      const columns = isPlain ? database.prepare(`PRAGMA table_xinfo(${table})`).all() : [];
      const needed = wanted.slice(0, 2);
      const isWhole = needed.every((name) => columns.some((column) => column.name === name));
      if (!isWhole || columns.some((column) => column.hidden !== 0)) throw new Error(`it has no plain table ${table}`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function toRows(database: DatabaseSync, notes: MoveNote[]): HermesRows {
  const select = (table: keyof typeof COLUMNS, rest: string) => {
    const known = database
      .prepare(`PRAGMA table_xinfo(${table})`)
      .all()
      .map(({ name }) => String(name));
    const columns = COLUMNS[table].filter((name) => known.includes(name));
    // As bytes: a text may have a NUL inside, where SQLite's own functions on texts stop. As a real: a whole number may be too large for Node.
    const cut = columns.map(
      (name) =>
        `CASE typeof(${name}) WHEN 'text' THEN substr(CAST(${name} AS BLOB), 1, ${MAX_BYTES_OF_VALUE}) WHEN 'blob' THEN NULL WHEN 'integer' THEN CAST(${name} AS REAL) ELSE ${name} END AS ${name}`,
    );
    return database.prepare(`SELECT ${cut.join(", ")} FROM ${table} ${rest}`);
  };
  /** A page of the file may be damaged: what can be read comes. */
  function* read(what: string, begin: () => Iterator<Record<string, SQLOutputValue>>): Generator<HermesRow> {
    try {
      const iterator = begin();
      for (let next = iterator.next(); !next.done; next = iterator.next()) yield toRow(next.value);
    } catch {
      notes.push({ kind: "refused", what, why: "the database is damaged there" });
    }
  }
  return {
    sessions: () =>
      // All at once: a statement that stays open would be in the way of the others.
      [
        ...read("further conversations", () =>
          select("sessions", `ORDER BY started_at, id LIMIT ${MAX_SESSIONS}`).iterate(),
        ),
      ],
    messages: (session) =>
      read(`messages of the conversation ${session.slice(0, 80)}`, () =>
        select("messages", `WHERE session_id = ? ORDER BY id LIMIT ${MAX_MESSAGES}`).iterate(session),
      ),
  };
}

function toRow(row: Record<string, SQLOutputValue>): HermesRow {
  const decoder = new TextDecoder();
  const pairs = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? decoder.decode(value) : value,
  ]);
  return Object.fromEntries(pairs) as HermesRow;
}
