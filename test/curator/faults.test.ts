// Two concurrent runs of one profile over a bucket that fails at random, or writes and loses its response. Each move is made
// once, and each run that has a plan writes a report.
import { expect, it } from "vitest";
import { PROFILE } from "../learning/sample.ts";
import { createWorld, meet, statesOf } from "./world.ts";

it.each([1, 2, 3, 4])(
  "two concurrent curations over a bucket that fails at random move each skill once (seed %i)",
  async (seed) => {
    const world = createWorld();
    for (const name of ["alpha", "beta", "gamma"]) await world.addSkill(PROFILE, name);
    await meet(world, PROFILE);
    await world.liveDays(PROFILE, 31);
    Object.assign(world.bucket.faults, { failOneIn: 6, loseAnswerOneIn: 6, isRateLimited: seed % 2 === 0, seed });
    for (let n = 0; n < seed; n++) await world.bucket.put(`noise/${n}`, "x").catch(() => {});
    const open = new Set(["20260501T000000Z-aaaa", "20260501T000000Z-bbbb"]);
    for (let round = 0; open.size > 0; round++) {
      expect(round).toBeLessThan(200);
      const ends = [...open].map(async (run) => {
        if ((await world.run(PROFILE, run).catch(() => "failed")) === "done") open.delete(run);
      });
      await Promise.all(ends);
      world.clock.advance(5 * 60_000);
    }
    Object.assign(world.bucket.faults, { failOneIn: undefined, loseAnswerOneIn: undefined, isRateLimited: false });
    expect(await statesOf(world, PROFILE)).toEqual({ alpha: "stale", beta: "stale", gamma: "stale" });
    const { skills } = world.profileOf(PROFILE);
    for (const name of ["alpha", "beta", "gamma"]) expect((await skills.head(name))?.seq).toBe(2);
    const runs = await world.curation.runs(PROFILE);
    const reports = await Promise.all(runs.map((run) => world.curation.report(PROFILE, run)));
    const moves = reports.flatMap((report) => report?.run.moves ?? []).filter((move) => move.result === "moved");
    expect(moves.map((move) => move.skill).sort()).toEqual(["alpha", "beta", "gamma"]);
  },
);
