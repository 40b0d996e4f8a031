// The messages of a profile's finished turns, in one part of the archive: puts, reads and erases them. Run by the Archive object, and by
// bench:recall, over any Sql. message-search.ts searches them, and split-archive.ts searches several parts. A copy: the log of each session
// is the original.
import { type Result, err, ok } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import type {
  ArchivedMessage,
  ArchivedTurn,
  FoundMessage,
  IndexedMessage,
  MessageQuery,
  MessageRole,
  TextPurge,
} from "../../schemas/archived-message.ts";
import type { SessionId } from "../../schemas/ids.ts";
import {
  ERASED_SESSION,
  eraseMessagesOfSession,
  eraseMessagesWhere,
  eraseTitlesWhere,
  isErasedSession,
} from "./message-erasure.ts";
import { putTitle, readTitle, toHeading } from "./message-headings.ts";
import { isMergeDue, mergeSome } from "./message-merge.ts";
import {
  type Edge,
  type Windows,
  findEdges,
  findWindows,
  readFound,
  readLastPlaces,
  searchMessages,
} from "./message-search.ts";
import { openMessageTables } from "./message-tables.ts";
import { countIndexedWords, toIndexedWords, toStoredText } from "./message-words.ts";
import { createPurgedMatcher, putPurge, putPurgedTitles, readPurgedSince, readPurges } from "./purged-texts.ts";
import { type ChosenWords, type Statistics, readStatistics } from "./query-words.ts";
import { createdAtOf } from "./years.ts";

export type { ArchivedMessage, ArchivedTurn, FoundMessage, IndexedMessage, MessageQuery, MessageRole };

export interface MessageArchive {
  /**
   * Idempotent by session and turn. Turns of a session come in their order, so that neighbours are neighbours. Stores nothing of an
   * erased session, and no message with a purged text. Failure: `archive_full`, and then nothing was stored.
   */
  put(turn: ArchivedTurn): Result<null>;
  /** Best first. Never throws for a query: one without words finds nothing. */
  search(query: MessageQuery): FoundMessage[];
  /** Messages of a session in their order, from `before` before the entry `n` (or the next entry, or the last one) to `after` after it. */
  around(session: SessionId, n: number, before: number, after: number): IndexedMessage[];
  /** Gives all messages of a session another title; none to a title that holds a purged text. Idempotent. */
  rename(session: SessionId, title: string): void;
  /** Removes every message of a session, and takes none of it any more. Returns how many messages it had. */
  eraseSession(session: SessionId): number;
  isErased(session: SessionId): boolean;
  /**
   * Removes the messages with a text that is meant, in a part of the rows that one call can read: from the row after `after` on.
   * `next`: what to pass as `after` to continue; `null` at the end. Their turns are not indexed again.
   */
  eraseWhere(
    isMeant: (text: string) => boolean,
    after?: number,
    isTitleMeant?: (title: string) => boolean,
  ): { erased: number; next: number | null };

  // ---- what a search over several parts asks of each; see split-search.ts ----
  statistics(query: string): Statistics;
  windows(query: MessageQuery, words: ChosenWords): Windows & { lastPlaces: Map<SessionId, number> };
  edges(
    query: MessageQuery,
    words: ChosenWords,
    edges: Edge[],
  ): Pick<Windows, "rows" | "wanted"> & { lastPlaces: Map<SessionId, number> };
  read(found: { id: number; score: number }[]): FoundMessage[];
  /** Messages of a session in their order: the last `before` ahead of the entry `n`, and the first `after` from it on. */
  near(session: SessionId, n: number, before: number, after: number): IndexedMessage[];

  // ---- purges ----
  /** From now on, no message of a session from before the purge is stored that holds the text. Idempotent. */
  putPurge(purge: TextPurge): void;
  /** All, or those of one subject. */
  purges(subject?: string): TextPurge[];
  /** Merges about `pages` pages of 4 KB. False: no word of an erased message is in the indexes any more. */
  merge(pages: number): boolean;
  isMergeDue(): boolean;
}

export interface MessageArchiveOptions {
  /** The present size of the database. Absent: it is never full. */
  readBytes?: () => number;
  /** Ids are above it; see years.ts. */
  firstId?: number;
  /** For the hashes of purged texts; the same in all parts. */
  salt?: string;
}

/**
 * Above this size of its database a part takes no more messages. [cf] An object stores at most 10 GB; the rest is for skills and for
 * records of turns. [own] 10,000 messages of 370 characters take 12 MB with their indexes, so this is seven million of them.
 */
export const MAX_ARCHIVE_BYTES = 9_000_000_000;

/** Messages that `around` reads on each side at most. */
export const MAX_AROUND = 100;
/** How long after a purge a new session may still be given the text: KV shows a purge late, and prompts are frozen. */
const LATE_MS = 10 * 60_000;

