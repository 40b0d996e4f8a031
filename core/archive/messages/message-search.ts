// The search over the messages of a profile. The index finds candidates by their own words, message-ranking.ts orders them and the messages
// around them, and no model is asked. Called by message-archive.ts. Never throws for a query.
import type { Sql, SqlValue } from "../../ports.ts";
import type { FoundMessage, IndexedMessage, MessageQuery } from "../../schemas/archived-message.ts";
import { REACH, type RankedMessage, countWords, rankMessages } from "./message-ranking.ts";
import { isSingleSign, toExactPieces, toQueryWords } from "./message-words.ts";

/** Candidates of a search, by their own words. More change no figure of bench:recall. */
const CANDIDATES = 100;
/** Matches that are found before filters apply. Three times as many as candidates, because roles are the usual filter. */
const BEST_MATCHES = 300;
/** Candidates that contain a quoted text or a name, newest first. */
const EXACT_CANDIDATES = 50;
/** Messages read for them. Some have each trigram of the text and not the text. */
const MAX_EXACT_READS = 200;
/** Trigrams of a quoted text that the index is asked for. */
const MAX_TRIGRAMS = 32;
/** Weight of a word in a heading beside one in the text, when candidates are found. */
const HEADING_WEIGHT = 0.5;
/** A single Chinese character, for example, is searched as the most frequent indexed words that begin with it. */
const MAX_PAIRS_OF_SIGN = 40;
const MAX_WORDS = 64;
/** Messages whose words, up to 100 KB, are in memory at once. */
const READ_PAGE = 50;
/** Messages whose texts one search returns at most. */
const MAX_FOUND = 100;

export function searchMessages(sql: Sql, asked: MessageQuery): FoundMessage[] {
  const words = findIndexedWords(sql, toQueryWords(asked.query));
  const exact = toExactPieces(asked.query).map((piece) => findExact(sql, piece, asked));
  const ids = [...new Set([...findCandidates(sql, words, asked), ...exact.flat()])];
  if (ids.length === 0) return [];
  const frequencies = readFrequencies(sql, words);
  const messages = readWindows(sql, ids, frequencies);
  const ranked = rankMessages(messages, { ...readSum(sql), frequencies });
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  const best = ranked[0]?.score ?? 1;
  // A query that quotes a text wants that text: messages that contain it come before all others.
  for (const id of exact.flat()) scores.set(id, (scores.get(id) ?? 0) + best);
  // Candidates have passed the filter; the messages around them, which are ranked too, have not.
  const wanted = passFilter(sql, [...scores.keys()], toFilter(asked))
    .map((id) => ({ id, score: scores.get(id)! }))
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
    .slice(0, Math.max(0, Math.min(asked.limit, MAX_FOUND)));
  return readFound(sql, wanted);
}

/** The words of a query, and for each single sign the indexed words that begin with it. */
function findIndexedWords(sql: Sql, words: string[]): string[] {
  const found = words.flatMap((word) => (isSingleSign(word) ? findPairs(sql, word) : [word]));
  return [...new Set(found)].slice(0, MAX_WORDS);
}

function findPairs(sql: Sql, sign: string): string[] {
  return sql
    .run<{ term: string }>(
      `SELECT term FROM message_terms WHERE term >= ? AND term <= ? ORDER BY doc DESC LIMIT ${MAX_PAIRS_OF_SIGN}`,
      ...[sign, `${sign}\u{10FFFF}`],
    )
    .map(({ term }) => term);
}

function findCandidates(sql: Sql, words: string[], asked: MessageQuery): number[] {
  if (words.length === 0) return [];
  const any = words.map((word) => `"${word}"`).join(" OR ");
  const order = `ORDER BY bm25(message_words, 1.0, ${HEADING_WEIGHT})`;
  const filter = toFilter(asked);
  // Reading the row of each match doubles the time, so the best are read first. If enough of them pass, they are the answer.
  const best = sql
    .run<{ id: number }>(
      `SELECT rowid AS id FROM message_words WHERE message_words MATCH ? ${order} LIMIT ${BEST_MATCHES}`,
      any,
    )
    .map(({ id }) => id);
  const passed = new Set(passFilter(sql, best, filter));
  if (best.length < BEST_MATCHES || passed.size >= CANDIDATES) {
    return best.filter((id) => passed.has(id)).slice(0, CANDIDATES);
  }
  return sql
    .run<{ id: number }>(
      `SELECT message.id FROM message_words JOIN message ON message.id = message_words.rowid
        WHERE message_words MATCH ? ${filter.where} ${order} LIMIT ${CANDIDATES}`,
      ...[any, ...filter.values],
    )
    .map(({ id }) => id);
}

