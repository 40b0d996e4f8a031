// When the experiments are woken again: after an alarm that was cut off, and after a step that failed; and what a step that took long may write.
import { expect, it } from "vitest";
import { asked, createWorld } from "./world.ts";

it("has set its next alarm before an alarm does anything", async () => {
  const world = createWorld();
  await world.makeSkill();
  await world.open().take(asked());
  const mortal = world.open({ crashAt: 3 }); // the first two are before and after the alarm is set
  await mortal.alarm().catch(() => {});
  expect(mortal.isDead()).toBe(true);
  expect(world.alarmAt()! - world.clock.now()).toBe(120_000);
});

it("waits longer after each failure of a step", async () => {
  const refuse = async () => {
    throw new Error("busy");
  };
  const world = createWorld({ whileErasing: refuse, answer: () => null });
  await world.makeSkill();
  const experiments = world.open();
  const taken = await experiments.take(asked());
  await experiments.alarm();
  await experiments.stop(taken.ok ? taken.value.id : "");
  const waits: number[] = [];
  for (let tries = 0; tries < 4; tries++) {
    world.clock.advance(Math.max(0, world.alarmAt()! - world.clock.now()));
    await experiments.alarm();
    waits.push(world.alarmAt()! - world.clock.now());
  }
  const atLeast = [2_000, 4_000, 8_000, 16_000];
  expect(waits.map((ms, i) => ms >= atLeast[i]! && ms <= 1.5 * atLeast[i]!)).toEqual([true, true, true, true]);
});

it("writes nothing at the end of a long step over what a person did meanwhile", async () => {
  const checked = { "SKILL.md": "one\ntwo", "checks/a.json": "{}" };
  let stop = async () => {};
  const world = createWorld({ runChecks: async () => (await stop(), []) });
  await world.makeSkill();
  await world.adjust({ files: checked });
  const { rev, text } = await world.head();
  const experiments = world.open();
  const taken = await experiments.take(asked({ rev, text }));
  const id = taken.ok ? taken.value.id : "";
  stop = async () => void (await experiments.stop(id));
  await experiments.alarm();
  const read = await experiments.read(id);
  expect(read).toMatchObject({ value: { state: "done", outcome: null, why: "A person stopped it.", turns: [] } });
  expect(world.seen.orders.size).toBe(0);
});
