// A withdrawal by an experiment, as the journey tells it.
import { expect, it } from "vitest";
import { toRevisionEvent, toStateEvent } from "../../core/learning/journey/skill-events.ts";
import type { SkillHead } from "../../core/schemas/skill.ts";

const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAA";
const OP = `experiment:${ID}`;
const [HARMFUL, EARLIER] = ["a".repeat(64), "b".repeat(64)];
const reason = "Tried on 4 earlier turns: 1 right with it, 4 without.";

const head: SkillHead = {
  ...{ v: 1, name: "tables", seq: 4, rev: 2, text: HARMFUL, description: "Tables.", category: "general" },
  ...{ state: "archived", pinned: false, origin: "review", files: {}, citations: [], op: "op", reason },
  ...{ withdrawn: [HARMFUL], settled: { op: OP, from: "trial", to: "archived", rev: 2, withdrew: true } },
  ...{ createdAt: 1, revisedAt: 2, updatedAt: 3 },
};
const told = {
  about: "skill",
  skill: "tables",
  by: "experiment",
  kind: "withdrawn",
  experiment: ID,
  why: reason,
  citations: [],
};

it("names the experiment where the skill was archived", () => {
  expect(toStateEvent(head)).toEqual({ ...told, at: 3, rev: 2 });
});

it("names it where an earlier text is back", () => {
  const back: SkillHead = { ...head, rev: 3, text: EARLIER, state: "trial", op: OP };
  expect(toRevisionEvent(back, 4, { isFirst: false, isBack: true }, back)).toEqual({ ...told, at: 4, rev: 3 });
});

it("still names the uses where a verdict on them withdrew it", () => {
  const settled = { ...head.settled!, op: `verdict:${ID}-3.rating` };
  expect(toStateEvent({ ...head, settled })).toMatchObject({ by: "evidence", kind: "withdrawn", turn: `${ID}-3` });
});
