// Which loaded texts a turn's success is not owed to: the work gave an option another value than the text does, and that call
// succeeded. Called by observe.ts. Pure. It is no proof that the text is wrong, for another task may want another value; but
// what was not followed earns nothing.
import type { ToolEntry } from "../schemas/entry.ts";
import type { LoadedText } from "../schemas/learning.ts";
import { isFigure, pairsIn, pairsOf, toKey } from "./option-pairs.ts";
import type { ShownText } from "./proved-wrong.ts";

export function findUnfollowed(tools: ToolEntry[], shown: ShownText[]): LoadedText[] {
  const worked = tools.filter(({ failed }) => !failed).map(({ n, call }) => ({ n, pairs: pairsOf(call.args) }));
  return shown
    .filter(({ entry, piece }) => {
      const given = pairsIn(piece).filter((pair) => !isFigure(pair));
      const names = new Set(given.map(({ name }) => name));
      const values = new Set(given.map(toKey));
      return worked.some(
        ({ n, pairs }) => n > entry && pairs.some((pair) => names.has(pair.name) && !values.has(toKey(pair))),
      );
    })
    .map(({ skill, text }) => ({ skill, text }));
}
