// The boards that a profile has, in its Agenda: written before a board itself begins, so that erasure finds every one. The table is made with
// the first board. Synchronous, over any Sql.
import type { Sql } from "../ports.ts";
import type { BoardName } from "../schemas/board/card.ts";

export const BOARD_LIST_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS board (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
];

export interface ListedBoard {
  name: BoardName;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export type BoardList = ReturnType<typeof createBoardList>;

export function createBoardList(sql: Sql) {
  return {
    /** By name. */
    list: (): ListedBoard[] =>
      sql.run<{ name: BoardName; createdAt: number }>("SELECT name, created_at AS createdAt FROM board ORDER BY name"),
    /** Idempotent: the first time stays. */
    add(name: BoardName, createdAt: number): void {
      sql.run("INSERT INTO board VALUES (?, ?) ON CONFLICT DO NOTHING", name, createdAt);
    },
    remove(name: BoardName): void {
      sql.run("DELETE FROM board WHERE name = ?", name);
    },
  };
}
