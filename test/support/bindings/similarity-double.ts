// A Similarity that knows a few ideas and the words for them: a small real one, for tests.
import type { Similarity } from "../../../core/ports.ts";

const IDEAS = [
  ["certificate", "tls", "lock", "secure", "schloss", "sicher"],
  ["bake", "bread", "oven", "brot", "backen"],
  ["walrus", "seal", "robbe"],
];

export interface SimilarityDouble extends Similarity {
  /** What was embedded, a call each. */
  calls: string[][];
  /** What it does instead of answering. */
  trouble: (() => Promise<number[][]>) | null;
}

export function createSimilarityDouble(model = "double"): SimilarityDouble {
  const double: SimilarityDouble = {
    model,
    least: 0.5,
    calls: [],
    trouble: null,
    async embed(texts) {
      double.calls.push(texts);
      return double.trouble ? double.trouble() : texts.map(vectorOf);
    },
  };
  return double;
}

/** How often a text speaks of each idea, and a little of nothing in particular. */
function vectorOf(text: string): number[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return [...IDEAS.map((idea) => words.filter((word) => idea.includes(word)).length), 0.1];
}
