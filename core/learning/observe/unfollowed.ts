// Finds loaded texts that the work did not follow: a call gave an option another value than the text does, and succeeded. Called by
// observe.ts with the calls that worked on the task. Another task may want another value, so one such turn proves nothing. It counts
// as a contradiction, which puts a proven text back on trial. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { LoadedText } from "../../schemas/learning/learning.ts";
import { type OptionPair, choicesIn, pairsIn, pairsOf, toPairKey, variesByTask } from "../option-pairs.ts";
import type { ShownText } from "./shown-texts.ts";

export function findUnfollowed(tools: ToolEntry[], shown: ShownText[]): LoadedText[] {
  if (shown.length === 0) return [];
  const worked = tools.filter(({ failed }) => !failed).map(({ n, call }) => ({ n, pairs: pairsOf(call.args) }));
  return shown
    .filter(({ entry, piece }) => {
      const names = new Set(choicesIn(piece).flatMap((pair) => (variesByTask(pair.value) ? [] : [pair.name])));
      const values = new Set(pairsIn(piece).map(toPairKey));
      const isOther = (pair: OptionPair) =>
        names.has(pair.name) && !values.has(toPairKey(pair)) && !variesByTask(pair.value);
      return worked.some(({ n, pairs }) => n > entry && pairs.some(isOther));
    })
    .map(({ skill, text }) => ({ skill, text }));
}
