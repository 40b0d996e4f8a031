// What somebody leaves who goes: a run that reports when nobody waits for it, erasures that are cut off or met by a run that begins, and a text
// whose experiment could not be ended. And a request that is repeated after the library has changed.
import { describe, expect, it } from "vitest";
import type { Result } from "../../core/errors.ts";
import { SESSION, type WorldOptions, asked, createWorld, textOf } from "./world.ts";

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

async function begun(options: WorldOptions = {}) {
  const world = createWorld({ similar: [2], ...options });
  await world.makeSkill();
  const experiments = world.open();
  const { id } = must(await experiments.take(asked()));
  await experiments.alarm();
  expect(world.replays.size).toBe(1);
  return { world, experiments, id };
}

describe("a run that reports when nobody waits for it any more", () => {
  it("is booked if its experiment was stopped just before", async () => {
    const { world, experiments, id } = await begun();
    await experiments.stop(id);
    await world.play(experiments);
    await experiments.alarm();
    expect(must(await experiments.read(id))).toMatchObject({ state: "done", outcome: null, tokens: { used: 7_000 } });
    expect(world.seen.bookings.size).toBe(1);
  });
});

describe("an erasure", () => {
  it("of the profile finds the run that begins meanwhile", async () => {
    const late: (() => Promise<void>)[] = [];
    const { world, experiments } = await begun({
      answer: () => ({ calls: 2 }),
      whileErasing: async () => late.pop()?.(),
    });
    await world.play(experiments);
    late.push(() => experiments.alarm()); // the next run would begin here
    await experiments.eraseAll();
    expect(world.replays.size).toBe(0);
    expect(world.sql.run("SELECT * FROM experiment_run")).toEqual([]);
  });

  it.each(["forgetWords", "forgetSession"] as const)("by %s goes on where it was cut off", async (forget) => {
    let fails = true;
    const whileErasing = async () => {
      if (fails) throw new Error("The object does not answer.");
    };
    const { world, experiments, id } = await begun({ whileErasing });
    await world.play(experiments);
    await expect(experiments[forget](SESSION)).rejects.toThrow("does not answer");
    fails = false;
    await experiments[forget](SESSION);
    expect(world.replays.size).toBe(0);
    const { erasures } = world.seen;
    await experiments[forget](SESSION);
    await world.runToEnd(experiments);
    expect(must(await experiments.read(id)).state).toBe("done");
    expect(world.seen.erasures).toBe(erasures); // no run is woken again
  });
});

describe("a text that is tried without being in the library", () => {
  it("is gone also when its experiment could not be ended", async () => {
    const whileErasing = () => Promise.reject(new Error("The object does not answer."));
    const world = createWorld({ similar: [2], whileErasing });
    const experiments = world.open();
    const files = { "SKILL.md": "one" };
    const wish = asked({ occasion: "try", text: textOf("one"), given: files, citations: [] });
    const { rev: _, ...ofText } = wish;
    const { id } = must(await experiments.take(ofText));
    await experiments.alarm();
    await experiments.stop(id);
    for (let tries = 0; tries < 60; tries++) {
      world.clock.advance(15 * 60_000 * 1.5);
      await experiments.alarm();
    }
    expect(must(await experiments.read(id)).state).toBe("done");
    expect(world.sql.run("SELECT * FROM experiment_text")).toEqual([]);
    expect(JSON.stringify(world.sql.run("SELECT record FROM experiment"))).not.toContain("counts rows");
  });
});

describe("a request with the same key", () => {
  it("is the same one after the library has changed, and another one if something else is sent", async () => {
    const experiments = createWorld().open();
    const { id } = must(await experiments.take(asked({ sent: "5 tokens" })));
    expect(must(await experiments.take(asked({ sent: "5 tokens", rev: 3, text: textOf("three") }))).id).toBe(id);
    expect(await experiments.take(asked({ sent: "6 tokens" }))).toMatchObject({
      failure: { code: "idempotency_conflict" },
    });
  });
});
