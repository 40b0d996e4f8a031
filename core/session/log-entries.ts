// The rows of a session's entries, the newest of them cached. A part of the Log.
import { assert, assertKnownVersion } from "../errors.ts";
import { FIXED } from "../limits.ts";
import type { Sql } from "../ports.ts";
import { Entry } from "../schemas/entry.ts";
import { byteLength } from "../schemas/learning/digest.ts";

/** JSON characters of entries kept in memory. An isolate of 128 MB may hold hundreds of sessions. */
const CACHED_CHARS = 1 << 17;

export function createEntryRows(sql: Sql) {
  const cache = createEntryCache();
  /** Number of the newest entry; undefined until it was read. */
  let newest: number | undefined;

  function nextEntry(): number {
    newest ??= sql.run<{ n: number | null }>("SELECT max(n) AS n FROM entry")[0]?.n ?? 0;
    return newest + 1;
  }

  function put(entry: Entry): void {
    const body = JSON.stringify(entry);
    assert(byteLength(body) <= FIXED.rowBytes, `entry ${entry.n} is larger than a row may be`);
    sql.run(
      "INSERT INTO entry VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
      entry.n,
      entry.turn,
      body,
    );
    if (newest !== undefined) newest = Math.max(newest, entry.n);
    cache.put(entry, body.length);
  }

  /** Treat as read-only. */
  function entry(n: number): Entry | null {
    const known = cache.get(n);
    if (known) return known;
    if (newest !== undefined && n > newest) return null;
    return toEntries(sql.run<{ body: string }>("SELECT body FROM entry WHERE n = ?", n))[0] ?? null;
  }

  /** Ascending, both ends included. */
  function entries(from: number, to = Number.MAX_SAFE_INTEGER): Entry[] {
    const known = newest === undefined ? undefined : cache.getRange(Math.max(from, 1), Math.min(to, newest));
    if (known) return known;
    return toEntries(sql.run<{ body: string }>("SELECT body FROM entry WHERE n >= ? AND n <= ? ORDER BY n", from, to));
  }

  /** Ascending from `from` on: as many as `limit` and `bytes` allow, but at least one. `more`: later entries exist. */
  function entryPage(from: number, limit: number, bytes: number): { entries: Entry[]; more: boolean } {
    const rows = sql.run<{ n: number; bytes: number }>(
      "SELECT n, octet_length(body) AS bytes FROM entry WHERE n >= ? ORDER BY n LIMIT ?",
      from,
      limit + 1,
    );
    let left = bytes;
    const fitting = rows.slice(0, limit).filter((row, i) => (left -= row.bytes) >= 0 || i === 0);
    const to = fitting.at(-1)?.n;
    return { entries: to === undefined ? [] : entries(from, to), more: fitting.length < rows.length };
  }

  function forget(): void {
    cache.clear();
    newest = undefined;
  }

  return { nextEntry, put, entry, entries, entryPage, forget };
}

/** Drops the entries that were put first when the cache is full. */
function createEntryCache() {
  const cached = new Map<number, { entry: Entry; chars: number }>();
  let totalChars = 0;
  return {
    get: (n: number): Entry | undefined => cached.get(n)?.entry,
    /** Both ends included. Undefined unless all entries of the range are cached. */
    getRange(from: number, to: number): Entry[] | undefined {
      const entries: Entry[] = [];
      for (let n = from; n <= to; n++) {
        const known = cached.get(n);
        if (!known) return undefined;
        entries.push(known.entry);
      }
      return entries;
    },
    put(entry: Entry, chars: number): void {
      totalChars += chars - (cached.get(entry.n)?.chars ?? 0);
      cached.set(entry.n, { entry, chars });
      for (const [n, oldest] of cached) {
        if (totalChars <= CACHED_CHARS) break;
        cached.delete(n);
        totalChars -= oldest.chars;
      }
    },
    clear(): void {
      cached.clear();
      totalChars = 0;
    },
  };
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
