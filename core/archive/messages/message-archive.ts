// The messages of a profile's finished turns: puts, reads and erases them. Run by the Archive object, and by bench:recall, over any Sql.
// message-search.ts searches them. A copy: the log of each session is the original.
import type { Sql } from "../../ports.ts";
import type {
  ArchivedMessage,
  ArchivedTurn,
  FoundMessage,
  IndexedMessage,
  MessageQuery,
  MessageRole,
} from "../../schemas/archived-message.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { searchMessages } from "./message-search.ts";
import { openMessageTables } from "./message-tables.ts";
import { toDateWords, toIndexedWords, toStoredText } from "./message-words.ts";

export type { ArchivedMessage, ArchivedTurn, FoundMessage, IndexedMessage, MessageQuery, MessageRole };

export interface MessageArchive {
  /** Idempotent by session and turn. Turns of a session come in their order, so that neighbours are neighbours. */
  put(turn: ArchivedTurn): void;
  /** Best first. Never throws for a query: one without words finds nothing. */
  search(query: MessageQuery): FoundMessage[];
  /** Messages of a session in their order, from `before` before the entry `n` (or the next entry, or the last one) to `after` after it. */
  around(session: SessionId, n: number, before: number, after: number): IndexedMessage[];
  /** Removes every row and word of a session. Returns how many messages it had. */
  eraseSession(session: SessionId): number;
}

/** Messages that `around` reads on each side at most. */
const MAX_AROUND = 100;
/** Rows in memory at once while a session is erased. */
const ERASE_PAGE = 50;
/** Characters of speaker and title that are indexed, for each message of the turn again. */
const MAX_HEADING_CHARS = 300;

export function createMessageArchive(sql: Sql): MessageArchive {
  openMessageTables(sql);
  return {
    put: (turn) => putTurn(sql, turn),
    search: (query) => searchMessages(sql, query),
    around: (session, n, before, after) => readAround(sql, { session, n, before, after }),
    eraseSession: (session) => eraseSession(sql, session),
  };
}

function putTurn(sql: Sql, { session, turn, title = "", messages }: ArchivedTurn): void {
  sql.transaction(() => {
    const isNew = sql.run("INSERT INTO message_turn VALUES(?, ?) ON CONFLICT DO NOTHING RETURNING turn", session, turn);
    if (isNew.length === 0) return;
    const [last] = sql.run<{ place: number | null }>(
      "SELECT max(place) AS place FROM message WHERE session = ?",
      session,
    );
    let place = last?.place ?? 0;
    let words = 0;
    for (const message of messages) {
      place += 1;
      words += putMessage(sql, { ...message, session, turn, place, title });
    }
    sql.run("UPDATE message_sum SET messages = messages + ?, words = words + ?", messages.length, words);
  });
}

/** Returns how many words it has. */
function putMessage(
  sql: Sql,
  message: ArchivedMessage & { session: SessionId; turn: number; place: number; title: string },
): number {
  const { session, place, turn, n, role, at, speaker = "", title } = message;
  const text = toStoredText(message.text);
  const words = toIndexedWords(text);
  const heading = `${toIndexedWords(`${speaker} ${title}`.slice(0, MAX_HEADING_CHARS))} ${toDateWords(at)}`.trim();
  const [row] = sql.run<{ id: number }>(
    `INSERT INTO message(session, place, turn, n, role, at, text, words, heading) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    ...[session, place, turn, n, role, at, text, words, heading],
  );
  sql.run("INSERT INTO message_words(rowid, words, heading) VALUES(?, ?, ?)", row!.id, words, heading);
  sql.run("INSERT INTO message_pieces(rowid, text) VALUES(?, ?)", row!.id, text);
  return countOf(words);
}

function readAround(
  sql: Sql,
  { session, n, before, after }: { session: SessionId; n: number; before: number; after: number },
): IndexedMessage[] {
  const [hit] = sql.run<{ place: number }>(
    "SELECT coalesce(min(place) FILTER (WHERE n >= ?), max(place)) AS place FROM message WHERE session = ? HAVING count(*) > 0",
    ...[n, session],
  );
  if (!hit) return [];
  return sql.run<IndexedMessage>(
    "SELECT id, session, turn, n, role, at, text FROM message WHERE session = ? AND place BETWEEN ? AND ? ORDER BY place",
    ...[session, hit.place - Math.min(before, MAX_AROUND), hit.place + Math.min(after, MAX_AROUND)],
  );
}

function eraseSession(sql: Sql, session: SessionId): number {
  return sql.transaction(() => {
    const { messages, words } = unindexSession(sql, session);
    sql.run("DELETE FROM message WHERE session = ?", session);
    sql.run("DELETE FROM message_turn WHERE session = ?", session);
    sql.run("UPDATE message_sum SET messages = messages - ?, words = words - ?", messages, words);
    if (messages > 0) {
      // A deleted word stays in the pages of an index until they are merged. FTS5's `secure-delete` would remove it at once, but takes
      // 16 ms for a message, and this a third of a second for 100,000 messages.
      for (const index of ["message_words", "message_pieces"])
        sql.run(`INSERT INTO ${index}(${index}) VALUES('optimize')`);
    }
    return messages;
  });
}

/** Removes the messages of a session from the indexes, which need the indexed text of a row in order to delete it. */
function unindexSession(sql: Sql, session: SessionId): { messages: number; words: number } {
  const sum = { messages: 0, words: 0 };
  for (let after = 0; ;) {
    const rows = sql.run<{ id: number; place: number; words: string; heading: string; text: string }>(
      `SELECT id, place, words, heading, text FROM message WHERE session = ? AND place > ? ORDER BY place LIMIT ${ERASE_PAGE}`,
      ...[session, after],
    );
    if (rows.length === 0) return sum;
    after = rows.at(-1)!.place;
    for (const { id, words, heading, text } of rows) {
      sql.run(
        "INSERT INTO message_words(message_words, rowid, words, heading) VALUES('delete', ?, ?, ?)",
        ...[id, words, heading],
      );
      sql.run("INSERT INTO message_pieces(message_pieces, rowid, text) VALUES('delete', ?, ?)", id, text);
      sum.messages += 1;
      sum.words += countOf(words);
    }
  }
}

function countOf(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}
