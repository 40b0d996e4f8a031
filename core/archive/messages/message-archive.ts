// The messages of a profile's finished turns: puts, reads and erases them. Run by the Archive object, and by bench:recall, over any Sql.
// message-search.ts searches them. A copy: the log of each session is the original.
import { type Result, err, ok } from "../../errors.ts";
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
import { eraseMessagesOfSession, eraseMessagesWhere } from "./message-erasure.ts";
import { searchMessages } from "./message-search.ts";
import { openMessageTables } from "./message-tables.ts";
import { countIndexedWords, toDateWords, toIndexedWords, toStoredText } from "./message-words.ts";

export type { ArchivedMessage, ArchivedTurn, FoundMessage, IndexedMessage, MessageQuery, MessageRole };

export interface MessageArchive {
  /**
   * Idempotent by session and turn. Turns of a session come in their order, so that neighbours are neighbours. Failure:
   * `archive_full`, and then nothing was stored.
   */
  put(turn: ArchivedTurn): Result<null>;
  /** Best first. Never throws for a query: one without words finds nothing. */
  search(query: MessageQuery): FoundMessage[];
  /** Messages of a session in their order, from `before` before the entry `n` (or the next entry, or the last one) to `after` after it. */
  around(session: SessionId, n: number, before: number, after: number): IndexedMessage[];
  /** Removes every row and word of a session. Returns how many messages it had. */
  eraseSession(session: SessionId): number;
  /**
   * Removes the messages with a text that is meant, in a part of the archive that one call can read: from the row after `after` on.
   * `next`: what to pass as `after` to continue; `null` at the end. Their turns are not indexed again.
   */
  eraseWhere(isMeant: (text: string) => boolean, after?: number): { erased: number; next: number | null };
}

/**
 * Above this size of its database an Archive takes no more messages. [cf] An object stores at most 10 GB; the rest is for skills and for
 * records of turns. [own] 10,000 messages of 370 characters take 12 MB with their indexes, so this is seven million of them.
 */
export const MAX_ARCHIVE_BYTES = 9_000_000_000;

/** Messages that `around` reads on each side at most. */
const MAX_AROUND = 100;
/** Characters of speaker and title that are indexed, for each message of the turn again. */
const MAX_HEADING_CHARS = 300;

/** `readBytes`: the present size of the database. Absent: it is never full. */
export function createMessageArchive(sql: Sql, readBytes: () => number = () => 0): MessageArchive {
  openMessageTables(sql);
  return {
    put: (turn) => putTurn(sql, turn, readBytes),
    search: (query) => searchMessages(sql, query),
    around: (session, n, before, after) => readAround(sql, { session, n, before, after }),
    eraseSession: (session) => eraseMessagesOfSession(sql, session),
    eraseWhere: (isMeant, after = 0) => eraseMessagesWhere(sql, isMeant, after),
  };
}

function putTurn(
  sql: Sql,
  { session, turn, title = "", messages }: ArchivedTurn,
  readBytes: () => number,
): Result<null> {
  return sql.transaction(() => {
    const known = sql.run("SELECT 1 AS one FROM message_turn WHERE session = ? AND turn = ?", session, turn);
    if (known.length > 0) return ok(null);
    const bytes = readBytes();
    if (bytes > MAX_ARCHIVE_BYTES) return archiveFull(bytes);
    sql.run("INSERT INTO message_turn VALUES(?, ?)", session, turn);
    const [last] = sql.run<{ place: number | null }>(
      "SELECT max(place) AS place FROM message WHERE session = ?",
      session,
    );
    const [sum] = sql.run<{ last: number }>("SELECT last FROM message_sum");
    let place = last?.place ?? 0;
    let id = sum!.last;
    let words = 0;
    for (const message of messages) {
      place += 1;
      id += 1;
      words += putMessage(sql, { ...message, id, session, turn, place, title });
    }
    sql.run("UPDATE message_sum SET messages = messages + ?, words = words + ?, last = ?", messages.length, words, id);
    return ok(null);
  });
}

function archiveFull(bytes: number) {
  const size = `${(bytes / 1e9).toFixed(1)} GB`;
  const message = `This profile's archive is full (${size}), so new messages are not found by searches. Delete sessions to make room.`;
  return err("archive_full", message, { bytes });
}

/** Returns how many words it has. */
function putMessage(
  sql: Sql,
  message: ArchivedMessage & { id: number; session: SessionId; turn: number; place: number; title: string },
): number {
  const { id, session, place, turn, n, role, at, speaker = "", title } = message;
  const text = toStoredText(message.text);
  const words = toIndexedWords(text);
  const heading = `${toIndexedWords(`${speaker} ${title}`.slice(0, MAX_HEADING_CHARS))} ${toDateWords(at)}`.trim();
  sql.run(
    "INSERT INTO message(id, session, place, turn, n, role, at, text, words, heading) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ...[id, session, place, turn, n, role, at, text, words, heading],
  );
  sql.run("INSERT INTO message_words(rowid, words, heading) VALUES(?, ?, ?)", id, words, heading);
  sql.run("INSERT INTO message_pieces(rowid, text) VALUES(?, ?)", id, text);
  return countIndexedWords(words);
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
