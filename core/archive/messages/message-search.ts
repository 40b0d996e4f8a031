// The search over the messages of a profile. The index finds candidates by their own words, message-ranking.ts orders them and the messages
// around them, and no model is asked. Called by message-archive.ts. Never throws for a query.
import type { Sql, SqlValue } from "../../ports.ts";
import type { FoundMessage, IndexedMessage, MessageQuery } from "../../schemas/archived-message.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { type Corpus, REACH, type RankedMessage, countWords, rankMessages } from "./message-ranking.ts";
import { toExactPieces } from "./message-words.ts";
import { type ChosenWords, chooseWords, readStatistics } from "./query-words.ts";

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
/** Messages whose words, up to 100 KB, are in memory at once. */
const READ_PAGE = 50;
/** Messages whose texts one search returns at most. */
const MAX_FOUND = 100;
/** Messages on each side of a candidate that are ranked, or count for one that is. */
export const FAR = 2 * REACH;

/** Messages near candidates, counted and not yet ranked. */
export interface Windows {
  rows: RankedMessage[];
  /** Ids of those that the query's filters let pass. */
  wanted: number[];
  /** Ids found by the words of the query, and by its quoted texts and names: once for each that the message contains. */
  candidates: number[];
  exact: number[];
}

export function searchMessages(sql: Sql, asked: MessageQuery): FoundMessage[] {
  const chosen = chooseWords(asked.query, [readStatistics(sql, asked.query)]);
  return readFound(sql, rankWindows(findWindows(sql, asked, chosen), chosen, asked.limit));
}

export function findWindows(sql: Sql, asked: MessageQuery, { words, frequencies }: ChosenWords): Windows {
  const exact = toExactPieces(asked.query).flatMap((piece) => findExact(sql, piece, asked));
  const candidates = findCandidates(sql, words, asked);
  const ids = [...new Set([...candidates, ...exact])];
  const rows = ids.length === 0 ? [] : readRows(sql, listNear(sql, ids), frequencies);
  // Candidates have passed the filter; the messages around them, which are ranked too, have not.
  const wanted = passFilter(
    sql,
    rows.map(({ id }) => id),
    toFilter(asked),
  );
  return { rows, wanted, candidates, exact };
}

/** Best first, at most `limit`. */
export function rankWindows(
  { rows, wanted, exact }: Pick<Windows, "rows" | "wanted" | "exact">,
  corpus: Corpus,
  limit: number,
): { id: number; score: number }[] {
  const ranked = rankMessages(rows, corpus);
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  const best = ranked[0]?.score ?? 1;
  // A query that quotes a text wants that text: messages that contain it come before all others.
  for (const id of exact) scores.set(id, (scores.get(id) ?? 0) + best);
  return wanted
    .flatMap((id) => (scores.has(id) ? [{ id, score: scores.get(id)! }] : []))
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
    .slice(0, Math.max(0, Math.min(limit, MAX_FOUND)));
}

/** One end of a session in a part: the messages there are near candidates that another part has. */
export interface Edge {
  session: SessionId;
  side: "first" | "last";
  /** Messages wanted. */
  count: number;
}

export function findEdges(
  sql: Sql,
  asked: MessageQuery,
  { frequencies }: ChosenWords,
  edges: Edge[],
): Pick<Windows, "rows" | "wanted"> {
  const ids = edges.flatMap(({ session, side, count }) =>
    sql.run<{ id: number }>(
      `SELECT id FROM message WHERE session = ? ORDER BY place ${side === "first" ? "" : "DESC"} LIMIT ?`,
      ...[session, count],
    ),
  );
  const unique = [...new Set(ids.map(({ id }) => id))];
  return { rows: readRows(sql, unique, frequencies), wanted: passFilter(sql, unique, toFilter(asked)) };
}

/** The last place of each session; 0 for one that has no message here. */
export function readLastPlaces(sql: Sql, sessions: SessionId[]): Map<SessionId, number> {
  const rows = sql.run<{ session: SessionId; last: number | null }>(
    `SELECT value AS session, (SELECT max(place) FROM message WHERE message.session = value) AS last FROM json_each(?)`,
    JSON.stringify(sessions),
  );
  return new Map(rows.map(({ session, last }) => [session, last ?? 0]));
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

/** The candidates and the messages around them, far enough for the score of a neighbour. */
function listNear(sql: Sql, ids: number[]): number[] {
  return sql
    .run<{ id: number }>(
      `SELECT DISTINCT near.id FROM json_each(?) AS found JOIN message AS hit ON hit.id = found.value
        JOIN message AS near ON near.session = hit.session
          AND near.place BETWEEN hit.place - ${FAR} AND hit.place + ${FAR} ORDER BY near.id`,
      JSON.stringify(ids),
    )
    .map(({ id }) => id);
}

/** Keeps counts, not texts. */
function readRows(sql: Sql, ids: number[], frequencies: Map<string, number>): RankedMessage[] {
  const read: RankedMessage[] = [];
  for (let at = 0; at < ids.length; at += READ_PAGE) {
    const rows = sql.run<Pick<RankedMessage, "id" | "session" | "place"> & { words: string; heading: string }>(
      "SELECT id, session, place, words, heading FROM message WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids.slice(at, at + READ_PAGE)),
    );
    for (const { id, session, place, words, heading } of rows) {
      read.push({ id, session, place, ...countWords(words, heading, frequencies) });
    }
  }
  return read;
}

export function readFound(sql: Sql, wanted: { id: number; score: number }[]): FoundMessage[] {
  const rows = sql.run<IndexedMessage>(
    "SELECT id, session, turn, n, role, at, text FROM message WHERE id IN (SELECT value FROM json_each(?))",
    JSON.stringify(wanted.map(({ id }) => id)),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.map(({ id, score }) => ({ ...byId.get(id)!, score }));
}
