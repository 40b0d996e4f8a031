// A bucket that fails at random, or writes and loses its response. A review always stores the same.
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { SESSION } from "../../learning/sample.ts";
import { LINES, SKILL } from "../script.ts";
import { createWorld } from "../world.ts";

const settings = { ...DEFAULTS, review: { ...DEFAULTS.review, maxFailures: 1_000 } };

async function tracesOf(world: Awaited<ReturnType<typeof createWorld>>) {
  const revisions = await world.skills.revisions(SKILL);
  const outcome = await world.reviews.outcome(world.job.review);
  return {
    lessons: outcome && "lessons" in outcome ? outcome.lessons : outcome,
    revisions: revisions.map(({ rev, op, text, citations }) => ({ rev, op, text, citations })),
    index: (await world.skills.index()).skills[SKILL],
    memory: (await world.memory.list("memory")).map(({ text, adds }) => ({ text, adds })),
    watermark: await world.reviews.watermark(SESSION),
    steps: (await world.reviews.script(world.job.review)).steps.map((step) => step.kind),
  };
}

it.each([1, 2, 3, 4])("a review over a bucket that fails at random makes each write once (seed %i)", async (seed) => {
  const whole = await createWorld(LINES, { settings });
  await whole.deliverToEnd();
  const world = await createWorld(LINES, { settings });
  Object.assign(world.bucket.faults, { failOneIn: 5, loseAnswerOneIn: 5, isRateLimited: seed % 2 === 0, seed });
  for (let n = 0; n < seed; n++) await world.bucket.put(`noise/${n}`, "x").catch(() => {});
  await Promise.all([world.start().deliver(), world.start().deliver()]);
  world.clock.advance(60_000);
  await world.deliverToEnd(200);
  Object.assign(world.bucket.faults, { failOneIn: undefined, loseAnswerOneIn: undefined, isRateLimited: false });
  await world.deliverToEnd(200);
  expect(await tracesOf(world)).toEqual(await tracesOf(whole));
});
