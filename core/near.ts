// Detects mistyped words, for hints in refusals. Pure.
import { distance } from "fastest-levenshtein";

/** True when, after removing the common prefix and suffix, at most two letters differ. */
export function isNear(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  let end = 0;
  while (end < most - same && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - same - end <= 2;
}

/** Shorter words are a part of too many names. */
const MIN_PART_CHARS = 3;

/**
 * The name that is most like a word, in either case: one that holds the word or is a part of it, else the one with the fewest different letters.
 * The part after a colon is compared too (`provider:model`). `null`: in every name more than half of the word would be different.
 */
export function findClosest(word: string, names: readonly string[]): string | null {
  const wanted = word.trim().toLowerCase();
  const holds = (text: string, part: string) => part.length >= MIN_PART_CHARS && text.includes(part);
  const measure = (name: string) => {
    const whole = name.toLowerCase();
    const bare = whole.slice(whole.indexOf(":") + 1);
    if (holds(whole, wanted) || holds(wanted, bare)) return 0;
    return Math.min(distance(wanted, whole), distance(wanted, bare));
  };
  let best: { name: string; far: number } | null = null;
  for (const name of names) {
    const far = measure(name);
    if (!best || far < best.far) best = { name, far };
  }
  return best && best.far * 2 <= wanted.length ? best.name : null;
}
