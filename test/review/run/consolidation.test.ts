// A review of a memory that is over its limit. It reads the entries outside the prompt and merges them in one call without
// citations of its own. It does so once, wherever it is killed.
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { selectLimit, measureUsage } from "../../../core/memory/rules.ts";
import { memoryId } from "../../../core/schemas/memory.ts";
import type { ReviewResult } from "../../../core/schemas/learning/review.ts";
import { SESSION, sampleJob } from "../../learning/sample.ts";
import { type World, createWorld } from "../world.ts";

const CITED = `${SESSION}/1#principal`;
const topic = (n: number) => `Project ${n} is written in language ${n} and deployed from branch ${n} to region ${n}`;
const FACTS = Array.from({ length: 16 }, (_, n) => [
  `${topic(n)}.`,
  `Project ${n} is owned by team ${n}, ${"x".repeat(60)}.`,
]);
const MERGED = `${topic(0)}, owned by team 0, ${"x".repeat(60)}.`;

const merge = {
  store: "memory",
  operations: [
    { action: "replace", old_text: `${topic(0)}.`, content: MERGED },
    { action: "remove", old_text: "owned by team 0" },
    ...Array.from({ length: 8 }, (_, n) => [
      {
        action: "replace",
        old_text: `${topic(n + 1)}.`,
        content: `Project ${n + 1} is deployed to region ${n + 1}, owned by team.`,
      },
      { action: "remove", old_text: `owned by team ${n + 1},` },
    ]).flat(),
  ],
};
const LINES = [{ calls: [{ name: "memory", args: merge }] }, { text: "Merged what was about one project." }];

async function createFullWorld() {
  const world = await createWorld(LINES, { job: sampleJob({ skills: false }) });
  for (const [n, text] of FACTS.flat().entries()) {
    const cited = { session: SESSION, citations: [CITED], source: "principal" as const };
    await world.memory.add("memory", `seed ${n}`, { v: 1, text, at: n, origin: "review", ...cited });
  }
  return world;
}

async function tracesOf(world: World) {
  const outcome = (await world.reviews.outcome(world.job.review)) as ReviewResult;
  const entries = await world.memory.list("memory");
  return {
    lessons: outcome.lessons,
    refused: outcome.refused,
    summary: outcome.summary,
    entries: entries.map(({ text, adds, citations, source }) => ({ text, adds, citations, source })),
  };
}

describe("a review of a memory over its limit", () => {
  it("sees the entries outside the prompt, merges without citations, and leaves the store within its limit", async () => {
    const world = await createFullWorld();
    const limit = selectLimit("memory", DEFAULTS.memory);
    expect(measureUsage(await world.memory.list("memory"), limit).outside).toBeGreaterThan(5);
    const process = world.start();
    expect(await process.deliver()).toEqual({ act: "ack" });
    const [request] = process.model.requests;
    const text = request!.messages[0]!.role === "user" ? request!.messages[0]!.text : "";
    expect(text).toContain("Too full: these entries are stored, but the agent does not see them.");
    expect(text).toContain(`- ${FACTS[0]![0]}`);

    const { lessons, refused, summary, entries } = await tracesOf(world);
    expect([refused, summary]).toEqual([[], "Learned: corrected 9 facts; forgot 9 facts."]);
    expect(lessons.slice(0, 2)).toEqual([
      { kind: "memory", store: "memory", action: "replace", id: memoryId(MERGED), text: MERGED, citations: [] },
      {
        kind: "memory",
        store: "memory",
        action: "remove",
        id: memoryId(FACTS[0]![1]!),
        text: FACTS[0]![1],
        citations: [],
      },
    ]);
    expect(entries.find((entry) => entry.text === MERGED)).toMatchObject({ citations: [CITED], source: "principal" });
    expect(measureUsage(await world.memory.list("memory"), limit)).toMatchObject({ entries: 23, outside: 0 });
  });

  it("ends the same wherever it is killed, and after a repeated delivery", async () => {
    const whole = await createFullWorld();
    const { killed } = await whole.deliverAndCopy();
    const expected = await tracesOf(whole);
    expect(killed.length).toBeGreaterThan(20);
    for (const { world } of killed.filter((_, writes) => writes % 3 === 0)) {
      await world.deliverToEnd();
      await world.start().deliver();
      expect(await tracesOf(world)).toEqual(expected);
    }
  });
});
