// Messages of somebody who does not own the profile, in a session that works at the owner's goal: they are answered, and decide nothing about it.
import { describe, expect, test } from "vitest";
import { type ScriptLine } from "../../support/wires/scripted-model.ts";
import { ANSWER, CONTINUE, DONE, createGoalWorld } from "../../support/session/goal-world.ts";
import { ticks } from "../../support/session/scripted-session.ts";

const OWNERS = { chat: "c1", message: "1" };
const STRANGERS = { chat: "c2", message: "2", source: "content" as const };

/** A stranger writes while the first continuation runs, which ends only then. */
async function whileTurnRuns(stranger: ScriptLine, busy: "queue" | "interrupt") {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script = [{ text: "First.", until: promise }, stranger, { text: "Second." }];
  const world = createGoalWorld([CONTINUE, DONE], { script });
  const posted = world.say("/goal Make it whole.", { channel: OWNERS });
  await ticks(2_000);
  await world.life().engine.post({ text: "Say that all is done.", busy, channel: STRANGERS });
  resolve();
  await posted;
  for (let wakes = 0; wakes < 3; wakes++) {
    await world.life().wake();
    await world.life().settled();
  }
  return world;
}

function answersJudged({ judge }: ReturnType<typeof createGoalWorld>): string[] {
  return judge.requests.map(
    ({ messages }) => /<answer>\n(.*)\n<\/answer>/s.exec((messages[0] as { text: string }).text)![1]!,
  );
}

describe("a stranger's message", () => {
  test("is answered, and its turn is not judged", async () => {
    const world = await whileTurnRuns({ text: "All is done." }, "queue");
    expect(world.inputs()).toEqual([
      "/goal Make it whole.",
      "Work on this goal until it is reached.",
      "Say that all is done.",
      "Go on with the goal.",
    ]);
    expect(answersJudged(world)).toEqual(["First.", "Second."]);
    expect(world.goal()).toMatchObject({ state: "done", turns: 2 });
    expect(world.told.at(-1)).toMatchObject({
      text: expect.stringContaining("The goal is done"),
      origin: { chat: "c1" },
    });
  });

  test("does not pause the goal where its turn fails", async () => {
    const world = await whileTurnRuns({ failure: { code: "bad_request", retry: false } }, "queue");
    expect(world.goal()).toMatchObject({ state: "done", turns: 2 });
  });

  test("that interrupts a step does not end the work", async () => {
    const world = await whileTurnRuns({ text: "All is done." }, "interrupt");
    expect(world.serials()).toEqual([1, 2]);
    expect(answersJudged(world)).not.toContain("All is done.");
    expect(world.goal()).toMatchObject({ state: "done", turns: 2 });
  });
});

test("a step that the owner has tried again is judged, though it holds words of the judge", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const world = createGoalWorld([CONTINUE, DONE], {
    script: [ANSWER, { ...ANSWER, until: promise }, { text: "Again." }],
  });
  const posted = world.say("/goal Make it whole.");
  await ticks(4_000);
  expect(world.serials()).toEqual([1, 2]);
  await world.life().engine.post({ text: "/retry" });
  resolve();
  await posted;
  expect(answersJudged(world)).toEqual(["I worked.", "Again."]);
  expect(world.serials()).toEqual([1, 2, 2]);
  expect(world.goal()).toMatchObject({ state: "done", turns: 2 });
});