interface Filter {
  where: string;
  values: SqlValue[];
}

/** The conditions of a query in SQL, so that messages which it leaves out take no candidate's place. */
function toFilter({ roles, from, to, only, without }: MessageQuery): Filter {
  const conditions: [string, SqlValue][] = [];
  if (roles) conditions.push(["message.role IN (SELECT value FROM json_each(?))", JSON.stringify(roles)]);
  if (from !== undefined) conditions.push(["message.at >= ?", from]);
  if (to !== undefined) conditions.push(["message.at < ?", to]);
  if (only !== undefined) conditions.push(["message.session = ?", only]);
  if (without?.length) {
    conditions.push(["message.session NOT IN (SELECT value FROM json_each(?))", JSON.stringify(without)]);
  }
  return {
    where: conditions.map(([condition]) => `AND ${condition}`).join(" "),
    values: conditions.map(([, value]) => value),
  };
}

function passFilter(sql: Sql, ids: number[], { where, values }: Filter): number[] {
  if (where === "") return ids;
  return sql
    .run<{ id: number }>(
      `SELECT message.id FROM json_each(?) AS best JOIN message ON message.id = best.value WHERE true ${where}`,
      ...[JSON.stringify(ids), ...values],
    )
    .map(({ id }) => id);
}

/** Messages that contain a text, in any case of its letters. Not by LIKE: its patterns may have 50 bytes in a Durable Object. */
function findExact(sql: Sql, piece: string, asked: MessageQuery): number[] {
  const folded = piece.toLowerCase();
  const { where, values } = toFilter(asked);
  const found: number[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < MAX_EXACT_READS && found.length < EXACT_CANDIDATES; read += READ_PAGE) {
    const rows = sql.run<{ id: number; text: string }>(
      `SELECT message.id, message.text FROM message_pieces JOIN message ON message.id = message_pieces.rowid
        WHERE message_pieces MATCH ? AND message_pieces.rowid < ? ${where} ORDER BY message_pieces.rowid DESC LIMIT ${READ_PAGE}`,
      ...[toTrigrams(piece), before, ...values],
    );
    found.push(...rows.filter(({ text }) => text.toLowerCase().includes(folded)).map(({ id }) => id));
    if (rows.length < READ_PAGE) break;
    before = rows.at(-1)!.id;
  }
  return found.slice(0, EXACT_CANDIDATES);
}

function toTrigrams(piece: string): string {
  const signs = [...piece];
  const step = Math.ceil((signs.length - 2) / MAX_TRIGRAMS);
  const trigrams: string[] = [];
  for (let at = 0; at + 3 <= signs.length; at += step) trigrams.push(signs.slice(at, at + 3).join(""));
  return trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(" AND ");
}

/** The candidates and the messages around them, far enough for the score of a neighbour. Keeps counts, not texts. */
function readWindows(sql: Sql, ids: number[], frequencies: Map<string, number>): RankedMessage[] {
  const near = sql.run<{ id: number }>(
    `SELECT DISTINCT near.id FROM json_each(?) AS found JOIN message AS hit ON hit.id = found.value
      JOIN message AS near ON near.session = hit.session
        AND near.place BETWEEN hit.place - ${2 * REACH} AND hit.place + ${2 * REACH} ORDER BY near.id`,
    JSON.stringify(ids),
  );
  const read: RankedMessage[] = [];
  for (let at = 0; at < near.length; at += READ_PAGE) {
    const rows = sql.run<Pick<RankedMessage, "id" | "session" | "place"> & { words: string; heading: string }>(
      "SELECT id, session, place, words, heading FROM message WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(near.slice(at, at + READ_PAGE).map(({ id }) => id)),
    );
    read.push(...rows.map((row) => ({ ...row, ...countWords(row.words, row.heading, frequencies) })));
  }
  return read;
}

function readFound(sql: Sql, wanted: { id: number; score: number }[]): FoundMessage[] {
  const rows = sql.run<IndexedMessage>(
    "SELECT id, session, turn, n, role, at, text FROM message WHERE id IN (SELECT value FROM json_each(?))",
    JSON.stringify(wanted.map(({ id }) => id)),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.map(({ id, score }) => ({ ...byId.get(id)!, score }));
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
