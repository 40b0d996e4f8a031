// Sentences by their terms and topics, and how much each of them shares with another one: a long session is searched for each
// sentence of a write. Filled and asked by session-record.ts and judge.ts. Pure but for what it holds.
import { addToList } from "./list-map.ts";
import type { Meaning, Topic } from "./meaning.ts";

/** What is left of the work that one write may cause: beyond, the person decides. */
export interface Budget {
  comparisons: number;
}

/** Of a sentence, what others are searched for. */
export interface Sought {
  terms: string[];
  topics: Set<Topic>;
  language: string;
}

/** What a shared term and topic count, the topic of a sentence in another language, and how much is enough. */
export interface Weights {
  term: number;
  topic: number;
  translated: number;
  least: number;
}

/** Places that are looked up in the time that a comparison of two sentences takes. */
const PLACES_A_COMPARISON = 8;

export class SentenceIndex<Sentence extends Meaning> {
  readonly #sentences: Sentence[] = [];
  readonly #byTerm = new Map<string, number[]>();
  readonly #byTopic = new Map<Topic, number[]>();
  readonly #languages = new Set<string>();
  /** By place, what a sentence shares with the one that is asked about. 0 between two questions. */
  #shares = new Float64Array(0);

  add(sentence: Sentence): void {
    const n = this.#sentences.push(sentence) - 1;
    this.#languages.add(sentence.language);
    for (const term of sentence.terms) addToList(this.#byTerm, term, n);
    for (const topic of sentence.topics) addToList(this.#byTopic, topic, n);
  }

  /** Sentences that share enough. */
  find({ terms, topics, language }: Sought, weights: Weights, budget: Budget): Sentence[] {
    const size = this.#sentences.length;
    if (this.#shares.length < size) this.#shares = new Float64Array(2 * size);
    const shares = this.#shares;
    const places: number[] = [];
    let looked = 0;
    const add = (n: number, more: number) => {
      if (shares[n] === 0) places.push(n);
      shares[n]! += more;
    };
    for (const term of terms) {
      const found = this.#byTerm.get(term) ?? [];
      looked += found.length;
      for (const n of found) add(n, weights.term);
    }
    const weightIn = (other: string) =>
      other !== language && other !== "" && language !== "" ? weights.translated : weights.topic;
    const most = Math.max(...[...this.#languages].map(weightIn)) * topics.size;
    const areEnough = most >= weights.least;
    for (const topic of topics) {
      // Where topics alone are not enough, only what shares a term is looked at.
      const found = areEnough ? (this.#byTopic.get(topic) ?? []) : places;
      looked += found.length;
      for (const n of found) {
        const sentence = this.#sentences[n]!;
        if (areEnough || sentence.topics.has(topic)) add(n, weightIn(sentence.language));
      }
    }
    budget.comparisons -= looked / PLACES_A_COMPARISON;
    const found: Sentence[] = [];
    for (const n of places) {
      const share = shares[n]!;
      shares[n] = 0;
      if (share >= weights.least) found.push(this.#sentences[n]!);
    }
    return found;
  }
}
