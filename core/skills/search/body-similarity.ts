// How much of what one skill's text says another one says too, whatever they are called: the words of commands count most, and
// words that many of the texts at hand use count little. Called by the duplicate check of a review. Pure.
import { wordsOf } from "./words.ts";

export interface BodyTerms {
  all: Set<string>;
  /** Those that stand in code. */
  code: Set<string>;
}

/** A word of a command tells more than one of a sentence around it: paraphrases keep the commands. */
const CODE_WEIGHT = 3;
/** Shorter texts have most words in common with anything. */
const MIN_TERMS = 12;

const CODE = /```[^]*?(?:```|$)|~~~[^]*?(?:~~~|$)|`([^`\n]+)`/g;
/** Headings that every skill has. */
const USUAL = wordsOf("when use steps pitfalls verify");

export function readBodyTerms(body: string): BodyTerms {
  const code = new Set<string>();
  for (const match of body.matchAll(CODE)) for (const word of wordsOf(match[1] ?? match[0])) code.add(word);
  const all = wordsOf(body);
  for (const word of USUAL) if (!code.has(word)) all.delete(word);
  return { all, code };
}

/** Of each of `others`, between 0 and 1: what both say, by weight, over what the two say. */
export function compareBodies(one: BodyTerms, others: BodyTerms[]): number[] {
  const texts = [one, ...others];
  const counts = new Map<string, number>();
  for (const { all } of texts) for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weigh = (word: string, { code }: BodyTerms) =>
    Math.log(1 + texts.length / counts.get(word)!) * (code.has(word) ? CODE_WEIGHT : 1);
  const total = (terms: BodyTerms) => [...terms.all].reduce((sum, word) => sum + weigh(word, terms), 0);
  const own = total(one);
  return others.map((other) => {
    if (Math.min(one.all.size, other.all.size) < MIN_TERMS) return 0;
    const shared = [...one.all].filter((word) => other.all.has(word));
    return shared.reduce((sum, word) => sum + weigh(word, one) + weigh(word, other), 0) / (own + total(other));
  });
}
