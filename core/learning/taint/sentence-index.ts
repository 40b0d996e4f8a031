// Sentences by their terms and topics, and how much each of them shares with another one: a long session is searched for each
// sentence of a write. Filled and asked by session-record.ts and judge.ts. Pure but for what it holds.
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

export interface Found<Sentence> {
  sentence: Sentence;
  share: number;
}

/** Places that are looked up in the time that a comparison of two sentences takes. */
const PLACES_A_COMPARISON = 50;

export class SentenceIndex<Sentence extends Meaning> {
  readonly #sentences: Sentence[] = [];
  readonly #byTerm = new Map<string, number[]>();
  readonly #byTopic = new Map<Topic, number[]>();
  /** By place, what a sentence shares with the one that is asked about. 0 between two questions. */
  #shares = new Float64Array(0);

  add(sentence: Sentence): void {
    const n = this.#sentences.push(sentence) - 1;
    for (const term of sentence.terms) addPlace(this.#byTerm, term, n);
    for (const topic of sentence.topics) addPlace(this.#byTopic, topic, n);
  }

  /** Sentences that share enough, in their order. */
  find({ terms, topics, language }: Sought, weights: Weights, budget: Budget): Found<Sentence>[] {
    const size = this.#sentences.length;
    if (this.#shares.length < size) this.#shares = new Float64Array(2 * size);
    const shares = this.#shares;
    const places: number[] = [];
    let looked = 0;
    const addAll = (found: number[] = [], weightOf: (n: number) => number) => {
      looked += found.length;
      for (const n of found) {
        if (shares[n] === 0) places.push(n);
        shares[n]! += weightOf(n);
      }
    };
    for (const term of terms) addAll(this.#byTerm.get(term), () => weights.term);
    const weightOf = (n: number) => (this.#sentences[n]!.language === language ? weights.topic : weights.translated);
    for (const topic of topics) addAll(this.#byTopic.get(topic), weightOf);
    budget.comparisons -= looked / PLACES_A_COMPARISON;
    const enough = places.filter((n) => shares[n]! >= weights.least).sort((a, b) => a - b);
    const found = enough.map((n) => ({ sentence: this.#sentences[n]!, share: shares[n]! }));
    for (const n of places) shares[n] = 0;
    return found;
  }
}

export function addPlace<Key>(index: Map<Key, number[]>, key: Key, n: number): void {
  const places = index.get(key);
  if (places) places.push(n);
  else index.set(key, [n]);
}
