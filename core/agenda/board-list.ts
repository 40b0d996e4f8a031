// The boards that a profile has, in its Agenda: written before a board itself begins, so that erasure finds every one. The table is made with
// the first board. Synchronous, over any Sql.
import type { Sql } from "../ports.ts";
import type { BoardName } from "../schemas/board/card.ts";

export const BOARD_LIST_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS board (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL, open INTEGER NOT NULL DEFAULT 0,
    waits INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID`,
];

export interface ListedBoard {
  name: BoardName;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export function createBoardList(sql: Sql) {
  return {
    /** By name. */
    list: (): ListedBoard[] =>
      sql.run<{ name: BoardName; createdAt: number }>("SELECT name, created_at AS createdAt FROM board ORDER BY name"),
    /** Idempotent: the first time stays. */
    add(name: BoardName, createdAt: number): void {
      sql.run("INSERT INTO board (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", name, createdAt);
    },
    /**
     * How many runs the board may have open: it has, or wants, `open` of the profile's `most`. `freed`: the boards that waited, if there may be
     * room for them now.
     */
    takePlaces(name: BoardName, open: number, most: number): { places: number; freed: BoardName[] } {
      const others = sql.run<{ name: BoardName; open: number; waits: number }>(
        "SELECT name, open, waits FROM board WHERE name <> ?",
        name,
      );
      const taken = others.reduce((sum, other) => sum + other.open, 0);
      const places = Math.max(0, Math.min(open, most - taken));
      sql.run("UPDATE board SET open = ?, waits = ? WHERE name = ?", places, places < open ? 1 : 0, name);
      const freed = taken + places < most ? others.filter(({ waits }) => waits === 1) : [];
      return { places, freed: freed.map((other) => other.name) };
    },
    remove(name: BoardName): void {
      sql.run("DELETE FROM board WHERE name = ?", name);
    },
  };
}
