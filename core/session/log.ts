// The rows of a session: turns, entries, blocks, idempotency keys, meta. Used by every part of the engine. Every function is
// synchronous. To make several writes atomic, call them inside `sql.transaction`.
import * as z from "zod";
import { assert, assertKnownVersion } from "../errors.ts";
import { FIXED } from "../limits.ts";
import type { Sql } from "../ports.ts";
import { byteLength } from "../schemas/learning/digest.ts";
import { Entry, type TurnState, TurnStats } from "../schemas/entry.ts";
import { ObservedTurn } from "../schemas/learning/learning.ts";
import { BusyMode } from "../schemas/settings.ts";

/** What decides a turn's restarts, its pauses and its place in the queue. An absent field means that this has not happened. */
const TurnMore = z.object({
  /** Of a waiting input: what it does to the running turn. */
  busy: BusyMode.optional(),
  /** Of an interrupting input: the turn that was running when it arrived. */
  interrupts: z.int().optional(),
  /** Of a waiting input: when it arrived. */
  since: z.int().optional(),
  /** Of a steered input: the turn it was put into. */
  into: z.int().optional(),
  /** Number of answers and results at the last restart. */
  doneAtRestart: z.int().optional(),
  /** Restarts since then without a new answer or result, and the time of the first. */
  fruitless: z.int().optional(),
  fruitlessSince: z.int().optional(),
  /** Restarts in a row after the object ran out of memory. */
  memoryStrikes: z.int().optional(),
  /** Pauses since the last new answer or result, the number of answers and results at that time, and the end of this pause. */
  pauses: z.int().optional(),
  doneAtPause: z.int().optional(),
  pausedUntil: z.int().optional(),
  /** Of an ended turn: why it ended. */
  reason: z.string().optional(),
});
export type TurnMore = z.infer<typeof TurnMore>;

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
  more: TurnMore;
}

const TURN_COLUMNS = `n, state, waiting, input, final, attempts, stats, started_at AS startedAt, ended_at AS endedAt, more`;

type RawTurn = Omit<TurnRow, "stats" | "more"> & { stats: string; more: string | null };

export type Log = ReturnType<typeof createLog>;

/** Turns kept in memory: the open ones, and those that a new turn looks back at. */
const REMEMBERED_TURNS = 64;
/** JSON characters of entries kept in memory. An isolate of 128 MB may hold hundreds of sessions. */
const REMEMBERED_CHARS = 1 << 17;

