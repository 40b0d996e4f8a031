// Which loaded texts the work did not follow: it gave an option another value than the text does, and that call succeeded. Called
// by observe.ts with the calls that were work on the task. Pure. One such turn is no proof, for another task may want another
// value; it counts as a contradiction all the same, which puts a text that was taken for proved back on trial.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { LoadedText } from "../../schemas/learning.ts";
import { pairsIn, pairsOf, toKey, variesByTask } from "../option-pairs.ts";
import type { ShownText } from "./proved-wrong.ts";

export function findUnfollowed(tools: ToolEntry[], shown: ShownText[]): LoadedText[] {
  if (shown.length === 0) return [];
  const worked = tools.filter(({ failed }) => !failed).map(({ n, call }) => ({ n, pairs: pairsOf(call.args) }));
  return shown
    .filter(({ entry, piece }) => {
      const given = pairsIn(piece).filter((pair) => !variesByTask(pair));
      const names = new Set(given.map(({ name }) => name));
      const values = new Set(given.map(toKey));
      return worked.some(
        ({ n, pairs }) => n > entry && pairs.some((pair) => names.has(pair.name) && !values.has(toKey(pair))),
      );
    })
    .map(({ skill, text }) => ({ skill, text }));
}
