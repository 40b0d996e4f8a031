// Runs that say nothing: those that are lost, when nothing has come from their model or tools for ten minutes, and those that lacked the text.
import { expect, it } from "vitest";
import { asked, createWorld } from "./world.ts";

const MINUTE_MS = 60_000;

it("waits for a run as long as it works", async () => {
  const world = createWorld({ answer: () => null });
  await world.makeSkill();
  const experiments = world.open();
  await experiments.take(asked());
  const wait = async (minutes: number, works: boolean) => {
    for (let passed = 0; passed < minutes; passed++) {
      for (const run of world.replays.values()) if (works) run.activeAt = world.clock.now();
      world.clock.advance(MINUTE_MS);
      await experiments.alarm();
    }
    return [...world.seen.erased].length;
  };
  expect(await wait(30, true)).toBe(0);
  expect(world.seen.orders.size).toBe(1);
  expect(await wait(11, false)).toBe(1);
});

it("hears nothing from a run whose model did not have the text", async () => {
  const world = createWorld({ similar: [2], answer: ({ arm }) => ({ calls: 3, loaded: arm === "parent" }) });
  await world.makeSkill();
  const ended = await world.tryText(world.open(), asked());
  expect([ended.outcome, ended.arms.with]).toEqual(["not_replayable", undefined]);
  expect(await world.evidenceOf()).toEqual([]);
});
