// Measures how well the product recognises two requests as the same kind of work. It compares turns as the product does: by the
// kinds of work that a model named, otherwise by words. Pure.
import { isSimilarTurn, toComparedTurn } from "../../core/learning/observe/neighbours.ts";
import type { TurnSignature } from "../../core/schemas/learning/learning.ts";
import { share } from "./replies.ts";
import type { PairRow } from "./rows.ts";

/** `null` if the denominator is zero. */
export interface SimilarFigures {
  precision: number | null;
  recall: number | null;
  f1: number | null;
}

/** `kinds`: kinds of work by request. Requests without one are compared by words. */
export function measureSimilar(pairs: readonly PairRow[], kinds: ReadonlyMap<string, string> = new Map()) {
  const toTurn = (request: string) => {
    const text = kinds.get(request);
    return toComparedTurn({ ...TURN, request, ...(text !== undefined && { kind: { text, by: "title" as const } }) });
  };
  const same = pairs.filter((pair) => pair.same);
  const taken = pairs.filter(({ a, b }) => isSimilarTurn(toTurn(a), toTurn(b)));
  const right = taken.filter((pair) => pair.same).length;
  const figures: SimilarFigures = {
    precision: share(right, taken.length),
    recall: share(right, same.length),
    f1: share(2 * right, same.length + taken.length),
  };
  return figures;
}

const SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZZ";

/** A turn without tools, so that the comparison of tools has no influence. */
const TURN: TurnSignature = {
  ...{ turn: `${SESSION}-1`, session: SESSION, at: 1, request: "", tools: {}, loaded: [], outcome: "unknown" },
  ...{ judge: "exit", recovered: false, effort: { calls: 0, failedCalls: 0, tokens: 0 }, heldOut: false },
};
