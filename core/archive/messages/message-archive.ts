// The messages of a profile's finished turns, and the search over them. Run by the Archive object, and by bench:recall, over any Sql. The
// index finds messages by their own words, message-ranking.ts orders them, and no model is asked. A copy: the log of each session is
// the original.
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
import { REACH, type RankedMessage, rankMessages } from "./message-ranking.ts";
import { openMessageTables } from "./message-tables.ts";
import { MAX_INDEXED_CHARS, toDateWords, toIndexedWords, toQueryWords } from "./message-words.ts";

export type { ArchivedMessage, ArchivedTurn, FoundMessage, IndexedMessage, MessageQuery, MessageRole };

export interface MessageArchive {
  /** Idempotent by session and turn. Turns of a session come in their order, so that neighbours are neighbours. */
  put(turn: ArchivedTurn): void;
  /** Best first. Never throws for a query: one without words finds nothing. */
  search(query: MessageQuery): FoundMessage[];
  /** Messages of a session in their order, from `before` before the entry `n` (or the next entry) to `after` after it. */
  around(session: SessionId, n: number, before: number, after: number): IndexedMessage[];
  /** Removes every row and word of a session. Returns how many messages it had. */
  eraseSession(session: SessionId): number;
}

/** Candidates of a search, by their own words. More change no figure of bench:recall. */
const CANDIDATES = 100;
/** Candidates that contain a quoted text or an identifier, newest first. */
const EXACT_CANDIDATES = 50;
/** Weight of a word in a heading beside one in the text, when candidates are found. */
const HEADING_WEIGHT = 0.5;

