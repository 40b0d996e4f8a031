import { describe, expect, it } from "vitest";
import { createDuplicateInspector } from "../../../core/learning/review/rules/duplicates.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { SkillNext } from "../../../core/ports.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { type Draft, HELD, OTHERS, PARAPHRASED } from "./duplicate-pairs.ts";

const toText = ({ name, description, body }: Draft) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n${body}\n`;

async function setUp(drafts: Draft[], next: Partial<SkillNext> = {}, loaded: string[] = [], bundled: Draft[] = []) {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const store = createSkillStore({ bucket, profile, clock, random: () => 0.5, swapMs: 1_000 });
  for (const draft of drafts) {
    const value: SkillNext = {
      ...{ files: { "SKILL.md": toText(draft) }, description: draft.description, state: "trial", origin: "review" },
      ...next,
    };
    const made = await store.change({
      name: draft.name,
      op: draft.name,
      since: 0,
      decide: () => ({ ok: true, value }),
    });
    if (!made.ok) throw new Error(made.failure.message);
  }
  const inspect = createDuplicateInspector({
    store,
    seeds: Object.fromEntries(bundled.map((draft) => [draft.name, { "SKILL.md": toText(draft) }])),
    similarity: DEFAULTS.skills.duplicateBody,
    loaded: new Set(loaded),
    companions: true,
  });
  return {
    store,
    ask: (draft: Draft) =>
      inspect({
        ...{ name: draft.name, before: null, after: { "SKILL.md": toText(draft) }, description: draft.description },
        ...{ citations: [], approved: false },
      }),
  };
}

/** Many skills of other fields, all with words of their own. */
const crowd = (count: number): Draft[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `tending-plant-${n}`,
    description: `Tending the plant of sort ${n}.`,
    body: Array.from({ length: 20 }, (__, k) => `plant${n}word${k}`).join(" "),
  }));

describe("a new skill", () => {
  it.each(PARAPHRASED)("that paraphrases '%s' is refused with the name of that skill", async (of, draft) => {
    const { ask } = await setUp([...HELD, ...crowd(40)]);
    const failure = await ask(draft);
    expect(failure).toMatchObject({ code: "near_duplicate", facts: { neighbour: of } });
    expect(failure?.message).toContain(`put what is new into '${of}'`);
  });

  it("is refused with the lines that the neighbour lacks, or a note that it lacks none", async () => {
    const [held] = HELD;
    const { ask } = await setUp(HELD);
    const more = "- Amounts in `GBX` are pence: divide them by `100`.";
    const longer = {
      ...held!,
      name: "adding-columns-up",
      body: held!.body.replace("## Pitfalls\n", `## Pitfalls\n${more}\n`),
    };
    expect(longer.body).toContain(more);
    expect(await ask(longer)).toMatchObject({
      code: "near_duplicate",
      facts: { neighbour: held!.name, target: held!.name, additions: [`Pitfalls: ${more}`] },
    });
    const same = (await ask({ ...held!, name: "adding-columns-up" }))!;
    expect(same.message).toBe(`'${held!.name}' says all of this already: there is nothing to save.`);
    expect(same.facts).not.toHaveProperty("additions");
  });

  it.each(OTHERS.map((draft) => [draft.name, draft] as const))(
    "'%s' on the same subject is not a duplicate",
    async (_, draft) => {
      const { ask } = await setUp([...HELD, ...crowd(40)]);
      expect(await ask(draft)).toBeNull();
    },
  );

  it("counts as a duplicate at a lower similarity if the work had loaded the other skill", async () => {
    const [held] = HELD;
    const half = {
      ...held!,
      name: "weighing-totals",
      description: "Weighing the totals of two exports against each other.",
      body: `${held!.body.split("3. Convert")[0]}## Pitfalls
- Weigh amounts in the currency of the older export, because rates moved between both.
- Round at the end, because rounding each line hides differences under a cent.
- Leave reversed bookings out on both sides, because they cancel later.
## Verify
Both totals agree within the tolerance that auditors accept for quarterly statements.`,
    };
    expect(await (await setUp(HELD)).ask(half)).toBeNull();
    expect(await (await setUp(HELD, {}, [held!.name])).ask(half)).toMatchObject({
      code: "near_duplicate",
      facts: { neighbour: held!.name },
    });
    expect(await (await setUp(HELD, {}, [held!.name])).ask(OTHERS[0]!)).toBeNull();
    // What came with the product is about the agent's own habits, and covers no work.
    expect(await (await setUp([], {}, [held!.name], HELD)).ask(half)).toBeNull();
  });

  it("is not a duplicate of any skill if it is the companion of a protected skill that the work had loaded", async () => {
    const [held] = HELD;
    const guide = { ...OTHERS[0]!, name: "office-guide" };
    const beside = { ...held!, name: "office-guide-local", description: "Learned beside office-guide." };
    const loaded = [held!.name, "office-guide"];
    expect(await (await setUp(HELD, {}, [], [guide])).ask(beside)).toMatchObject({ code: "near_duplicate" });
    expect(await (await setUp(HELD, {}, loaded, [guide])).ask(beside)).toBeNull();
    // What the agent may edit itself wants no companion.
    expect(await (await setUp([...HELD, guide], {}, loaded)).ask(beside)).toMatchObject({ code: "near_duplicate" });
  });

  it("is compared with at most ten skills, however many there are", async () => {
    const { store, ask } = await setUp([...HELD, ...crowd(60)]);
    const heads: string[] = [];
    const { head } = store;
    store.head = async (name) => (heads.push(name), head(name));
    await ask(PARAPHRASED[1]![1]);
    expect(heads).toHaveLength(10);
    expect(heads).toContain("restoring-postgres-backups");
  });

  it("is refused with the advice to write the companion if the neighbour is protected", async () => {
    const { ask } = await setUp(HELD, { origin: "user", state: "active" });
    expect((await ask(PARAPHRASED[0]![1]))?.message).toContain("into 'adding-up-columns-local'");
  });

  it("may replace an archived skill, and may resemble its own base", async () => {
    const { ask } = await setUp(HELD, { state: "archived" });
    expect(await ask(PARAPHRASED[0]![1])).toBeNull();
    const living = await setUp(HELD);
    const [, draft] = PARAPHRASED[0]!;
    expect(await living.ask({ ...draft, name: "adding-up-columns-local" })).toBeNull();
  });
});
