// Whether a word may be another one that was mistyped: for hints in refusals. Pure.

/** At most two letters left out, added or changed between what both begin with and what both end with. */
export function isNear(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  let end = 0;
  while (end < most - same && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - same - end <= 2;
}
