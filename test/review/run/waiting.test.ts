// A review whose writes wait for a person, killed after every store write. Each write waits once and nothing is
// written; once approved, each write is made once.
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { createPendingDesk } from "../../../core/tools/approval/pending-desk.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { PROFILE } from "../../learning/sample.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { CITED, SKILL, SKILL_MD } from "../script.ts";
import { createWorld } from "../world.ts";

const settings = {
  ...DEFAULTS,
  skills: { ...DEFAULTS.skills, writeApproval: true },
  memory: { ...DEFAULTS.memory, writeApproval: true },
};
const LINES: ScriptLine[] = [
  { calls: [{ name: "skill_manage", args: { action: "create", name: SKILL, content: SKILL_MD, citations: CITED } }] },
  {
    calls: [
      {
        name: "memory",
        args: { action: "add", store: "memory", content: "Exports here use semicolons.", citations: CITED },
      },
    ],
  },
  { text: "Both wait." },
];

it("a review leaves each write waiting once, wherever it is killed", async () => {
  const { killed } = await (await createWorld(LINES, { settings })).deliverAndCopy();
  expect(killed.length).toBeGreaterThan(8);
  for (const { world } of killed) {
    const { bucket, clock, skills, memory } = world;
    const pending = createPendingStore({ bucket, profile: PROFILE, clock, random: createSeededRandom(9) });
    const desk = createPendingDesk({ pending, skills, memory, seeds: {}, settings, clock });
    await world.deliverToEnd();
    const waiting = await desk.list();
    expect(waiting.map(({ tool, state }) => [tool, state]).toSorted()).toEqual([
      ["memory", "waiting"],
      ["skill_manage", "waiting"],
    ]);
    expect(await world.skills.head(SKILL)).toBeNull();
    expect(await world.memory.list("memory")).toEqual([]);
    expect(await world.reviews.outcome(world.job.review)).toMatchObject({ lessons: [], waiting: 2 });

    for (const { id } of waiting) expect(await desk.decide(id, true)).toMatchObject({ ok: true });
    expect(await world.skills.head(SKILL)).toMatchObject({ rev: 1, origin: "review", citations: CITED });
    expect(await world.memory.list("memory")).toMatchObject([{ text: "Exports here use semicolons." }]);
  }
});
