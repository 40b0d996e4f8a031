// Orders hits by how well they fit a query. Pure.
import type { HubHit } from "../source.ts";

/** Those that have a word of the query, best first. A query without words keeps all, in their order. */
export function rankHits(hits: readonly HubHit[], query: string): HubHit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [...hits];
  return hits
    .map((hit) => ({ hit, score: scoreHit(hit, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ hit }) => hit);
}

/** Weights of one word: in the name whole, at the start of a word of the name, elsewhere in it; in the description whole, and in part. */
const WHOLE_NAME = 8;
const NAME_START = 5;
const IN_NAME = 3;
const IN_DESCRIPTION = 2;
const PART_OF_DESCRIPTION = 1;

/** A name that is the query itself comes first. Every word of the query counts by where it is best found. */
export function scoreHit({ name, description, ref }: HubHit, words: readonly string[]): number {
  const nameWords = wordsOf(`${name} ${ref.identifier.split(/[/#]/).at(-1)}`);
  const description_ = description.toLowerCase();
  const descriptionWords = new Set(wordsOf(description));
  const score = words.reduce((sum, word) => {
    if (nameWords.includes(word)) return sum + WHOLE_NAME;
    if (nameWords.some((own) => own.startsWith(word))) return sum + NAME_START;
    if (nameWords.some((own) => own.includes(word))) return sum + IN_NAME;
    if (descriptionWords.has(word)) return sum + IN_DESCRIPTION;
    return sum + (description_.includes(word) ? PART_OF_DESCRIPTION : 0);
  }, 0);
  const [whole, asked] = [wordsOf(name).join(" "), words.join(" ")];
  if (score === 0 || !whole.startsWith(asked)) return score;
  return score + (whole === asked ? 2 * WHOLE_NAME : WHOLE_NAME);
}

const MAX_WORDS = 20;

export function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS * 10);
}
