// How followers' counts are weighed: what a liar can reach, and what an honest follower shows.
import { describe, expect, it } from "vitest";
import { FOLLOWERS_PRIOR, FOLLOWER_CAP, weighCounts } from "../../core/library/follower-counts.ts";

const count = (successes: number, failures: number, unknown = 0) => ({
  uses: successes + failures + unknown,
  successes,
  failures,
});

describe("followers' counts", () => {
  it("are shown as they are while they are few", () => {
    const shown = weighCounts([count(6, 2, 1), count(3, 0)], 10);
    expect(shown).toEqual({ profiles: 2, uses: 12, successes: 9, failures: 2, weight: 11 });
  });

  it("of one follower keep their ratio and count no more than the cap", () => {
    expect(weighCounts([count(900, 100)], 1_000)).toEqual({
      ...{ profiles: 1, uses: FOLLOWER_CAP, successes: 18, failures: 2, weight: FOLLOWER_CAP },
    });
  });

  it("of a liar with ten thousand failures move the sum by the cap at most", () => {
    const honest = [count(8, 0), count(7, 1)];
    const [before, after] = [weighCounts(honest, 40), weighCounts([...honest, count(0, 10_000)], 40)];
    expect(after.failures - before.failures).toBe(FOLLOWER_CAP);
    expect(after.successes).toBe(before.successes);
    expect(after.weight).toBe(36);
  });

  it("of a hundred liars together count no more than the publisher's own uses and the prior", () => {
    const liars = Array.from({ length: 100 }, () => count(0, 10_000));
    expect(weighCounts(liars, 5)).toMatchObject({ profiles: 100, successes: 0, weight: 5 + FOLLOWERS_PRIOR });
  });

  it("without a judged use have no weight", () => {
    expect(weighCounts([count(0, 0, 50_000)], 0)).toEqual({
      ...{ profiles: 1, uses: FOLLOWER_CAP, successes: 0, failures: 0, weight: 0 },
    });
    expect(weighCounts([], 7)).toEqual({ profiles: 0, uses: 0, successes: 0, failures: 0, weight: 0 });
  });
});
