// Two experiments, of which one withdraws a text that followers have, crash before and after each write of any port. Every run is made, booked
// and judged once, the person is told once, and the library ends as if nothing had happened.
import { describe, expect, it } from "vitest";
import { pickCrashes } from "../support/session/pick-crashes.ts";
import { FIRST, SECOND, type World, asked, createWorld } from "./world.ts";

const WORD = { failedWords: ["--fast"], failedCalls: 1 };

async function runWithCrash(crashAt: number) {
  const world = createWorld({
    similar: [2],
    answer: ({ arm, skill }) => (arm === "with" && skill === "tables" ? WORD : { calls: arm === "with" ? 3 : 7 }),
  });
  await world.makeSkill({ shared: true, heldUntil: 9e15 });
  const live = async (experiments: ReturnType<World["open"]>) => {
    await experiments.take(asked());
    const files = { "SKILL.md": "Another text." };
    const { rev: _, ...given } = asked({ key: "try", skill: "another", occasion: "try", given: files, text: FIRST });
    await experiments.take(given);
    await world.runToEnd(experiments);
  };
  const first = world.open({ crashAt });
  // A crash inside an alarm does not reach its caller: it is seen by its lifetime being over.
  await live(first).catch(() => {});
  if (crashAt !== Infinity) expect(first.isDead()).toBe(true);
  const writes = [...world.seen.writes];
  // The platform fires the alarm of an object that died in it again.
  const second = world.open();
  await live(second);
  return { world, second, writes };
}

const WRITES = pickCrashes((await runWithCrash(Infinity)).writes);

describe("experiments, after a crash", () => {
  it.each(WRITES)("at write %i end once", async (at) => {
    const { world, second } = await runWithCrash(at);
    const ended = await second.list({ limit: 10 });
    expect(ended.map(({ skill, outcome, state }) => [skill, outcome, state])).toEqual([
      ["another", "helps", "done"],
      ["tables", "harms", "done"],
    ]);
    const { seen } = world;
    expect(seen.reports).toEqual([]);
    expect([...seen.orders.values()].map(({ arm, source }) => [arm, source.turn])).toEqual([
      ["with", 1],
      ["with", 1],
      ["with", 2],
      ["without", 1],
    ]);
    expect([...seen.bookings.keys()].toSorted()).toEqual([...seen.orders.keys()].toSorted());
    expect(ended.map(({ tokens }) => tokens.used)).toEqual([21_000, 7_000]);
    expect(seen.told.size).toBe(2);
    expect(seen.followers).toBeGreaterThan(0);
    const { id } = ended[1]!;
    expect([...seen.withdrawn.values()]).toEqual([
      { skill: "tables", state: "trial", rev: 3, inPart: false, experiment: id },
    ]);
    expect([...world.reserved.keys()]).toEqual([]);
    const head = await world.head();
    expect(head).toMatchObject({ text: FIRST, rev: 3, state: "trial", withdrawn: [SECOND] });
    expect(head.heldUntil).toBeUndefined();
    expect((await world.evidenceOf()).map(({ text, outcome }) => [text, outcome])).toEqual([[SECOND, "failure"]]);
  });
});
