// The rows of a session: turns, entries, blocks, idempotency keys, meta. Used by every part of the engine. Every function is
// synchronous. To make several writes atomic, call them inside `sql.transaction`.
import type { Sql } from "../ports.ts";
import { createEntryRows } from "./log-entries.ts";
import { createObservationRows, createTurnRows } from "./log-turns.ts";

export type Log = ReturnType<typeof createLog>;

/** An object is the only writer of its rows, so rows that it has read or written can be cached for its lifetime. */
export function createLog(sql: Sql) {
  const meta = createMetaRows(sql);
  const turns = createTurnRows(sql);
  const entries = createEntryRows(sql);
  return {
    ...meta,
    ...turns,
    ...createObservationRows(sql),
    ...entries,
    ...createBlockRows(sql),
    ...createKeyRows(sql),
    /** Clears the caches. Call after a transaction was rolled back. */
    forget(): void {
      for (const rows of [meta, turns, entries]) rows.forget();
    },
  };
}

/** Named JSON values, such as the frozen prompt, the to-do list and the usage so far. */
function createMetaRows(sql: Sql) {
  const cached = new Map<string, unknown>();
  return {
    /** Treat as read-only. */
    meta<T>(key: string): T | null {
      if (!cached.has(key)) {
        const row = sql.run<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)[0];
        cached.set(key, row ? JSON.parse(row.value) : null);
      }
      return cached.get(key) as T | null;
    },
    setMeta(key: string, value: unknown): void {
      sql.run(
        "INSERT INTO meta VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        key,
        JSON.stringify(value),
      );
      cached.set(key, value);
    },
    deleteMeta(key: string): void {
      sql.run("DELETE FROM meta WHERE key = ?", key);
      cached.delete(key);
    },
    forget: (): void => cached.clear(),
  };
}

/** Blocks of the answer that is streaming. */
function createBlockRows(sql: Sql) {
  return {
    putBlock(entry: number, i: number, text: string): void {
      sql.run("INSERT INTO block VALUES(?, ?, ?)", entry, i, text);
    },
    blocks(entry: number): string {
      return sql
        .run<{ text: string }>("SELECT text FROM block WHERE entry = ? ORDER BY i", entry)
        .map((row) => row.text)
        .join("");
    },
    dropBlocks(): void {
      sql.run("DELETE FROM block");
    },
  };
}

/** Idempotency keys: which turn accepted an input, and the hash of that input. */
function createKeyRows(sql: Sql) {
  return {
    key(key: string): { hash: string; turn: number } | null {
      return sql.run<{ hash: string; turn: number }>("SELECT hash, turn FROM input_key WHERE key = ?", key)[0] ?? null;
    },
    putKey(key: string, hash: string, turn: number): void {
      sql.run("INSERT INTO input_key VALUES(?, ?, ?)", key, hash, turn);
    },
  };
}
