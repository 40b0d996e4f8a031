// Rates how much two skill texts overlap, independent of the skills' names. Words of commands count most; words that many
// of the texts contain count little. Called by a review's duplicate check. Pure.
import { wordsOf } from "./words.ts";

interface BodyTerms {
  all: Set<string>;
  /** Words in code. */
  code: Set<string>;
}

/** Weight of a word in code. Paraphrases keep the commands, so these words say more. */
const CODE_WEIGHT = 3;
/** Minimum length of a compared text. Shorter texts share most of their words with anything. */
const MIN_TERMS = 12;

const CODE = /```[^]*?(?:```|$)|~~~[^]*?(?:~~~|$)|`([^`\n]+)`/g;
/** Words of the headings that every skill has. */
const USUAL = wordsOf("when use steps pitfalls verify");

export function readBodyTerms(body: string): BodyTerms {
  const code = new Set<string>();
  for (const match of body.matchAll(CODE)) for (const word of wordsOf(match[1] ?? match[0])) code.add(word);
  const all = wordsOf(body);
  for (const word of USUAL) if (!code.has(word)) all.delete(word);
  return { all, code };
}

/** The overlap of `one` with each of `others`, from 0 to 1: the weight of shared words over the weight of all words. */
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
