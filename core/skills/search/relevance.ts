// Scores how well a skill fits a text by words alone: the likelihood that someone who writes about this skill uses the
// query's words. One scorer for index lines (ranking.ts) and whole skills (core/archive/). Pure.
import { termsOf } from "./words.ts";

/** The parts of a skill, from the most to the least distinctive per word. */
export const FIELDS = ["name", "description", "headings", "body", "requests"] as const;
export type Field = (typeof FIELDS)[number];

/**
 * The weight of each part. A part counts by its share of words, so a long body gains nothing by its length: plain BM25
 * ranked long bodies before the right, short one. Equal weights do nearly as well. Without headings, or with the body
 * alone, results are measurably worse. Requests weigh as much as a description and are added on top, so that a skill
 * without them is scored as if none had any.
 */
const SHARES: Record<Field, number> = { name: 0.2, description: 0.3, headings: 0.1, body: 0.4, requests: 0.3 };

/** Minimum length of a part in words: a name of one word is not six times as distinctive as a name of six. */
const MIN_WORDS: Record<Field, number> = { name: 3, description: 10, headings: 10, body: 100, requests: 30 };

/** Maximum number of terms in a query. The first pages of a pasted document ask as well as all of it. */
const MAX_QUERY_TERMS = 400;

/** The terms of a query with their counts. */
export type Query = Map<string, number>;

export function toQuery(text: string): Query {
  const query: Query = new Map();
  for (const term of termsOf(text, MAX_QUERY_TERMS)) query.set(term, (query.get(term) ?? 0) + 1);
  return query;
}

/** The weight that one occurrence of a term adds, in a part of this many words. */
export function weightPerOccurrence(field: Field, words: number): number {
  return SHARES[field] / Math.max(words, MIN_WORDS[field]);
}

/**
 * What a term adds to a skill's score. `inQuery`: how often the query has the term. `weight`: its weight in the skill,
 * summed over all occurrences. `count` and `total`: occurrences of the term, and of all terms, in the library.
 * Jelinek-Mercer smoothing with one half, which suits long queries: the more common a term, the less it counts.
 */
export function scoreTerm(inQuery: number, weight: number, { count, total }: { count: number; total: number }): number {
  return inQuery * Math.log1p((weight * total) / Math.max(count, 1));
}