const COLUMNS = "id, session, place, turn, n, role, at, text, words, heading";
interface MessageRow extends RankedMessage {
  session: SessionId;
  turn: number;
  n: number;
  role: MessageRole;
  at: number;
  text: string;
}

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
  const { session, place, turn, n, role, at, speaker = role, title } = message;
  const text = message.text.slice(0, MAX_INDEXED_CHARS);
  const words = toIndexedWords(text);
  const heading = [toIndexedWords(`${speaker} ${title}`), toDateWords(at)].join(" ").trim();
  const [row] = sql.run<{ id: number }>(
    `INSERT INTO message(session, place, turn, n, role, at, text, words, heading) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    ...[session, place, turn, n, role, at, text, words, heading],
  );
  sql.run("INSERT INTO message_words(rowid, words, heading) VALUES(?, ?, ?)", row!.id, words, heading);
  sql.run("INSERT INTO message_pieces(rowid, text) VALUES(?, ?)", row!.id, text);
  return countOf(words);
}

function searchMessages(sql: Sql, asked: MessageQuery): FoundMessage[] {
  const words = toQueryWords(asked.query);
  const pieces = toPieces(asked.query);
  const exact = new Set(pieces.flatMap((piece) => findExact(sql, piece)));
  const ids = [...new Set([...findCandidates(sql, words, asked), ...exact])];
  if (ids.length === 0) return [];
  const rows = readWindows(sql, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ranked = rankMessages(rows, { ...readSum(sql), frequencies: readFrequencies(sql, words) });
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  const best = ranked[0]?.score ?? 1;
  // Whoever quotes a text wants that text: messages that contain it come before all others.
  for (const id of exact) scores.set(id, (scores.get(id) ?? 0) + best);
  return [...scores]
    .map(([id, score]) => toFound(byId.get(id)!, score))
    .filter((found) => isAsked(found, asked))
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
    .slice(0, asked.limit);
}

function findCandidates(sql: Sql, words: string[], { from, to }: MessageQuery): number[] {
  if (words.length === 0) return [];
  const [first, last] = idRange(sql, from, to);
  return sql
    .run<{ id: number }>(
      `SELECT rowid AS id FROM message_words WHERE message_words MATCH ? AND rowid >= ? AND rowid <= ?
        ORDER BY bm25(message_words, 1.0, ${HEADING_WEIGHT}) LIMIT ${CANDIDATES}`,
      ...[words.map((word) => `"${word}"`).join(" OR "), first, last],
    )
    .map(({ id }) => id);
}

/** The ids between which all messages of a time are. Turns arrive about in their order, so there are few others between them. */
function idRange(sql: Sql, from?: number, to?: number): [number, number] {
  const first = from === undefined ? 0 : minMax(sql, "min", "at >= ?", from);
  const last = to === undefined ? Number.MAX_SAFE_INTEGER : minMax(sql, "max", "at < ?", to);
  return [first ?? Number.MAX_SAFE_INTEGER, last ?? 0];
}

function minMax(sql: Sql, which: "min" | "max", where: string, value: number): number | null {
  return sql.run<{ id: number | null }>(`SELECT ${which}(id) AS id FROM message WHERE ${where}`, value)[0]?.id ?? null;
}

/** Quoted texts, and words with signs inside such as file names and error codes. Shorter ones than three characters find too much. */
function toPieces(query: string): string[] {
  const quoted = [...query.matchAll(/"([^"]{3,200})"/g)].map(([, text]) => text!);
  const names = query.match(/[\p{L}\p{N}]+(?:[-_./:#@][\p{L}\p{N}]+)+/gu) ?? [];
  return [...new Set([...quoted, ...names.filter((name) => name.length >= 3)])].slice(0, 8);
}

function findExact(sql: Sql, piece: string): number[] {
  const folded = piece.toLowerCase();
  return sql
    .run<{ id: number; text: string }>(
      `SELECT rowid AS id, text FROM message_pieces WHERE text LIKE ? ORDER BY rowid DESC LIMIT ${EXACT_CANDIDATES}`,
      `%${piece}%`,
    )
    .filter(({ text }) => text.toLowerCase().includes(folded)) // `_` and `%` match anything in LIKE
    .map(({ id }) => id);
}

/** The candidates and the messages around them, far enough for the score of a neighbour. */
function readWindows(sql: Sql, ids: number[]): MessageRow[] {
  return sql.run<MessageRow>(
    `SELECT DISTINCT near.* FROM json_each(?) AS found JOIN message AS hit ON hit.id = found.value
      JOIN (SELECT ${COLUMNS} FROM message) AS near ON near.session = hit.session
        AND near.place BETWEEN hit.place - ${2 * REACH} AND hit.place + ${2 * REACH}`,
    JSON.stringify(ids),
  );
}

function readSum(sql: Sql): { messages: number; meanWords: number } {
  const [sum] = sql.run<{ messages: number; words: number }>("SELECT messages, words FROM message_sum");
  return { messages: sum!.messages, meanWords: Math.max(1, sum!.words / Math.max(1, sum!.messages)) };
}

function readFrequencies(sql: Sql, words: string[]): Map<string, number> {
  const found = sql.run<{ term: string; doc: number }>(
    "SELECT term, doc FROM json_each(?) AS word JOIN message_terms ON message_terms.term = word.value",
    JSON.stringify(words),
  );
  return new Map(found.map(({ term, doc }) => [term, doc]));
}

function isAsked({ role, at, session }: FoundMessage, { roles, from, to, without }: MessageQuery): boolean {
  if (roles && !roles.includes(role)) return false;
  if ((from !== undefined && at < from) || (to !== undefined && at >= to)) return false;
  return !without?.includes(session);
}

function readAround(
  sql: Sql,
  { session, n, before, after }: { session: SessionId; n: number; before: number; after: number },
): IndexedMessage[] {
  const [hit] = sql.run<{ place: number }>(
    "SELECT place FROM message WHERE session = ? AND n >= ? ORDER BY n LIMIT 1",
    ...[session, n],
  );
  if (!hit) return [];
  return sql
    .run<MessageRow>(
      `SELECT ${COLUMNS} FROM message WHERE session = ? AND place BETWEEN ? AND ? ORDER BY place`,
      ...[session, hit.place - before, hit.place + after],
    )
    .map((row) => withoutScore(row));
}

function eraseSession(sql: Sql, session: SessionId): number {
  return sql.transaction(() => {
    const rows = sql.run<MessageRow>(`SELECT ${COLUMNS} FROM message WHERE session = ?`, session);
    for (const { id, words, heading, text } of rows) {
      // A table of external content needs the indexed text of a row in order to delete it.
      sql.run(
        "INSERT INTO message_words(message_words, rowid, words, heading) VALUES('delete', ?, ?, ?)",
        id,
        words,
        heading,
      );
      sql.run("INSERT INTO message_pieces(message_pieces, rowid, text) VALUES('delete', ?, ?)", id, text);
    }
    sql.run("DELETE FROM message WHERE session = ?", session);
    sql.run("DELETE FROM message_turn WHERE session = ?", session);
    const words = rows.reduce((sum, row) => sum + countOf(row.words), 0);
    sql.run("UPDATE message_sum SET messages = messages - ?, words = words - ?", rows.length, words);
    if (rows.length > 0) {
      // A deleted word stays in the pages of an index until they are merged.
      for (const index of ["message_words", "message_pieces"])
        sql.run(`INSERT INTO ${index}(${index}) VALUES('optimize')`);
    }
    return rows.length;
  });
}

function toFound(row: MessageRow, score: number): FoundMessage {
  return { ...withoutScore(row), score };
}

function withoutScore({ id, session, turn, n, role, at, text }: MessageRow): IndexedMessage {
  return { id, session, turn, n, role, at, text };
}

function countOf(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}