export function createMessageArchive(sql: Sql, options: MessageArchiveOptions = {}): MessageArchive {
  const { readBytes = () => 0, firstId = 0, salt = "" } = options;
  openMessageTables(sql, firstId);
  const toMatcher = (session: SessionId) =>
    createPurgedMatcher(readPurgedSince(sql, createdAtOf(session) - LATE_MS), salt);
  return {
    put: (turn) => putTurn(sql, turn, { readBytes, isPurged: toMatcher(turn.origin ?? turn.session) }),
    search: (query) => searchMessages(sql, query),
    around: (session, n, before, after) => cutAround(readNear(sql, session, n, before, after), n, before, after),
    rename: (session, title) => renameSession(sql, session, toMatcher(session)(title) ? "" : title),
    eraseSession: (session) => eraseMessagesOfSession(sql, session),
    isErased: (session) => isErasedSession(sql, session),
    eraseWhere(isMeant, after = 0, isTitleMeant = isMeant) {
      if (after <= firstId) eraseTitlesWhere(sql, isTitleMeant, (titles) => putPurgedTitles(sql, titles, salt));
      return eraseMessagesWhere(sql, isMeant, after);
    },
    statistics: (query) => readStatistics(sql, query),
    windows(query, words) {
      const windows = findWindows(sql, query, words);
      return { ...windows, lastPlaces: readLastPlaces(sql, [...new Set(windows.rows.map(({ session }) => session))]) };
    },
    edges(query, words, edges) {
      const lastPlaces = readLastPlaces(sql, [...new Set(edges.map(({ session }) => session))]);
      return { ...findEdges(sql, query, words, edges), lastPlaces };
    },
    read: (found) => readFound(sql, found),
    near: (session, n, before, after) => readNear(sql, session, n, before, after),
    putPurge: (purge) => putPurge(sql, purge),
    purges: (subject) => readPurges(sql, subject),
    merge: (pages) => mergeSome(sql, pages),
    isMergeDue: () => isMergeDue(sql),
  };
}

function putTurn(
  sql: Sql,
  { session, turn, title = "", messages }: ArchivedTurn,
  { readBytes, isPurged }: { readBytes: () => number; isPurged: (text: string) => boolean },
): Result<null> {
  return sql.transaction(() => {
    const known = sql.run(
      "SELECT 1 AS one FROM message_turn WHERE session = ? AND turn IN (?, ?)",
      ...[session, turn, ERASED_SESSION],
    );
    if (known.length > 0) return ok(null);
    const bytes = readBytes();
    if (bytes > MAX_ARCHIVE_BYTES) return archiveFull(bytes);
    sql.run("INSERT INTO message_turn VALUES(?, ?)", session, turn);
    if (title !== "") putTitle(sql, session, isPurged(title) ? "" : title, title);
    const shown = readTitle(sql, session) ?? "";
    const [last] = sql.run<{ place: number | null }>(
      "SELECT max(place) AS place FROM message WHERE session = ?",
      session,
    );
    const [sum] = sql.run<{ last: number }>("SELECT last FROM message_sum");
    let place = last?.place ?? 0;
    let id = sum!.last;
    let count = 0;
    let words = 0;
    for (const message of messages) {
      place += 1;
      id += 1;
      if (isPurged(message.text)) continue;
      words += putMessage(sql, { ...message, id, session, turn, place, title: shown });
      count += 1;
    }
    sql.run("UPDATE message_sum SET messages = messages + ?, words = words + ?, last = ?", count, words, id);
    return ok(null);
  });
}

/** A session that has no message here gets its title with its first one. */
function renameSession(sql: Sql, session: SessionId, title: string): void {
  sql.transaction(() => {
    const hasMessages = sql.run("SELECT 1 FROM message WHERE session = ? LIMIT 1", session).length > 0;
    if (hasMessages) putTitle(sql, session, title, readTitle(sql, session) ?? "");
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
  const heading = toHeading(speaker, title, at);
  sql.run(
    "INSERT INTO message(id, session, place, turn, n, role, at, text, words, heading) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ...[id, session, place, turn, n, role, at, text, words, heading],
  );
  sql.run("INSERT INTO message_words(rowid, words, heading) VALUES(?, ?, ?)", id, words, heading);
  sql.run("INSERT INTO message_pieces(rowid, text) VALUES(?, ?)", id, text);
  return countIndexedWords(words);
}

/** One more on each side than `around` needs, because the entry may be missing. */
function readNear(sql: Sql, session: SessionId, n: number, before: number, after: number): IndexedMessage[] {
  const read = (condition: string, order: string, most: number) =>
    sql.run<IndexedMessage>(
      `SELECT id, session, turn, n, role, at, text FROM message WHERE session = ? AND n ${condition} ? ORDER BY place ${order} LIMIT ?`,
      ...[session, n, Math.min(Math.max(0, most), MAX_AROUND) + 1],
    );
  return [...read("<", "DESC", before).toReversed(), ...read(">=", "ASC", after)];
}

/** `near`: messages of one session in their order, at least those that are asked for. */
export function cutAround(near: IndexedMessage[], n: number, before: number, after: number): IndexedMessage[] {
  if (near.length === 0) return [];
  const found = near.findIndex((message) => message.n >= n);
  const hit = found < 0 ? near.length - 1 : found;
  const [most, least] = [Math.min(after, MAX_AROUND), Math.min(before, MAX_AROUND)];
  return near.slice(Math.max(0, hit - least), hit + most + 1);
}
