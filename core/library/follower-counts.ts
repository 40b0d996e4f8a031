// Weighs what followers report of a text, so that no profile can talk a skill down or up by inventing numbers. What comes out is shown to the
// publisher and enters no verdict. Pure.
import type { FollowerCounts, TextCount } from "../schemas/library/library.ts";

/** [own] Judged uses that one follower counts at most: about what a verdict needs. More are scaled down and keep their ratio. */
export const FOLLOWER_CAP = 20;
/** [own] What all followers together may count beyond the publisher's own judged uses, so that a new text shows something. */
export const FOLLOWERS_PRIOR = 20;

/**
 * Each follower with `j` judged uses counts `min(1, FOLLOWER_CAP / j)` of its numbers. `weight` is the sum of the judged uses that remain, at
 * most `ownJudged + FOLLOWERS_PRIOR`; `uses`, `successes` and `failures` are scaled to it, with one decimal. `counts`: one a follower.
 */
export function weighCounts(
  counts: readonly Pick<TextCount, "uses" | "successes" | "failures">[],
  ownJudged: number,
): FollowerCounts {
  const used = counts.filter(({ uses }) => uses > 0);
  const sum = { uses: 0, successes: 0, failures: 0 };
  for (const { uses, successes, failures } of used) {
    const share = Math.min(1, FOLLOWER_CAP / Math.max(1, successes + failures));
    sum.uses += Math.min(uses * share, FOLLOWER_CAP);
    sum.successes += successes * share;
    sum.failures += failures * share;
  }
  const judged = sum.successes + sum.failures;
  const weight = Math.min(judged, ownJudged + FOLLOWERS_PRIOR);
  const scale = judged === 0 ? 1 : weight / judged;
  const shown = (value: number) => Math.round(value * scale * 10) / 10;
  return {
    profiles: used.length,
    uses: shown(sum.uses),
    successes: shown(sum.successes),
    failures: shown(sum.failures),
    weight: Math.round(weight * 10) / 10,
  };
}
