// An archive on its way out and in: the records of turns and the purges, which exist nowhere else. Words are indexed again at the
// destination; messages come again from the sessions' logs. Run by the Archive object, over any Sql.
import { type Result, err, ok } from "../errors.ts";
import { ARCHIVE_FATES, travellingTables } from "../moving/stored.ts";
import { putMovedRow, readTablePage } from "../moving/table-pages.ts";
import type { Sql } from "../ports.ts";
import type { PurgedPiece } from "../schemas/archived-message.ts";
import type { MovedRow, TablePlace } from "../schemas/moving/lines.ts";
import { openMessageTables } from "./messages/message-tables.ts";
import { openTurnTables } from "./schema.ts";

const TABLES = travellingTables(ARCHIVE_FATES);

export interface ArchiveRow {
  table: string;
  row: MovedRow;
}

/** `salt`: of the hashes of this archive; the destination has another. */
export function exportArchive(
  sql: Sql,
  { place, maxChars, salt }: { place: TablePlace | null; maxChars: number; salt: string },
): { lines: string[]; next: TablePlace | null } {
  const change = (table: string, row: MovedRow) => (table === "message_purge" ? withSalt(row, salt) : row);
  const { rows, next } = readTablePage(sql, { tables: TABLES, place, maxChars, change });
  return { lines: rows.map(({ table, row }) => JSON.stringify({ in: "archive", table, row })), next };
}

/** Idempotent. Failures: `archive_version`, `archive_invalid`. */
export function importArchive(sql: Sql, rows: ArchiveRow[]): Result<null> {
  openTurnTables(sql);
  openMessageTables(sql, 0);
  return sql.transaction(() => {
    for (const { table, row } of rows) {
      if (!TABLES.includes(table)) return err("archive_invalid", `An archive has no table ${table.slice(0, 40)}.`);
      const isNewTurn =
        table === "turn_sign" && sql.run("SELECT 1 FROM turn_sign WHERE id = ?", Number(row.id)).length === 0;
      const put = putMovedRow(sql, table, row);
      if (!put.ok) return put;
      if (isNewTurn && typeof row.words === "string" && row.words !== "") {
        sql.run("INSERT INTO turn_words(rowid, words) VALUES (?, ?)", Number(row.id), row.words);
      }
    }
    return ok(null);
  });
}

function withSalt(row: MovedRow, salt: string): MovedRow {
  const pieces = JSON.parse(String(row.pieces)) as PurgedPiece[];
  return { ...row, pieces: JSON.stringify(pieces.map((piece) => ({ ...piece, salt: piece.salt ?? salt }))) };
}
