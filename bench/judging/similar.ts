// How often the product takes two requests for the same kind of work, rightly and wrongly.
import { isSimilarRequest } from "../../core/learning/requests.ts";
import { share } from "./replies.ts";
import type { PairRow } from "./rows.ts";

/** `null`: nothing to divide by. */
export interface SimilarFigures {
  precision: number | null;
  recall: number | null;
  f1: number | null;
}

export function measureSimilar(pairs: readonly PairRow[]): SimilarFigures {
  const same = pairs.filter((pair) => pair.same);
  const taken = pairs.filter(({ a, b }) => isSimilarRequest(a, b));
  const right = taken.filter((pair) => pair.same).length;
  return {
    precision: share(right, taken.length),
    recall: share(right, same.length),
    f1: share(2 * right, same.length + taken.length),
  };
}
