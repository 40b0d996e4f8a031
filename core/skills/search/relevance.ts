// How well a skill fits a text, by words alone: the likelihood that somebody who writes of this skill writes the words of the
// query. One scorer for the index's lines (ranking.ts) and for whole skills (core/archive/). Pure.
import { termsOf } from "./words.ts";

/** The parts of a skill, from what says most with fewest words to what says least. */
export const FIELDS = ["name", "description", "headings", "body", "requests"] as const;
export type Field = (typeof FIELDS)[number];

/**
 * Of what a writer says about a skill, how much comes from each part. A part counts by its share of words, so a long body
 * that mentions everything gains nothing by its length: with plain BM25 such bodies came before the right, short one.
 * Even shares do nearly as well; without headings, or without all parts but the body, it is measurably worse. Requests say as
 * much as a description, and come on top: a skill without them is scored as if nobody had any.
 */
const SHARES: Record<Field, number> = { name: 0.2, description: 0.3, headings: 0.1, body: 0.4, requests: 0.3 };

/** A part with fewer words counts as one with this many: a name of one word is not six times a name of six. */
const LEAST_WORDS: Record<Field, number> = { name: 3, description: 10, headings: 10, body: 100, requests: 30 };

/** Terms of a query that are looked at: a pasted document is no better a question than its first pages. */
const MAX_QUERY_TERMS = 400;

/** The terms of a query, each with how often it is said. */
export type Query = Map<string, number>;

export function toQuery(text: string): Query {
  const query: Query = new Map();
  for (const term of termsOf(text, MAX_QUERY_TERMS)) query.set(term, (query.get(term) ?? 0) + 1);
  return query;
}

/** What one occurrence of a term in a part of so many words adds to the term's weight in the skill. */
export function shareOfOne(field: Field, words: number): number {
  return SHARES[field] / Math.max(words, LEAST_WORDS[field]);
}

/**
 * What a term adds to a skill's score. `weight`: the sum of its shares; `count` and `total`: how often the term, and any
 * term, stands in the whole library. Jelinek-Mercer smoothing by one half, which is what suits long queries: the more
 * often a library says a word anyway, the less it tells.
 */
export function scoreOfTerm(said: number, weight: number, { count, total }: { count: number; total: number }): number {
  return said * Math.log1p((weight * total) / Math.max(count, 1));
}
