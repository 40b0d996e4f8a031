// A small Similarity for tests: it embeds texts by a few ideas and the words for them.
import type { Similarity } from "../../../core/ports.ts";

const IDEAS = [
  ["certificate", "tls", "lock", "secure", "schloss", "sicher"],
  ["bake", "bread", "oven", "brot", "backen"],
  ["walrus", "seal", "robbe"],
];

export interface SimilarityDouble extends Similarity {
  /** The embedded texts, one list per call. */
  calls: string[][];
  /** Replaces the answer, for example with a failure. */
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
      return double.trouble ? double.trouble() : texts.map(toVector);
    },
  };
  return double;
}

/** One dimension per idea counts its words in the text, plus a small constant dimension. */
function toVector(text: string): number[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return [...IDEAS.map((idea) => words.filter((word) => idea.includes(word)).length), 0.1];
}
