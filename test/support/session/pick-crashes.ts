// Which writes a test of crashes ends at. A turn of several steps makes the same writes in each of them. Of those with the same writes around
// them, the first and the last are enough; a thorough run takes all.
import { IS_THOROUGH } from "../thorough.ts";

const BEFORE = 2;
const AFTER = 1;

/** `names`: what each write of a whole run was. Returns the numbers of the writes, counted from 1, in order. */
export function pickCrashes(names: readonly string[], isEvery = IS_THOROUGH): number[] {
  const numbers = names.map((_, i) => i + 1);
  if (isEvery) return numbers;
  const alike = Map.groupBy(numbers, (n) => JSON.stringify(names.slice(Math.max(0, n - 1 - BEFORE), n + AFTER)));
  return [...new Set([...alike.values()].flatMap((group) => [group[0]!, group.at(-1)!]))].toSorted((a, b) => a - b);
}
