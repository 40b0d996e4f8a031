// The texts that a purge compares copies with: the purged text, however old it is, and the texts that stay.
import { expect, it } from "vitest";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { readSkillTexts } from "../../../stores/skills/skill-texts.ts";
import { skillMd } from "../../skills/skill-md.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";

const NAME = "reading-tables";

function createScene() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const store = createSkillStore({ bucket, profile: newProfileId(), clock, random: () => 0.5, swapMs: 1_000 });
  const write = async (name: string, description: string, since = 0) => {
    const files = { "SKILL.md": skillMd({ name, description }) };
    const next = { files, description, category: "general", state: "active", origin: "user" } as const;
    const decide = () => ({ ok: true as const, value: { ...next, citations: [] } });
    expect(await store.change({ name, op: description, since, decide })).toMatchObject({ ok: true });
  };
  return { store, write };
}

it("a revision older than the newest thousand is read", async () => {
  const { store, write } = createScene();
  for (let rev = 1; rev <= 1_002; rev++) await write(NAME, `Number ${rev}.`, rev - 1);
  const { gone, kept } = await readSkillTexts(store, NAME, 1);
  expect(gone).toEqual(["Number 1.", skillMd({ name: NAME, description: "Number 1." })]);
  expect(kept).toContain("Number 1002.");
}, 30_000);

it("the texts of one revision are separated from those of other revisions and skills; a whole skill includes all of its own", async () => {
  const { store, write } = createScene();
  await write(NAME, "First.");
  await write(NAME, "Second.");
  await write("writing-letters", "Letters.");
  const md = (description: string, name = NAME) => skillMd({ name, description });
  const letters = md("Letters.", "writing-letters");
  const sorted = ({ gone, kept }: { gone: string[]; kept: string[] }) => [gone.toSorted(), kept.toSorted()];
  expect(sorted(await readSkillTexts(store, NAME, 1))).toEqual([
    ["First.", md("First.")].toSorted(),
    ["Second.", md("Second."), letters].toSorted(),
  ]);
  expect(sorted(await readSkillTexts(store, NAME))).toEqual([
    ["First.", md("First."), "Second.", md("Second.")].toSorted(),
    [letters],
  ]);
});
