// Rows of a session and nothing else: turns, entries, blocks, keys, meta. Every function is synchronous; who needs several
// writes to be one calls them inside `sql.transaction`.
import { assert } from "../errors.ts";
import { FIXED } from "../limits.ts";
import type { Sql } from "../ports.ts";
import { byteLength } from "../schemas/digest.ts";
import { Entry, type TurnState, TurnStats } from "../schemas/entry.ts";

export interface TurnRow {
  n: number;
  state: TurnState;
  /** The text of an input that has not begun. */
  waiting: string | null;
  input: number | null;
  final: number | null;
  attempts: number;
  stats: TurnStats;
  startedAt: number | null;
  endedAt: number | null;
}

const TURN_COLUMNS = `n, state, waiting, input, final, attempts, stats, started_at AS startedAt, ended_at AS endedAt`;

type RawTurn = Omit<TurnRow, "stats"> & { stats: string };

export type Log = ReturnType<typeof createLog>;

export function createLog(sql: Sql) {
  return {
    // ---- meta ----
    meta<T>(key: string): T | null {
      const row = sql.run<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)[0];
      return row ? (JSON.parse(row.value) as T) : null;
    },
    setMeta(key: string, value: unknown): void {
      sql.run(
        "INSERT INTO meta VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        key,
        JSON.stringify(value),
      );
    },

    // ---- turns ----
    turn(n: number): TurnRow | null {
      return toTurns(sql.run<RawTurn>(`SELECT ${TURN_COLUMNS} FROM turn WHERE n = ?`, n))[0] ?? null;
    },
    turns(): TurnRow[] {
      return toTurns(sql.run<RawTurn>(`SELECT ${TURN_COLUMNS} FROM turn ORDER BY n`));
    },
    lastTurn(): TurnRow | null {
      return toTurns(sql.run<RawTurn>(`SELECT ${TURN_COLUMNS} FROM turn ORDER BY n DESC LIMIT 1`))[0] ?? null;
    },
    /** Oldest first: the running one, then the queue. They are the newest turns, so the scan stops at the first settled. */
    openTurns(): TurnRow[] {
      const open: TurnRow[] = [];
      for (let n = this.lastTurn()?.n ?? 0; n > 0; n--) {
        const turn = this.turn(n);
        if (!turn || !isOpen(turn)) break;
        open.unshift(turn);
      }
      return open;
    },
    putTurn(turn: TurnRow): void {
      sql.run(
        `INSERT INTO turn VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state,
          waiting = excluded.waiting, input = excluded.input, final = excluded.final, attempts = excluded.attempts,
          stats = excluded.stats, started_at = excluded.started_at, ended_at = excluded.ended_at`,
        turn.n,
        turn.state,
        turn.waiting,
        turn.input,
        turn.final,
        turn.attempts,
        JSON.stringify(turn.stats),
        turn.startedAt,
        turn.endedAt,
      );
    },

    // ---- entries ----
    nextEntry(): number {
      return (sql.run<{ n: number | null }>("SELECT max(n) AS n FROM entry")[0]?.n ?? 0) + 1;
    },
    put(entry: Entry): void {
      const body = JSON.stringify(entry);
      assert(byteLength(body) <= FIXED.rowBytes, `entry ${entry.n} is larger than a row may be`);
      sql.run(
        "INSERT INTO entry VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
        entry.n,
        entry.turn,
        body,
      );
    },
    entry(n: number): Entry | null {
      return toEntries(sql.run<{ body: string }>("SELECT body FROM entry WHERE n = ?", n))[0] ?? null;
    },
    /** Ascending, both ends included. */
    entries(from: number, to = Number.MAX_SAFE_INTEGER): Entry[] {
      return toEntries(
        sql.run<{ body: string }>("SELECT body FROM entry WHERE n >= ? AND n <= ? ORDER BY n", from, to),
      );
    },

    // ---- blocks of the answer that is streaming ----
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

    // ---- idempotency keys ----
    key(key: string): { hash: string; turn: number } | null {
      return sql.run<{ hash: string; turn: number }>("SELECT hash, turn FROM input_key WHERE key = ?", key)[0] ?? null;
    },
    putKey(key: string, hash: string, turn: number): void {
      sql.run("INSERT INTO input_key VALUES(?, ?, ?)", key, hash, turn);
    },
  };
}

/** Running, or waiting to be. */
export function isOpen(turn: TurnRow): boolean {
  return turn.state === "queued" || turn.state === "running";
}

function toTurns(rows: RawTurn[]): TurnRow[] {
  return rows.map((row) => ({ ...row, stats: TurnStats.parse(JSON.parse(row.stats)) }));
}

function toEntries(rows: { body: string }[]): Entry[] {
  return rows.map((row) => Entry.parse(JSON.parse(row.body)));
}
