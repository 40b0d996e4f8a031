// Finds the turns that may be similar to one: for each word of its request the newest turns that have it, ranked by the rarity of the
// shared words. Used by turn-archive.ts, over any Sql. Reads a bounded part of each word's list, so a query costs the same at a
// hundred thousand turns as at a thousand.
import { leastShared } from "../learning/kinds.ts";
import { contentWords, taskOfWords } from "../learning/requests.ts";
import type { Sql } from "../ports.ts";

/** Turns that are compared word by word. */
export const MAX_CANDIDATES = 128;
/** Words of a request that are searched for. A long request names its subject at its beginning. */
const MAX_MATCH_WORDS = 48;
/** The newest turns of one word's list that are read. */
const MAX_POSTINGS = 64;

export interface Candidate {
  id: number;
  words: Set<string>;
}

/**
 * The indexed words of a request, followed by its task as one more word. The task finds requests with exactly the same words, even if
 * each word is common.
 */
export function toIndexed(words: Set<string>): string {
  return words.size === 0 ? "" : [...words, taskOfWords(words)].join(" ");
}

/** Searches ids from `from` to before `below`. Among equal matches the newest come first. */
export function findCandidates(sql: Sql, words: Set<string>, from = 0, below = Number.MAX_SAFE_INTEGER): Candidate[] {
  const terms = [...words].slice(0, MAX_MATCH_WORDS);
  if (terms.length === 0) return [];
  const asked = [taskOfWords(words), ...terms].map((word) => `"${word}"`);
  const lists = sql.run<{ ids: string }>(
    `SELECT (SELECT json_group_array(id) FROM (SELECT rowid AS id FROM turn_words WHERE turn_words MATCH word.value
      AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ${MAX_POSTINGS})) AS ids FROM json_each(?) AS word`,
    ...[from, below, JSON.stringify(asked)],
  );
  const weights = new Map<number, number>();
  const postings = lists.map(({ ids }) => JSON.parse(ids) as number[]);
  const newest = Math.max(...postings.map((posted) => posted[0] ?? 0));
  for (const posted of postings) {
    const weight = rarityOf(posted, newest);
    for (const id of posted) weights.set(id, (weights.get(id) ?? 0) + weight);
  }
  const best = [...weights].toSorted(([a, x], [b, y]) => y - x || b - a).slice(0, MAX_CANDIDATES);
  return sql
    .run<{ id: number; words: string | null; body: string | null }>(
      `SELECT turn_sign.id, words, CASE WHEN words IS NULL THEN body END AS body FROM json_each(?) AS found
        JOIN turn_sign ON turn_sign.id = found.value`,
      JSON.stringify(best.map(([id]) => id)),
    )
    .map(toCandidate);
}

/** Ids of turns whose kind of work may be similar, from `from` to before `below`, newest first. Free if no model names kinds. */
export function findByKind(sql: Sql, kind: Set<string>, from = 0, below = Number.MAX_SAFE_INTEGER): number[] {
  if (kind.size === 0) return [];
  const lists = sql.run<{ ids: string }>(
    `SELECT (SELECT json_group_array(id) FROM (SELECT id FROM turn_kind WHERE turn_kind.word = asked.value
      AND id >= ? AND id < ? ORDER BY id DESC LIMIT ${MAX_POSTINGS})) AS ids FROM json_each(?) AS asked`,
    ...[from, below, JSON.stringify([...kind])],
  );
  const counts = Map.groupBy(
    lists.flatMap(({ ids }) => JSON.parse(ids) as number[]),
    (id) => id,
  );
  const least = leastShared(kind);
  return [...counts].flatMap(([id, of]) => (of.length >= least ? id : [])).toSorted((a, b) => b - a);
}

/** Estimates a word's rarity. A list that was cut shows by how far back it reaches how frequent its word is. */
function rarityOf(posted: number[], newest: number): number {
  const oldest = posted.length < MAX_POSTINGS ? 0 : posted.at(-1)!;
  return Math.log(1 + (newest - oldest) / posted.length);
}

/** A row of version 1 has no words, so they are taken from its request. */
function toCandidate({ id, words, body }: { id: number; words: string | null; body: string | null }): Candidate {
  if (words === null) return { id, words: contentWords((JSON.parse(body!) as { request: string }).request) };
  return { id, words: new Set(words === "" ? [] : words.split(" ").slice(0, -1)) };
}
