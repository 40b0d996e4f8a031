// Erases messages from an Archive: those of a session, or those that hold an erased text. Called by message-archive.ts. Leaves no row
// and no word of them. `message_turn` keeps the turn of an erased text, so that its messages are not indexed again.
import type { Sql } from "../../ports.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { countIndexedWords } from "./message-words.ts";

/** Rows in memory at once. A row has up to 16,000 characters of text, and as many again as words. */
const PAGE = 50;
/** Rows that one call reads for a text. [own] The longest messages take 13 seconds; wrangler.toml allows 300 of processor time. */
const MAX_ROWS_READ = 20_000;

interface IndexedText {
  id: number;
  text: string;
  words: string;
  heading: string;
}

export function eraseMessagesOfSession(sql: Sql, session: SessionId): number {
  return sql.transaction(() => {
    let erased = 0;
    for (;;) {
      const rows = sql.run<IndexedText>(
        `SELECT id, text, words, heading FROM message WHERE session = ? LIMIT ${PAGE}`,
        session,
      );
      if (rows.length === 0) break;
      eraseRows(sql, rows);
      erased += rows.length;
    }
    sql.run("DELETE FROM message_turn WHERE session = ?", session);
    if (erased > 0) compactIndexes(sql);
    return erased;
  });
}

/** Reads rows from the one after `after` on. `next`: the last row read if there are more. */
export function eraseMessagesWhere(
  sql: Sql,
  isMeant: (text: string) => boolean,
  after: number,
): { erased: number; next: number | null } {
  return sql.transaction(() => {
    let erased = 0;
    let last = after;
    let hasMore = true;
    for (let read = 0; hasMore && read < MAX_ROWS_READ; read += PAGE) {
      const rows = sql.run<IndexedText>(
        `SELECT id, text, words, heading FROM message WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
        last,
      );
      const meant = rows.filter(({ text }) => isMeant(text));
      eraseRows(sql, meant);
      erased += meant.length;
      last = rows.at(-1)?.id ?? last;
      hasMore = rows.length === PAGE;
    }
    if (erased > 0) compactIndexes(sql);
    return { erased, next: hasMore ? last : null };
  });
}

/** Call inside a transaction. */
function eraseRows(sql: Sql, rows: IndexedText[]): void {
  if (rows.length === 0) return;
  for (const { id, words, heading, text } of rows) {
    // An index of external content needs the indexed text of a row in order to delete it.
    sql.run(
      "INSERT INTO message_words(message_words, rowid, words, heading) VALUES('delete', ?, ?, ?)",
      ...[id, words, heading],
    );
    sql.run("INSERT INTO message_pieces(message_pieces, rowid, text) VALUES('delete', ?, ?)", id, text);
    sql.run("DELETE FROM message WHERE id = ?", id);
  }
  const words = rows.reduce((sum, row) => sum + countIndexedWords(row.words), 0);
  sql.run("UPDATE message_sum SET messages = messages - ?, words = words - ?", rows.length, words);
}

/**
 * A deleted word stays in the pages of an index until they are merged. FTS5's `secure-delete` would remove it at once, but takes 16 ms for
 * a message, and this a third of a second for 100,000 messages.
 */
function compactIndexes(sql: Sql): void {
  for (const index of ["message_words", "message_pieces"]) sql.run(`INSERT INTO ${index}(${index}) VALUES('optimize')`);
}
