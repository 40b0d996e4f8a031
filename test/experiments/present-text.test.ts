// Which texts the Account asks to be tried after a curation, and what is asked of them.
import { expect, it } from "vitest";
import { askForCurated } from "../../core/experiments/present-text.ts";
import type { NewExperiment } from "../../core/experiments/ports.ts";
import { ok } from "../../core/errors.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import type { CurationChange, CurationWork } from "../../core/schemas/learning/curation.ts";
import type { Experiment } from "../../core/schemas/learning/experiment.ts";
import type { SkillNext } from "../../core/ports.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createTestClock } from "../support/clock.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { SESSION, curationPlan } from "../support/skills/reviews.ts";
import { adjustment, creation } from "../support/skills/skills.ts";

const OLD = "20260104T010000Z-aaaa";
const RUN = "20260105T010000Z-aaaa";
const CITED = [`${SESSION}/1#principal`];

async function setUp() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const skills = createSkillStore({ bucket, profile, clock, random: () => 0.5, swapMs: 1_000 });
  const curation = createCurationStore({ bucket });
  const asked: NewExperiment[] = [];
  const take = async (wanted: NewExperiment) => {
    asked.push(wanted);
    return ok({} as Experiment);
  };
  let ops = 0;
  /** Writes the skill and returns the change that a curation would report. */
  const write = async (skill: string, next: SkillNext): Promise<CurationChange> => {
    const before = await skills.head(skill);
    const more = { description: `About ${skill}.`, origin: "curator", state: "trial", citations: CITED } as const;
    const change = before
      ? adjustment(skill, next, `op-${++ops}`)
      : creation(skill, "", `op-${++ops}`, { ...more, ...next });
    const made = await skills.change(change);
    if (!made.ok) throw new Error(made.failure.code);
    const standing = ({ state, rev, text }: typeof made.value.head) => ({ state, rev, text });
    return { skill, from: before && standing(before), to: standing(made.value.head), reason: "" };
  };
  const finish = async (run: string, work: string, result: Partial<CurationWork>) => {
    await curation.putPlan(curationPlan(profile, run));
    const whole: CurationWork = {
      ...{ v: 1, run, work, state: "done", note: "", changes: [], merges: [], refused: [] },
      ...{ modelCalls: 1, usage: NO_USAGE, spent: [], finishedAt: 1, ...result },
    };
    await curation.work(profile, run, work).finish(whole);
  };
  const look = () =>
    askForCurated({ curation, skills, experiments: { take }, profile, since: "20260105T000000Z-0000" });
  return { write, finish, look, asked, skills };
}
const text = (body: string) => ({ "SKILL.md": body, "talaria-requests.md": "- do this\n" });

it("each text that a curation wrote is asked for, a merged one as such, and again with the same key", async () => {
  const { write, finish, look, asked, skills } = await setUp();
  await write("slow", { files: text("one") });
  const rewritten = await write("slow", { files: text("two") });
  await finish(RUN, "rewrite.slow", { changes: [rewritten] });
  await write("half", { files: text("half") });
  const merged = await write("whole", { files: text("whole") });
  const absorbed = await write("half", { state: "archived" });
  const of = { umbrella: "whole", absorbed: ["half"], left: [], kept: 1, superseded: [], archived: [] };
  await finish(RUN, "consolidate", { changes: [merged, absorbed], merges: [of] });
  await look();
  const [slow, whole] = [(await skills.head("slow"))!, (await skills.head("whole"))!];
  const shared = { session: null, citations: CITED };
  expect(asked.toSorted((a, b) => (a.skill < b.skill ? -1 : 1))).toEqual([
    {
      ...{ key: `curation:${RUN}:slow:2`, skill: "slow", occasion: "rewrite", rev: 2, ...shared },
      ...{ text: slow.text, parent: slow.parent, about: "About slow.\ndo this" },
    },
    {
      ...{ key: `curation:${RUN}:whole:1`, skill: "whole", occasion: "merge", rev: 1, ...shared },
      ...{ text: whole.text, parent: null, about: "About whole.\ndo this" },
    },
  ]);
  await look();
  expect(asked.slice(2).map(({ key }) => key)).toEqual(asked.slice(0, 2).map(({ key }) => key));
});

it("a text that is not new, was replaced or archived since, or is from an older run is not asked for", async () => {
  const { write, finish, look, asked } = await setUp();
  const earlier = await write("earlier", { files: text("earlier") });
  await finish(OLD, "rewrite.earlier", { changes: [earlier] });
  const replaced = await write("replaced", { files: text("one") });
  await write("replaced", { files: text("two") });
  const gone = await write("gone", { files: text("gone") });
  await write("gone", { state: "archived" });
  await write("same", { files: { "SKILL.md": "same" } });
  const listed = await write("same", { files: text("same") });
  await finish(RUN, "requests", { changes: [replaced, gone, listed] });
  await look();
  expect(asked).toEqual([]);
});
