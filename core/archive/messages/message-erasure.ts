// Erases messages from an Archive: those of a session, or those that hold an erased text. Called by message-archive.ts. Leaves no row
// of them, and no word once message-merge.ts is done. `message_turn` keeps the turn of an erased text, so that its messages are not
// indexed again, and the turn -1 of an erased session, so that none of its turns is.
import type { Sql } from "../../ports.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { putTitle } from "./message-headings.ts";
import { planMerge } from "./message-merge.ts";
import { countIndexedWords } from "./message-words.ts";

/** Rows in memory at once. A row has up to 16,000 characters of text, and as many again as words. */
const PAGE = 50;
/** Rows that one call reads for a text. [own] The longest messages take 3 seconds. */
const MAX_ROWS_READ = 5_000;
/** In `message_turn`: the session was erased. */
export const ERASED_SESSION = -1;

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
    sql.run("INSERT INTO message_turn VALUES(?, ?)", session, ERASED_SESSION);
    sql.run("DELETE FROM message_title WHERE session = ?", session);
    if (erased > 0) planMerge(sql);
    return erased;
  });
}

export function isErasedSession(sql: Sql, session: SessionId): boolean {
  const found = sql.run("SELECT 1 FROM message_turn WHERE session = ? AND turn = ?", session, ERASED_SESSION);
  return found.length > 0;
}

/** Takes titles that are meant out of all headings. `keep` gets them before, so that they are known if the work stops here. */
export function eraseTitlesWhere(sql: Sql, isMeant: (text: string) => boolean, keep: (titles: string[]) => void): void {
  const titles = sql.run<{ session: SessionId; title: string }>("SELECT session, title FROM message_title");
  const meant = titles.filter(({ title }) => isMeant(title));
  keep(meant.map(({ title }) => title));
  for (const { session } of meant) sql.transaction(() => putTitle(sql, session, ""));
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
    if (erased > 0) planMerge(sql);
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
