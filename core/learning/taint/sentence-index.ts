// An index of sentences by term and topic. Each sentence of a write is searched for in a long session, so a lookup must not read
// all sentences. Filled and queried by session-record.ts, judge.ts and taint.ts. No I/O.
import { addToList } from "./list-map.ts";
import type { Meaning, Topic } from "./meaning.ts";

/** The remaining comparisons that one write may cause. When none remain, the write waits for the person. */
export interface ComparisonBudget {
  comparisons: number;
}

/** What a search compares: the terms, topics and language of a sentence. */
export interface SentenceQuery {
  terms: string[];
  topics: Set<Topic>;
  language: string;
}

/** Points for a shared term and a shared topic. `translated`: for a topic shared with another language. `least`: the threshold. */
export interface Weights {
  term: number;
  topic: number;
  translated: number;
  least: number;
}

/** Index entries that can be read in the time of one comparison of two sentences. */
const ENTRIES_PER_COMPARISON = 8;

export class SentenceIndex<Sentence extends Meaning> {
  readonly #sentences: Sentence[] = [];
  readonly #byTerm = new Map<string, number[]>();
  readonly #byTopic = new Map<Topic, number[]>();
  readonly #languages = new Set<string>();
  /** The points of each sentence in the current search. All searches share this buffer, so each resets its points to 0. */
  #points = new Float64Array(0);

  add(sentence: Sentence): void {
    const n = this.#sentences.push(sentence) - 1;
    this.#languages.add(sentence.language);
    for (const term of sentence.terms) addToList(this.#byTerm, term, n);
    for (const topic of sentence.topics) addToList(this.#byTopic, topic, n);
  }

  /** Sentences whose points reach `weights.least`. */
  find({ terms, topics, language }: SentenceQuery, weights: Weights, budget: ComparisonBudget): Sentence[] {
    const size = this.#sentences.length;
    if (this.#points.length < size) this.#points = new Float64Array(2 * size);
    const points = this.#points;
    const touched: number[] = [];
    let readEntries = 0;
    const add = (n: number, more: number) => {
      if (points[n] === 0) touched.push(n);
      points[n]! += more;
    };
    for (const term of terms) {
      const found = this.#byTerm.get(term) ?? [];
      readEntries += found.length;
      for (const n of found) add(n, weights.term);
    }
    const weightIn = (other: string) =>
      other !== language && other !== "" && language !== "" ? weights.translated : weights.topic;
    const topicPoints = Math.max(...[...this.#languages].map(weightIn)) * topics.size;
    const canTopicsSuffice = topicPoints >= weights.least;
    for (const topic of topics) {
      // If topics alone cannot reach the threshold, only sentences with a shared term are read.
      const found = canTopicsSuffice ? (this.#byTopic.get(topic) ?? []) : touched;
      readEntries += found.length;
      for (const n of found) {
        const sentence = this.#sentences[n]!;
        if (canTopicsSuffice || sentence.topics.has(topic)) add(n, weightIn(sentence.language));
      }
    }
    budget.comparisons -= readEntries / ENTRIES_PER_COMPARISON;
    const found: Sentence[] = [];
    for (const n of touched) {
      const total = points[n]!;
      points[n] = 0;
      if (total >= weights.least) found.push(this.#sentences[n]!);
    }
    return found;
  }
}
