// Detects mistyped words, for hints in refusals. Pure.

/** True when, after removing the common prefix and suffix, at most two letters differ. */
export function isNear(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  let end = 0;
  while (end < most - same && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - same - end <= 2;
}