export function createLog(sql: Sql) {
  // An object is the only writer of its rows, so rows that it has read or written can be cached for its lifetime.
  const metas = new Map<string, unknown>();
  const remembered = new Map<number, TurnRow>();
  const recent = new Map<number, { entry: Entry; chars: number }>();
  let recentChars = 0;
  let lastTurn: number | undefined;
  let lastEntry: number | undefined;

  function remember(turn: TurnRow): TurnRow {
    remembered.set(turn.n, turn);
    if (remembered.size > REMEMBERED_TURNS) remembered.delete(Math.min(...remembered.keys()));
    return turn;
  }

  function rememberEntry(entry: Entry, chars: number): void {
    recentChars += chars - (recent.get(entry.n)?.chars ?? 0);
    recent.set(entry.n, { entry, chars });
    for (const [n, oldest] of recent) {
      if (recentChars <= REMEMBERED_CHARS) break;
      recent.delete(n);
      recentChars -= oldest.chars;
    }
  }

  /** Undefined unless all entries of the range are cached. */
  function rememberedEntries(from: number, to: number): Entry[] | undefined {
    if (lastEntry === undefined) return undefined;
    const entries: Entry[] = [];
    for (let n = Math.max(from, 1); n <= Math.min(to, lastEntry); n++) {
      const known = recent.get(n);
      if (!known) return undefined;
      entries.push(known.entry);
    }
    return entries;
  }

  return {
    /** Clears the cache. Call after a transaction was rolled back. */
    forget(): void {
      metas.clear();
      remembered.clear();
      recent.clear();
      recentChars = 0;
      lastTurn = lastEntry = undefined;
    },

    // ---- meta ----
    /** Treat as read-only. */
    meta<T>(key: string): T | null {
      if (!metas.has(key)) {
        const row = sql.run<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)[0];
        metas.set(key, row ? JSON.parse(row.value) : null);
      }
      return metas.get(key) as T | null;
    },
    setMeta(key: string, value: unknown): void {
      sql.run(
        "INSERT INTO meta VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        key,
        JSON.stringify(value),
      );
      metas.set(key, value);
    },
    deleteMeta(key: string): void {
      sql.run("DELETE FROM meta WHERE key = ?", key);
      metas.delete(key);
    },

    // ---- turns ----
    turn(n: number): TurnRow | null {
      if (lastTurn !== undefined && n > lastTurn) return null;
      const known = remembered.get(n);
      if (known) return known;
      const [turn] = toTurns(sql.run<RawTurn>(`SELECT ${TURN_COLUMNS} FROM turn WHERE n = ?`, n));
      return turn ? remember(turn) : null;
    },
    /** The newest `limit`, oldest first. */
    turns(limit: number): TurnRow[] {
      return toTurns(sql.run<RawTurn>(`SELECT ${TURN_COLUMNS} FROM turn ORDER BY n DESC LIMIT ?`, limit)).reverse();
    },
    /** Inputs that steered turn `n`. They were accepted while it ran, so their numbers follow directly. */
    steeredInto(n: number): TurnRow[] {
      const steered: TurnRow[] = [];
      for (let next = this.turn(n + 1); next?.more.into === n; next = this.turn(next.n + 1)) steered.push(next);
      return steered;
    },
    lastTurn(): TurnRow | null {
      lastTurn ??= sql.run<{ n: number | null }>("SELECT max(n) AS n FROM turn")[0]?.n ?? 0;
      return this.turn(lastTurn);
    },
    /**
     * Oldest first: the running turn, then the queue. Open turns are the newest ones, apart from inputs that steered the running
     * turn. So the scan stops at the first turn that ended on its own.
     */
    openTurns(): TurnRow[] {
      const open: TurnRow[] = [];
      for (let turn = this.lastTurn(); turn; turn = this.turn(turn.n - 1)) {
        if (isOpen(turn)) open.unshift(turn);
        else if (turn.state !== "steered") break;
      }
      return open;
    },
    putTurn(turn: TurnRow): void {
      sql.run(
        `INSERT INTO turn VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO UPDATE SET state = excluded.state,
          waiting = excluded.waiting, input = excluded.input, final = excluded.final, attempts = excluded.attempts,
          stats = excluded.stats, started_at = excluded.started_at, ended_at = excluded.ended_at, more = excluded.more`,
        turn.n,
        turn.state,
        turn.waiting,
        turn.input,
        turn.final,
        turn.attempts,
        JSON.stringify(turn.stats),
        turn.startedAt,
        turn.endedAt,
        Object.keys(turn.more).length === 0 ? null : JSON.stringify(turn.more),
      );
      remember(turn);
      if (lastTurn !== undefined) lastTurn = Math.max(lastTurn, turn.n);
    },

    // ---- observations of turns; a separate column, which listings do not read ----
    observed(n: number): ObservedTurn | null {
      const [row] = sql.run<{ observed: string | null }>("SELECT observed FROM turn WHERE n = ?", n);
      return row?.observed ? ObservedTurn.parse(JSON.parse(row.observed)) : null;
    },
    putObserved(n: number, observed: ObservedTurn): void {
      sql.run("UPDATE turn SET observed = ? WHERE n = ?", JSON.stringify(observed), n);
    },
    /** The newest observed turns between `after` and `before`, newest first. */
    observedTurns(after: number, before: number, limit: number): { n: number; observed: ObservedTurn }[] {
      return sql
        .run<{ n: number; observed: string }>(
          "SELECT n, observed FROM turn WHERE n > ? AND n < ? AND observed IS NOT NULL ORDER BY n DESC LIMIT ?",
          after,
          before,
          limit,
        )
        .map((row) => ({ n: row.n, observed: ObservedTurn.parse(JSON.parse(row.observed)) }));
    },

    // ---- entries ----
    nextEntry(): number {
      lastEntry ??= sql.run<{ n: number | null }>("SELECT max(n) AS n FROM entry")[0]?.n ?? 0;
      return lastEntry + 1;
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
      if (lastEntry !== undefined) lastEntry = Math.max(lastEntry, entry.n);
      rememberEntry(entry, body.length);
    },
    /** Treat as read-only. */
    entry(n: number): Entry | null {
      const known = recent.get(n)?.entry;
      if (known) return known;
      if (lastEntry !== undefined && n > lastEntry) return null;
      return toEntries(sql.run<{ body: string }>("SELECT body FROM entry WHERE n = ?", n))[0] ?? null;
    },
    /** Ascending, both ends included. */
    entries(from: number, to = Number.MAX_SAFE_INTEGER): Entry[] {
      const known = rememberedEntries(from, to);
      if (known) return known;
      return toEntries(
        sql.run<{ body: string }>("SELECT body FROM entry WHERE n >= ? AND n <= ? ORDER BY n", from, to),
      );
    },

    /** Ascending from `from` on: as many as `limit` and `bytes` allow, but at least one. `more`: later entries exist. */
    entryPage(from: number, limit: number, bytes: number): { entries: Entry[]; more: boolean } {
      const rows = sql.run<{ n: number; bytes: number }>(
        "SELECT n, octet_length(body) AS bytes FROM entry WHERE n >= ? ORDER BY n LIMIT ?",
        from,
        limit + 1,
      );
      let left = bytes;
      const fitting = rows.slice(0, limit).filter((row, i) => (left -= row.bytes) >= 0 || i === 0);
      const to = fitting.at(-1)?.n;
      return { entries: to === undefined ? [] : this.entries(from, to), more: fitting.length < rows.length };
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

/** Running or queued. */
export function isOpen(turn: TurnRow): boolean {
  return turn.state === "queued" || turn.state === "running";
}

function toTurns(rows: RawTurn[]): TurnRow[] {
  return rows.map((row) => ({
    ...row,
    stats: TurnStats.parse(JSON.parse(row.stats)),
    more: row.more === null ? {} : TurnMore.parse(JSON.parse(row.more)),
  }));
}

function toEntries(rows: { body: string }[]): Entry[] {
  return rows.map((row) => {
    const raw: unknown = JSON.parse(row.body);
    const parsed = Entry.safeParse(raw);
    if (parsed.success) return parsed.data;
    assertKnownVersion("An entry of this session", raw, parsed.error);
    throw parsed.error;
  });
}
