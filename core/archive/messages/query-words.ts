// The words that a query is searched by, and how frequent they are: in one part of an archive, and in several together. Called by
// message-search.ts and split-search.ts.
import type { Sql } from "../../ports.ts";
import type { Corpus } from "./message-ranking.ts";
import { isSingleSign, toQueryWords } from "./message-words.ts";

/** A single Chinese character, for example, is searched as the most frequent indexed words that begin with it. */
const MAX_PAIRS_OF_SIGN = 40;
/** Of which a part reports so many, because the parts together choose. */
const MAX_PAIRS_READ = 400;
const MAX_WORDS = 64;

/** What a part of the archive knows of a query's words. */
export interface Statistics {
  messages: number;
  words: number;
  /** In how many messages each word of the query is. For a single sign: the words that begin with it. */
  frequencies: Map<string, number>;
}

export function readStatistics(sql: Sql, query: string): Statistics {
  const [sum] = sql.run<{ messages: number; words: number }>("SELECT messages, words FROM message_sum");
  const words = toQueryWords(query);
  const plain = words.filter((word) => !isSingleSign(word));
  const frequencies = new Map([...readFrequencies(sql, plain), ...words.filter(isSingleSign).flatMap(readPairs(sql))]);
  return { ...sum!, frequencies };
}

export interface ChosenWords extends Corpus {
  /** The words to search for. */
  words: string[];
}

/** The words of a query, for each single sign the most frequent indexed words that begin with it, and the sums over all parts. */
export function chooseWords(query: string, parts: Statistics[]): ChosenWords {
  const all = new Map<string, number>();
  for (const { frequencies } of parts) {
    for (const [word, count] of frequencies) all.set(word, (all.get(word) ?? 0) + count);
  }
  const found = toQueryWords(query).flatMap((word) => (isSingleSign(word) ? choosePairs(word, all) : [word]));
  const words = [...new Set(found)].slice(0, MAX_WORDS);
  const messages = parts.reduce((sum, part) => sum + part.messages, 0);
  const indexed = parts.reduce((sum, part) => sum + part.words, 0);
  const meanWords = Math.max(1, indexed / Math.max(1, messages));
  // In the order of the query, so that a score does not depend on which part has a word.
  const frequencies = new Map(words.flatMap((word) => (all.has(word) ? [[word, all.get(word)!]] : [])));
  return { words, messages, meanWords, frequencies };
}

function choosePairs(sign: string, frequencies: Map<string, number>): string[] {
  const pairs = [...frequencies].filter(([word]) => word.startsWith(sign));
  const sorted = pairs.toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  return sorted.slice(0, MAX_PAIRS_OF_SIGN).map(([word]) => word);
}

function readPairs(sql: Sql): (sign: string) => [string, number][] {
  return (sign) =>
    sql
      .run<{ term: string; doc: number }>(
        `SELECT term, doc FROM message_terms WHERE term >= ? AND term <= ? ORDER BY doc DESC, term LIMIT ${MAX_PAIRS_READ}`,
        ...[sign, `${sign}\u{10FFFF}`],
      )
      .map(({ term, doc }) => [term, doc]);
}

function readFrequencies(sql: Sql, words: string[]): Map<string, number> {
  const found = sql.run<{ term: string; doc: number }>(
    "SELECT term, doc FROM json_each(?) AS word JOIN message_terms ON message_terms.term = word.value",
    JSON.stringify(words),
  );
  return new Map(found.map(({ term, doc }) => [term, doc]));
}
