// The chaos run over reviews, in short: two reviews, struck where it hurts most. What the run itself measures is compared whole,
// but for calls that a run as short as this has no kill for.
import { expect, it } from "vitest";
import { runReviews } from "../../scripts/chaos/reviews.ts";

it("loses nothing and repeats nothing when the stack is killed in reviews and curations", async () => {
  const said: string[] = [];
  const strikes = [
    { review: ["after put head"], curator: ["after put curationPlan"] },
    { review: ["after put reviewResult"], curator: ["before put curationRun"] },
  ];
  const { unhit, ...run } = await runReviews({ reviews: 2, seed: 1, strikes, say: (line) => said.push(line) });
  expect(run, said.join("\n")).toEqual({
    ...{ kills: 2, lost: 0, duplicated: 0, brokenHeads: 0, indexRepairs: 1, remarks: [] },
  });
  // Else an answer that is asked for twice would not be seen.
  expect(Number(/compared with what stood recorded: (\d+)/.exec(said.join("\n"))?.[1])).toBeGreaterThanOrEqual(2);
  const struck = strikes.flatMap(({ review, curator }) => [`review ${review[0]}`, `curator ${curator[0]}`]);
  for (const point of struck) expect(unhit).not.toContain(point);
});
