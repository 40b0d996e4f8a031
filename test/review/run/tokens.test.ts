// The cost of a review of a ten-step session. Each of its calls carries the prompt, the tools and the transcript.
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../core/tokens.ts";
import { sampleJob } from "../../learning/sample.ts";
import { IMPORTING, REVIEWS, importingSkill, seenIn, tenSteps, tokensOf } from "./ten-steps.ts";
import { createWorld } from "../world.ts";

const MAX_MEDIAN = 15_000;

async function costOf({ lines, exists, loaded }: (typeof REVIEWS)[string]): Promise<{ tokens: number; calls: number }> {
  const text = "0".repeat(64);
  const job = sampleJob({ entries: tenSteps(), observations: [seenIn(loaded ? [{ skill: IMPORTING, text }] : [])] });
  const world = await createWorld(lines, { job });
  if (exists) await world.writeSkill(IMPORTING, importingSkill());
  const { model, deliver } = world.start();
  expect(await deliver()).toEqual({ act: "ack" });
  const outcome = await world.reviews.outcome(job.review);
  expect(outcome).toMatchObject({ state: "done", refused: [] });
  const answers = (await world.reviews.script(job.review)).steps.filter((step) => step.kind === "answer");
  const written = answers.map(({ answer: { text: words, calls } }) =>
    estimateTokens(`${words} ${JSON.stringify(calls)}`),
  );
  const tokens = [...model.requests.map(tokensOf), ...written].reduce((a, b) => a + b, 0);
  return { tokens, calls: model.requests.length };
}

describe("a review of ten steps", () => {
  it("costs at most 15,000 tokens in the median, over all its calls", async () => {
    const costs: Record<string, { tokens: number; calls: number }> = {};
    for (const [what, review] of Object.entries(REVIEWS)) costs[what] = await costOf(review);
    const sorted = Object.values(costs)
      .map(({ tokens }) => tokens)
      .toSorted((a, b) => a - b);
    const median = (sorted[sorted.length / 2 - 1]! + sorted[sorted.length / 2]!) / 2;
    expect(median, JSON.stringify(costs)).toBeLessThanOrEqual(MAX_MEDIAN);
  });
});
