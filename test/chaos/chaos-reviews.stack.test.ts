// A short chaos run over reviews: two reviews, killed at the most harmful points. The run's whole result is compared, except calls
// for which so short a run has no kill.
import { expect, it } from "vitest";
import { runReviews } from "../../scripts/chaos/reviews.ts";

it("loses nothing and repeats nothing when the stack is killed in reviews and curations", async () => {
  const lines: string[] = [];
  const strikes = [
    { review: ["after put head"], curator: ["after put curationPlan"] },
    { review: ["after put reviewResult"], curator: ["before put curationRun"] },
  ];
  const { unhit, ...run } = await runReviews({ reviews: 2, seed: 1, strikes, say: (line) => lines.push(line) });
  expect(run, lines.join("\n")).toEqual({
    ...{ kills: 2, lost: 0, duplicated: 0, brokenHeads: 0, indexRepairs: 1, remarks: [] },
  });
  // Otherwise a repeated model call would not be noticed.
  expect(Number(/compared with the recorded ones: (\d+)/.exec(lines.join("\n"))?.[1])).toBeGreaterThanOrEqual(2);
  const struck = strikes.flatMap(({ review, curator }) => [`review ${review[0]}`, `curator ${curator[0]}`]);
  for (const point of struck) expect(unhit).not.toContain(point);
});
