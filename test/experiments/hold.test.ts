// A text that is held back while it is tried, and what an experiment does with it in the end.
import { expect, it } from "vitest";
import { FIRST, asked, createWorld } from "./world.ts";

const LESSON = { occasion: "lesson", rev: 1, text: FIRST } as const;
const HELD = { heldUntil: 9e15 };

it("ends with the experiment, whatever came of it", async () => {
  const without = createWorld();
  await without.makeSkill(HELD, 1);
  expect((await without.tryText(without.open(), asked(LESSON))).outcome).toBe("no_difference");
  expect((await without.head()).heldUntil).toBeUndefined();
  expect((await without.head()).state).toBe("trial");

  const refused = createWorld({ granted: 0 });
  await refused.makeSkill(HELD, 1);
  expect((await refused.tryText(refused.open(), asked(LESSON))).outcome).toBeNull();
  expect((await refused.head()).heldUntil).toBeUndefined();
});

it("is counted where the text was withdrawn before anybody met it, and only there", async () => {
  for (const [hold, counted] of [
    [HELD, 1],
    [{}, 0],
  ] as const) {
    const answer = ({ arm }: { arm: string }) => (arm === "with" ? { failedWords: ["one"], failedCalls: 1 } : {});
    const world = createWorld({ answer });
    await world.makeSkill(hold, 1);
    const experiments = world.open();
    expect((await world.tryText(experiments, asked(LESSON))).outcome).toBe("harms");
    expect(experiments.sum({ since: 0 })).toMatchObject({ harms: 1, withdrawnBeforeOffer: counted });
  }
});

it("does not make a text stale where verdicts are off", async () => {
  for (const verdicts of [true, false]) {
    const world = createWorld({ verdicts });
    await world.makeSkill(HELD, 1);
    const experiments = world.open();
    for (const key of ["first", "second"]) await world.tryText(experiments, asked({ ...LESSON, key }));
    expect((await world.head()).state).toBe(verdicts ? "stale" : "trial");
  }
});
