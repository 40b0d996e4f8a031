// A review under a grant for experiments: what it writes is held back, and the rest of the review works as before.
import { expect, it } from "vitest";
import { createLibrary } from "../../../core/skills/library.ts";
import { sampleJob } from "../../learning/sample.ts";
import { CITED, SKILL, SKILL_MD, patchStep } from "../script.ts";
import { createWorld } from "../world.ts";

const HOLD_MS = 1_800_000;
const manage = (args: Record<string, unknown>) => ({
  calls: [{ name: "skill_manage", args: { ...args, name: SKILL, citations: CITED } }],
});
const create = manage({ action: "create", content: SKILL_MD });
const end = { text: "Kept." };

it.each([
  [undefined, undefined],
  [HOLD_MS, HOLD_MS],
])("a new skill of a review with holdMs %s is held back for %s ms", async (holdMs, expected) => {
  const world = await createWorld([create, end], { job: sampleJob({ ...(holdMs && { holdMs }) }) });
  expect(await world.start().deliver()).toEqual({ act: "ack" });
  const { heldUntil, createdAt } = (await world.skills.head(SKILL))!;
  expect(heldUntil).toBe(expected && createdAt + expected);
  const scene = { now: () => world.clock.now() };
  const offered = await createLibrary({ store: world.skills, seeds: {}, scene }).offered();
  expect(offered).toHaveLength(expected === undefined ? 1 : 0);
});

it("a revision is held back as well, but not new requests for the same text", async () => {
  const view = { calls: [{ name: "skill_view", args: { name: SKILL } }] };
  const patch = { calls: [patchStep("Look at the first three lines.")] };
  const ask = { calls: [{ name: "skill_manage", args: { name: SKILL, requests: ["add this up"], citations: CITED } }] };
  const heldAfter = async (write: typeof patch | typeof ask) => {
    const world = await createWorld([view, write, end], { job: sampleJob({ holdMs: HOLD_MS }) });
    await world.writeSkill(SKILL, SKILL_MD);
    await world.start().deliver();
    const { rev, heldUntil } = (await world.skills.head(SKILL))!;
    return [rev, heldUntil !== undefined];
  };
  expect([await heldAfter(patch), await heldAfter(ask)]).toEqual([
    [2, true],
    [2, false],
  ]);
});

it("a second lesson sees a near duplicate that is held back", async () => {
  const twin = { ...create.calls[0]!.args, name: `${SKILL}-again`, content: SKILL_MD.replace(SKILL, `${SKILL}-again`) };
  const lines = [create, { calls: [{ name: "skill_manage", args: twin }] }, end];
  const world = await createWorld(lines, { job: sampleJob({ holdMs: HOLD_MS }) });
  await world.start().deliver();
  expect(await world.reviews.outcome(world.job.review)).toMatchObject({ refused: [{ code: "near_duplicate" }] });
});
